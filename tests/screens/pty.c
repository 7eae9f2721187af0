/* The harness. Everything waits on poll with one deadline; what arrives goes into libvterm and past
 * a scanner of private modes, for libvterm swallows those it does not draw. */
#include "pty_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#ifdef LOOM_INSTRUMENTED
#define GUARD_MS 40000
#else
#define GUARD_MS 20000
#endif
#define TYPED_KEPT 4096

static int64_t now_ms(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

void pty_show_typed(const struct pty *pty)
{
	fputs("what was typed last: ", stderr);
	for (size_t i = 0; i < pty->typed.n; i++) {
		unsigned char c = (unsigned char)pty->typed.p[i];

		fprintf(stderr, c >= ' ' && c < 0x7f && c != '\\' ? "%c" : "\\x%02x", c);
	}
	fputc('\n', stderr);
}

static _Noreturn void give_up(struct pty *pty, const char *what)
{
	fprintf(stderr, "gave up waiting for %s; the last screen:\n%s[%s]\n", what, pty_text(pty),
		pty_modes(pty));
	pty_show_typed(pty);
	kill(pty->pid, SIGKILL);
	abort();
}

static _Noreturn void run_child(const struct pty_opts *opts, int idle_fd)
{
	static const char *const fixed[] = {"LANG=C.UTF-8",
					    "TZ=UTC",
					    "HOME=/nonexistent",
					    "PATH=/usr/bin:/bin",
					    "LOOM_NOW=2026-02-23T10:00:00Z",
					    "LOOM_SEED=1"};
	const char *sanitizer = getenv("ASAN_OPTIONS");
	char number[32];

	sanitizer = sanitizer ? strdup(sanitizer) : NULL;
	clearenv();
	if (sanitizer)
		setenv("ASAN_OPTIONS", sanitizer, 1);
	setenv("TERM", opts->term ? opts->term : "xterm-256color", 1);
	for (size_t i = 0; i < LOOM_COUNT(fixed); i++)
		putenv(strdup(fixed[i]));
	for (size_t i = 0; opts->env && opts->env[i]; i++)
		putenv(strdup(opts->env[i]));
	snprintf(number, sizeof(number), "%d", idle_fd);
	setenv("LOOM_TEST_FD", number, 1);
	execv(opts->argv[0], (char *const *)(uintptr_t)opts->argv);
	_exit(127);
}

static void start_vterm(struct pty *pty)
{
	pty->vt = vterm_new(pty->h, pty->w);
	vterm_set_utf8(pty->vt, 1);
	pty->screen = vterm_obtain_screen(pty->vt);
	vterm_screen_enable_altscreen(pty->screen, 1);
	vterm_screen_reset(pty->screen, 1);
	pty->modes[25] = true;
}

struct pty *pty_open(const struct pty_opts *opts)
{
	struct pty *pty = loom_alloc(sizeof(*pty));
	struct winsize size;
	int ends[2];
	int line;

	pty->w = opts->w ? opts->w : 80;
	pty->h = opts->h ? opts->h : 24;
	size = (struct winsize){.ws_col = (unsigned short)pty->w, .ws_row = (unsigned short)pty->h};
	loom_buf_init(&pty->idle_line, 4096);
	loom_buf_init(&pty->csi, 4096);
	loom_buf_init(&pty->text, 1 << 24);
	loom_buf_init(&pty->said, 1 << 16);
	loom_buf_init(&pty->typed, 2 * TYPED_KEPT);
	if (pipe(ends) != 0)
		abort();
	if (openpty(&pty->fd, &line, NULL, NULL, &size) != 0)
		abort();
	tcgetattr(line, &pty->first); /* before anybody is there who could change it */
	pty->pid = fork();
	if (pty->pid == 0) {
		close(ends[0]);
		close(pty->fd);
		if (login_tty(line) != 0)
			_exit(127);
		run_child(opts, ends[1]);
	}
	close(line);
	close(ends[1]);
	pty->idle_fd = ends[0];
	fcntl(pty->fd, F_SETFL, O_NONBLOCK);
	fcntl(pty->idle_fd, F_SETFL, O_NONBLOCK);
	start_vterm(pty);
	return pty;
}

void pty_close(struct pty *pty)
{
	if (!pty->over) {
		kill(pty->pid, SIGKILL);
		waitpid(pty->pid, NULL, 0);
	}
	if (pty->fd >= 0)
		close(pty->fd);
	close(pty->idle_fd);
	vterm_free(pty->vt);
	loom_buf_fini(&pty->idle_line);
	loom_buf_fini(&pty->csi);
	loom_buf_fini(&pty->text);
	loom_buf_fini(&pty->said);
	loom_buf_fini(&pty->typed);
	free(pty);
}

/* --- reading --- */

static void set_modes(struct pty *pty, struct loom_str list, bool on)
{
	struct loom_str one;
	uint64_t mode;

	while (list.p && loom_str_cut(&list, ';', &one)) {
		if (!loom_str_to_u64(one, &mode) || mode >= PTY_MODES)
			continue;
		pty->modes[mode] = on;
		pty->frames += mode == 2026 && on;
	}
}

/* Collects what is between ESC [ ? and h or l. */
static void scan_modes(struct pty *pty, const char *bytes, size_t n)
{
	struct loom_buf *csi = &pty->csi;

	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];
		if (c == '\x1b') {
			loom_buf_clear(csi);
			loom_buf_addc(csi, c);
		} else if (csi->n > 0 && csi->n < 60) {
			loom_buf_addc(csi, c);
			if (csi->n > 2 && (c == 'h' || c == 'l') && csi->p[2] == '?')
				set_modes(pty, loom_str_sub(loom_buf_str(csi), 3, csi->n - 4),
					  c == 'h');
			if (csi->n > 2 && c >= 0x40)
				loom_buf_clear(csi);
		}
	}
}

/* False when the other end is closed. */
static bool read_output(struct pty *pty)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(pty->fd, bytes, sizeof(bytes))) > 0) {
		pty->received += (uint64_t)n;
		scan_modes(pty, bytes, (size_t)n);
		vterm_input_write(pty->vt, bytes, (size_t)n);
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void read_idle(struct pty *pty)
{
	char bytes[4096];
	ssize_t n = read(pty->idle_fd, bytes, sizeof(bytes));
	struct loom_str rest, line;

	pty->idle_over = n == 0;
	if (n <= 0)
		return;
	loom_buf_add(&pty->idle_line, loom_str_make(bytes, (size_t)n));
	rest = loom_buf_str(&pty->idle_line);
	while (loom_str_find_char(rest, '\n', 0) != SIZE_MAX && loom_str_line(&rest, &line)) {
		unsigned long long v[4] = {0};
		if (sscanf(line.p, "%llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3]) != 4)
			continue;
		pty->idles = v[0];
		pty->taken = v[1];
		pty->signals = v[2];
		pty->out = v[3];
	}
	/* Lines are short and written whole; what is left would be half of one. */
	loom_buf_clear(&pty->idle_line);
}

static void pump(struct pty *pty, int64_t deadline, const char *what)
{
	struct pollfd fds[2] = {{.fd = pty->fd, .events = POLLIN},
				{.fd = pty->idle_fd, .events = POLLIN}};
	int64_t left = deadline - now_ms();

	if (left <= 0)
		give_up(pty, what);
	poll(fds, 2, (int)left);
	read_output(pty);
	read_idle(pty);
}

static void keep_typed(struct pty *pty, struct loom_str bytes)
{
	if (pty->typed.n + bytes.n > TYPED_KEPT)
		loom_buf_clear(&pty->typed);
	loom_buf_add(&pty->typed, loom_str_sub(bytes, 0, TYPED_KEPT));
}

void pty_write(struct pty *pty, struct loom_str bytes)
{
	int64_t deadline = now_ms() + GUARD_MS;

	keep_typed(pty, bytes);
	while (bytes.n > 0) {
		ssize_t n = write(pty->fd, bytes.p, bytes.n > 4096 ? 4096 : bytes.n);
		if (n > 0) {
			pty->sent += (uint64_t)n;
			bytes = loom_str_sub(bytes, (size_t)n, bytes.n);
			continue;
		}
		struct pollfd fds[2] = {{.fd = pty->fd, .events = POLLIN | POLLOUT},
					{.fd = pty->idle_fd, .events = POLLIN}};
		if (now_ms() > deadline)
			give_up(pty, "room to write");
		poll(fds, 2, 100);
		read_output(pty);
		read_idle(pty);
	}
}

void pty_take(struct pty *pty)
{
	read_output(pty);
	read_idle(pty);
}

void pty_wait(struct pty *pty)
{
	pump(pty, now_ms() + GUARD_MS, "any output");
}

bool pty_settled(struct pty *pty)
{
	int64_t deadline = now_ms() + GUARD_MS;

	while (!pty->idle_over && (pty->idles == 0 || pty->taken < pty->sent ||
				   pty->signals < pty->signals_sent || pty->received < pty->out))
		pump(pty, deadline, "idleness");
	return !pty->idle_over;
}

void pty_settle(struct pty *pty)
{
	if (!pty_settled(pty))
		give_up(pty, "idleness of a program that has ended");
}

void pty_type(struct pty *pty, const char *bytes)
{
	pty_write(pty, loom_str_of(bytes));
	pty_settle(pty);
}

void pty_signal(struct pty *pty, int number)
{
	pty->signals_sent++;
	kill(pty->pid, number);
}

void pty_signal_key(struct pty *pty, char c)
{
	pty->signals_sent++;
	(void)!write(pty->fd, &c, 1);
	pty_settle(pty);
}

void pty_resize(struct pty *pty, int w, int h)
{
	struct winsize size = {.ws_col = (unsigned short)w, .ws_row = (unsigned short)h};

	if (w == pty->w && h == pty->h)
		return; /* the kernel sends no signal for it */
	pty->w = w;
	pty->h = h;
	vterm_set_size(pty->vt, h, w);
	pty->signals_sent++;
	ioctl(pty->fd, TIOCSWINSZ, &size);
}

void pty_until(struct pty *pty, const char *text)
{
	int64_t deadline = now_ms() + GUARD_MS;

	while (!strstr(pty_text(pty), text))
		pump(pty, deadline, text);
}

/* Reads until the program has closed the terminal, then takes its status. */
int pty_finish(struct pty *pty)
{
	int64_t deadline = now_ms() + GUARD_MS;

	while (pty->fd >= 0 && waitpid(pty->pid, &pty->status, WNOHANG) == 0) {
		struct pollfd fds[1] = {{.fd = pty->fd, .events = POLLIN}};
		if (now_ms() > deadline)
			give_up(pty, "the end of the program");
		poll(fds, 1, 20);
		read_output(pty);
	}
	read_output(pty);
	pty->over = true;
	return pty->status;
}

bool pty_ends_unread(struct pty *pty, int ms)
{
	int64_t deadline = now_ms() + ms;
	siginfo_t info = {.si_pid = 0};

	while (now_ms() < deadline) {
		if (waitid(P_PID, (id_t)pty->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid == pty->pid)
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

int64_t pty_hang_up(struct pty *pty)
{
	int64_t before = now_ms();

	close(pty->fd);
	pty->fd = -1;
	while (waitpid(pty->pid, &pty->status, WNOHANG) == 0) {
		if (now_ms() - before > GUARD_MS)
			give_up(pty, "the end after a hang-up");
		poll(NULL, 0, 1);
	}
	pty->over = true;
	return now_ms() - before;
}

/* --- looking --- */

static void add_row(struct pty *pty, int y)
{
	size_t solid = pty->text.n;

	for (int x = 0; x < pty->w;) {
		VTermScreenCell cell = {.width = 1};
		vterm_screen_get_cell(pty->screen, (VTermPos){.row = y, .col = x}, &cell);
		if (cell.chars[0] == 0)
			loom_buf_addc(&pty->text, ' ');
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
			loom_buf_add_cp(&pty->text, cell.chars[i]);
		if (cell.chars[0] && cell.chars[0] != ' ')
			solid = pty->text.n;
		x += cell.width > 0 ? cell.width : 1;
	}
	loom_buf_cut(&pty->text, solid);
	loom_buf_addc(&pty->text, '\n');
}

const char *pty_text(struct pty *pty)
{
	loom_buf_clear(&pty->text);
	for (int y = 0; y < pty->h; y++)
		add_row(pty, y);
	return loom_buf_cstr(&pty->text);
}

int pty_coloured(struct pty *pty)
{
	int count = 0;

	for (int y = 0; y < pty->h; y++) {
		for (int x = 0; x < pty->w; x++) {
			VTermScreenCell cell = {.width = 1};

			vterm_screen_get_cell(pty->screen, (VTermPos){.row = y, .col = x}, &cell);
			count += !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) ||
				 !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
		}
	}
	return count;
}

const char *pty_modes(struct pty *pty)
{
	static const struct {
		int mode;
		const char *name;
	} names[] = {{1049, "alt "},   {2004, "paste "},     {1004, "focus "}, {1000, "mouse1000 "},
		     {1002, "mouse "}, {1003, "mouse1003 "}, {1006, ""},       {2026, "held "},
		     {1, "keypad "},   {25, "cursor "}};
	struct termios now;

	loom_buf_clear(&pty->said);
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		if (pty->modes[names[i].mode])
			loom_buf_adds(&pty->said, names[i].name);
	}
	if (pty->fd >= 0 && tcgetattr(pty->fd, &now) == 0 &&
	    (now.c_lflag != pty->first.c_lflag || now.c_oflag != pty->first.c_oflag ||
	     now.c_iflag != pty->first.c_iflag))
		loom_buf_adds(&pty->said, "raw ");
	loom_buf_cut(&pty->said, pty->said.n ? pty->said.n - 1 : 0);
	return loom_buf_cstr(&pty->said);
}

void pty_cursor(struct pty *pty, int *x, int *y)
{
	VTermPos at;

	vterm_state_get_cursorpos(vterm_obtain_state(pty->vt), &at);
	*x = at.col;
	*y = at.row;
}

uint64_t pty_bytes(const struct pty *pty)
{
	return pty->received;
}

uint64_t pty_frames(const struct pty *pty)
{
	return pty->frames;
}

/* The voluntary switches of one thread: each is a sleep that ended. */
static uint64_t thread_wakes(const char *path)
{
	char line[256];
	unsigned long long n = 0;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1)
			break;
	if (file)
		fclose(file);
	return n;
}

uint64_t pty_wakes(const struct pty *pty)
{
	char path[300];
	DIR *tasks;
	struct dirent *task;
	uint64_t n = 0;

	snprintf(path, sizeof path, "/proc/%d/task", pty->pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		if (task->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", pty->pid, task->d_name);
		n += thread_wakes(path);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

static void read_file(const char *path, struct loom_buf *out)
{
	char bytes[4096];
	FILE *file = fopen(path, "r");
	size_t n;

	while (file && (n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		loom_buf_add(out, loom_str_make(bytes, n));
	if (file)
		fclose(file);
}

static bool write_file(const char *path, struct loom_str text)
{
	FILE *file = fopen(path, "w");
	bool good = file && fwrite(text.p, 1, text.n, file) == text.n;

	return file && fclose(file) == 0 && good;
}

const char *pty_golden(struct pty *pty, const char *name)
{
	char path[512];
	struct loom_buf now = LOOM_BUF_INIT(1 << 20);
	struct loom_buf before = LOOM_BUF_INIT(1 << 20);
	bool same;
	int x, y;

	snprintf(path, sizeof(path), "%s/screens/golden/%s.txt", LOOM_TESTS, name);
	pty_cursor(pty, &x, &y);
	loom_buf_adds(&now, pty_text(pty));
	loom_buf_addf(&now, "-- %dx%d · cursor %d,%d · %s\n", pty->w, pty->h, x, y, pty_modes(pty));
	if (getenv("UPDATE"))
		write_file(path, loom_buf_str(&now));
	read_file(path, &before);
	same = loom_str_eq(loom_buf_str(&now), loom_buf_str(&before));
	if (!same)
		fprintf(stderr, "%s\n--- expected:\n%s--- is now:\n%s", path,
			loom_buf_cstr(&before), loom_buf_cstr(&now));
	loom_buf_fini(&now);
	loom_buf_fini(&before);
	return same ? NULL : "another picture";
}
