/* The terminal's modes and signals.
 *
 * Signal handlers only write the signal's number into a pipe; the loop does the rest. The handlers
 * of crashes write one constant, restore termios (both async-signal-safe), reinstate the previous
 * handler and raise the signal again. They use nothing but the one static block below. */
#include <loom/terminal/screen.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WAITING_MAX ((size_t)64 << 20)
#define DRAIN_MS    1000 /* without progress, before a farewell is given up */
/* Turns off everything we ever turn on; ESC \ ends a sequence cut short. */
#define ALL_OFF                                                                                    \
	"\x1b\\\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l"      \
	"\x1b[?1l\x1b[0m\x1b[?25h"
#define CRASH_OFF ALL_OFF "\x1b[?1049l"
#define MODES_ON  "\x1b[?2004h\x1b[?1004h"
#define MOUSE_ON  "\x1b[?1002h\x1b[?1006h"
#define MOUSE_OFF "\x1b[?1002l\x1b[?1006l"

static const int caught[] = {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS};

/* For handlers and exit(): the open screen. */
static struct {
	volatile sig_atomic_t up; /* modes are set, and `saved` holds the old ones */
	pid_t owner;              /* a fork inherits these handlers but not the terminal */
	volatile sig_atomic_t pipe;
	volatile sig_atomic_t out;
	bool exit_known;
	struct termios saved;
	struct sigaction before[LOOM_COUNT(caught)];
	struct sigaction before_crash[LOOM_COUNT(crashes)];
} open_screen;

/* Async-signal-safe. Writes one byte at a time: poll promises room for one, and a longer write
 * could block for ever if nobody reads. */
bool tui_screen_say(int fd, const char *text, size_t n)
{
	while (n > 0) {
		struct pollfd room = {.fd = fd, .events = POLLOUT};
		int ready = poll(&room, 1, DRAIN_MS);
		ssize_t done = ready > 0 ? write(fd, text, 1) : -1;

		if (ready == 0 || (done <= 0 && errno != EINTR && errno != EAGAIN))
			return false;
		text += done > 0;
		n -= done > 0;
	}
	return true;
}

/* `up` is cleared last, so a crash on the way starts over. If the output is not taken, termios is
 * restored without waiting for it. */
static void put_back(const char *off, size_t n)
{
	int when;

	if (!open_screen.up || getpid() != open_screen.owner)
		return;
	when = tui_screen_say(open_screen.out, off, n) ? TCSADRAIN : TCSANOW;
	while (tcsetattr(open_screen.out, when, &open_screen.saved) != 0 && errno == EINTR)
		continue;
	open_screen.up = 0;
}

static void on_signal(int number)
{
	int before = errno;
	unsigned char byte = (unsigned char)number;

	if (getpid() == open_screen.owner) {
		(void)!write(open_screen.pipe, &byte, 1);
	} else {
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = before;
}

static void on_crash(int number)
{
	put_back(CRASH_OFF, sizeof(CRASH_OFF) - 1);
	for (size_t i = 0; i < LOOM_COUNT(crashes); i++) {
		if (crashes[i] == number)
			sigaction(number, &open_screen.before_crash[i], NULL);
	}
	raise(number);
}

static void on_exit_restore(void)
{
	put_back(CRASH_OFF, sizeof(CRASH_OFF) - 1);
}

/* Present when built with a sanitizer, which ends the program without a signal. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch_exits(void)
{
	if (open_screen.exit_known)
		return;
	open_screen.exit_known = atexit(on_exit_restore) == 0;
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_exit_restore);
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction crash = {.sa_handler = on_crash, .sa_flags = SA_NODEFER | SA_ONSTACK};

	sigemptyset(&action.sa_mask);
	sigemptyset(&crash.sa_mask);
	for (size_t i = 0; i < LOOM_COUNT(caught); i++)
		sigaction(caught[i], &action, &open_screen.before[i]);
	for (size_t i = 0; i < LOOM_COUNT(crashes); i++)
		sigaction(crashes[i], &crash, &open_screen.before_crash[i]);
}

static void release_signals(void)
{
	for (size_t i = 0; i < LOOM_COUNT(caught); i++)
		sigaction(caught[i], &open_screen.before[i], NULL);
	for (size_t i = 0; i < LOOM_COUNT(crashes); i++)
		sigaction(crashes[i], &open_screen.before_crash[i], NULL);
}

/* --- modes --- */

/* Keys arrive as bytes. C-c and C-z remain signals, so they work even when the loop is stuck, but
 * they discard neither pending keys nor half a frame of output. */
static void raw_mode(int fd)
{
	struct termios raw = open_screen.saved;

	raw.c_iflag &= (tcflag_t) ~(ICRNL | INLCR | IGNCR | IXON | IXOFF | ISTRIP | PARMRK);
	raw.c_oflag &= (tcflag_t)~OPOST;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ECHONL | IEXTEN);
	raw.c_lflag |= ISIG | NOFLSH;
	raw.c_cflag = (raw.c_cflag & (tcflag_t)~CSIZE) | CS8;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(fd, TCSADRAIN, &raw);
}

/* Opens a file description of our own: O_NONBLOCK on a shared one would affect the shell. */
static int open_own(int out)
{
	char path[64];
	int fd;

	if (ttyname_r(out, path, sizeof(path)) != 0)
		return -1;
	fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	return fd;
}

/* `saved` is what was there at the start, because an editor that was killed leaves modes nobody
 * wants. Only after a stop is it read again: the shell may have changed it. */
void tui_screen_enter(struct tui_screen *screen)
{
	if (screen->up)
		return;
	screen->up = true;
	open_screen.up = 1;
	raw_mode(screen->opts.out);
	tui_screen_write(screen, LOOM_STR(MODES_ON));
	if (screen->opts.mouse)
		tui_screen_write(screen, LOOM_STR(MOUSE_ON));
}

enum loom_status tui_screen_open(struct tui_screen *screen, const struct tui_screen_opts *opts,
				 struct loom_err *err)
{
	int ends[2];

	*screen = (struct tui_screen){.opts = *opts, .fd = -1, .signal_fd = -1};
	loom_buf_init(&screen->waiting, WAITING_MAX);
	if (!isatty(opts->in) || !isatty(opts->out))
		return loom_fail(err, LOOM_REFUSED, "there is no terminal to draw on");
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return loom_fail(err, LOOM_IO, "cannot create a pipe for signals: %s",
				 strerror(errno));
	screen->fd = open_own(opts->out);
	screen->signal_fd = ends[0];
	open_screen.pipe = ends[1];
	open_screen.out = opts->out;
	open_screen.owner = getpid();
	tcgetattr(opts->out, &open_screen.saved);
	watch_exits();
	catch_signals();
	tui_screen_enter(screen);
	return LOOM_OK;
}

/* Sends as much pending output as the terminal takes. */
static void flush(struct tui_screen *screen)
{
	int fd = screen->fd >= 0 ? screen->fd : screen->opts.out;

	while (tui_screen_busy(screen)) {
		ssize_t n = write(fd, screen->waiting.p + screen->sent,
				  screen->waiting.n - screen->sent);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			screen->gone = screen->gone || errno != EAGAIN;
			break;
		}
		screen->sent += (size_t)n;
		screen->bytes_out += (uint64_t)n;
		screen->writes++;
	}
	if (screen->gone || !tui_screen_busy(screen)) {
		loom_buf_clear(&screen->waiting);
		screen->sent = 0;
	}
}

/* Waits for the terminal to take the pending output, as long as it makes progress: a farewell must
 * not be cut short. */
static void drain(struct tui_screen *screen)
{
	while (tui_screen_busy(screen) && !screen->gone) {
		struct pollfd room = {.fd = screen->fd, .events = POLLOUT};
		int ready = poll(&room, 1, DRAIN_MS);

		if (ready == 0 || (ready < 0 && errno != EINTR))
			return;
		flush(screen);
	}
}

void tui_screen_leave(struct tui_screen *screen, struct loom_str last)
{
	if (!screen->up)
		return;
	tui_screen_write(screen, last);
	drain(screen);
	if (tui_screen_busy(screen)) /* `last` was not sent, so neither was the way back */
		put_back(CRASH_OFF, sizeof(CRASH_OFF) - 1);
	else
		put_back(ALL_OFF, sizeof(ALL_OFF) - 1);
	screen->up = false;
	loom_buf_clear(&screen->waiting);
	screen->sent = 0;
}

void tui_screen_close(struct tui_screen *screen, struct loom_str last)
{
	if (!screen || screen->signal_fd < 0)
		return;
	tui_screen_leave(screen, last);
	release_signals();
	close(open_screen.pipe);
	close(screen->signal_fd);
	if (screen->fd >= 0)
		close(screen->fd);
	screen->fd = -1;
	screen->signal_fd = -1;
	loom_buf_fini(&screen->waiting);
}

void tui_screen_stop(struct tui_screen *screen, struct loom_str last)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction ours;

	tui_screen_leave(screen, last);
	sigemptyset(&standard.sa_mask);
	sigaction(SIGTSTP, &standard, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	tcgetattr(screen->opts.out, &open_screen.saved);
	tui_screen_enter(screen);
}

void tui_screen_mouse(struct tui_screen *screen, bool on)
{
	screen->opts.mouse = on;
	tui_screen_write(screen, on ? LOOM_STR(MOUSE_ON) : LOOM_STR(MOUSE_OFF));
}

void tui_screen_size(const struct tui_screen *screen, int *w, int *h)
{
	struct winsize size = {.ws_col = 0};

	ioctl(screen->opts.out, TIOCGWINSZ, &size);
	*w = size.ws_col > 0 ? size.ws_col : 80;
	*h = size.ws_row > 0 ? size.ws_row : 24;
}

/* --- bytes --- */

static int reading_fd(const struct tui_screen *screen)
{
	return screen->fd >= 0 ? screen->fd : screen->opts.in;
}

void tui_screen_wait(struct tui_screen *screen, struct pollfd *more, size_t count, int timeout_ms)
{
	struct pollfd all[16] = {
		{.fd = reading_fd(screen), .events = POLLIN},
		{.fd = screen->signal_fd, .events = POLLIN},
	};

	if (count > LOOM_COUNT(all) - 2)
		count = LOOM_COUNT(all) - 2;
	if (tui_screen_busy(screen))
		all[0].events |= POLLOUT;
	for (size_t i = 0; i < count; i++)
		all[2 + i] = more[i];
	if (poll(all, 2 + count, timeout_ms) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		more[i].revents = all[2 + i].revents;
	if (all[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		screen->gone = true;
	if (all[0].revents & POLLOUT)
		flush(screen);
}

static unsigned signal_bit(int number)
{
	switch (number) {
	case SIGWINCH:
		return TUI_SIGNAL_RESIZE;
	case SIGINT:
		return TUI_SIGNAL_INTERRUPT;
	case SIGTSTP:
		return TUI_SIGNAL_STOP;
	case SIGCONT:
		return TUI_SIGNAL_CONTINUE;
	case SIGTERM:
		return TUI_SIGNAL_LEAVE;
	default:
		return TUI_SIGNAL_HANGUP;
	}
}

unsigned tui_screen_signals(struct tui_screen *screen)
{
	unsigned char numbers[64];
	unsigned set = screen->gone ? TUI_SIGNAL_HANGUP : 0;
	ssize_t n;

	while ((n = read(screen->signal_fd, numbers, sizeof(numbers))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			set |= signal_bit(numbers[i]);
		screen->signals += (uint64_t)n;
	}
	if (set & TUI_SIGNAL_CONTINUE && screen->up) { /* the shell may have changed the modes */
		raw_mode(screen->opts.out);
		tui_screen_write(screen, LOOM_STR(MODES_ON));
		tui_screen_mouse(screen, screen->opts.mouse);
	}
	return set;
}

/* Without a description of our own a read would block, so ask first. */
static bool readable(const struct tui_screen *screen)
{
	struct pollfd in = {.fd = screen->opts.in, .events = POLLIN};

	return screen->fd >= 0 || (poll(&in, 1, 0) > 0 && in.revents & POLLIN);
}

bool tui_screen_read(struct tui_screen *screen, struct loom_buf *into)
{
	char bytes[65536];
	ssize_t n = 1;

	while (n > 0 && readable(screen)) {
		n = read(reading_fd(screen), bytes, sizeof(bytes));
		if (n > 0) {
			loom_buf_add(into, loom_str_make(bytes, (size_t)n));
			screen->bytes_in += (uint64_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			screen->gone = true;
		}
	}
	return !screen->gone;
}

bool tui_screen_busy(const struct tui_screen *screen)
{
	return screen->sent < screen->waiting.n;
}

void tui_screen_write(struct tui_screen *screen, struct loom_str bytes)
{
	if (bytes.n == 0 || screen->gone)
		return;
	loom_buf_add(&screen->waiting, bytes);
	flush(screen);
}

void tui_screen_idle(struct tui_screen *screen)
{
	char line[96];
	int n;

	if (screen->opts.idle_fd < 0)
		return;
	n = snprintf(line, sizeof(line), "%llu %llu %llu %llu\n",
		     (unsigned long long)++screen->idles, (unsigned long long)screen->bytes_in,
		     (unsigned long long)screen->signals, (unsigned long long)screen->bytes_out);
	(void)!write(screen->opts.idle_fd, line, (size_t)n);
}
