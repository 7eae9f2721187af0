/* Whatever is typed, the program neither crashes nor hangs, restores the terminal and leaves a
 * sound grove. LOOM_TEST_SECONDS sets the duration. How much is typed, and when other writes are
 * noticed, depends on the machine: one seed may fail and pass. */
#include "greatest.h"

#include "screens/desk.h"
#include "screens/keys.h"
#include "support/clock.h"
#include "support/prop.h"

#include <signal.h>
#include <sys/wait.h>

#ifdef LOOM_INSTRUMENTED
#define USUAL_SECONDS 20
#else
#define USUAL_SECONDS 8
#endif

static const char *const lines[] = {
	"view r001",
	"prune ",
	"tree depth:3",
	"continue n:3",
	"respond ",
	"bookmark \"here\"",
	"search \"Marie\"",
	"stash \"a\" \"b\"",
	"pin ",
	"undo",
	"memory",
	"help continue",
	"new",
	"trees",
	"ops",
	"check --deep",
	"agent list",
	"theme light",
	"theme mono",
	"theme default",
	"doc list",
	"diff r001 r001",
	"log",
	"zzz \x1b",
	"think hm \xe2\x86\x90",
	"switch r001",
	"drop ",
	"events",
};

/* Answers and reports of terminals, whole, cut, and such as none sends. */
static const char *const reports[] = {
	"\x1b[<0;%d;%dM",
	"\x1b[<0;%d;%dm",
	"\x1b[<64;%d;%dM",
	"\x1b[<65;%d;%dM",
	"\x1b[<32;%d;%dM",
	"\x1b[%d;%dR",
	"\x1b[?%d;%dc",
	"\x1b[I",
	"\x1b[O",
	"\x1b[%d;",
	"\x1b]11;rgb:%d/%d/0\x1b\\",
	"\x1b]52;c;%d%d\x07",
	"\x1bP%d$r%d\x1b\\",
	"\x1b[200~",
	"\x1b[201~",
	"\x1b[1;%d%dA",
	"\x1b[M !%d%d",
	"\x1bO",
	"\x1b[%d%d~",
};

/* Bytes that the line discipline takes for signals are left out; they are tried separately. */
static void add_plain(struct loom_buf *out, struct loom_str bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		if (bytes.p[i] != 3 && bytes.p[i] != 0x1a && bytes.p[i] != 0x1c)
			loom_buf_addc(out, bytes.p[i]);
}

/* A key of the table, but rarely the one that leaves. */
static void add_key(struct prop *prop, struct loom_buf *out)
{
	const struct keys_row *row = &keys_rows[prop_below(prop, keys_count)];
	struct loom_str rest = loom_str_of(row->keys);
	struct loom_str view, spelled;
	size_t skip = prop_below(prop, 3);

	if (strcmp(row->name, "quit") == 0 && !prop_once_in(prop, 4))
		return;
	if (prop_once_in(prop, 12))
		loom_buf_addf(out, "%d", (int)prop_below(prop, 30));
	while (keys_next(&rest, &view, &spelled))
		if (skip-- == 0 || rest.n == 0) {
			(void)keys_bytes(spelled, (char)prop_between(prop, ' ', '~'), out);
			return;
		}
}

static void add_report(struct prop *prop, struct loom_buf *out)
{
	char text[64];

	/* all of them take two numbers at most */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, reports[prop_below(prop, LOOM_COUNT(reports))],
		 (int)prop_below(prop, 120), (int)prop_below(prop, 50));
#pragma GCC diagnostic pop
	loom_buf_adds(out, text);
}

static void add_paste(struct prop *prop, struct loom_buf *text, struct loom_buf *out)
{
	loom_buf_adds(out, "\x1b[200~");
	if (prop_once_in(prop, 2))
		loom_buf_adds(out, "\xe2\x86\x92 prune r001\rHuman: so\r");
	prop_bent_text(prop, prop_size(prop, 300), text);
	add_plain(out, loom_buf_str(text));
	loom_buf_adds(out, "\x1b[201~");
}

static void add_some(struct prop *prop, struct loom_buf *out)
{
	static const char *const ends[] = {"\r", "\x1b", "\t", "\x07", ""};
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	switch (prop_below(prop, 16)) {
	case 0:
		prop_text(prop, 1 + prop_below(prop, 8), &text);
		add_plain(out, loom_buf_str(&text));
		break;
	case 1:
		prop_bytes(prop, 1 + prop_below(prop, 8), &text);
		add_plain(out, loom_buf_str(&text));
		break;
	case 2:
		add_report(prop, out);
		break;
	case 3:
		if (prop_once_in(prop, 3))
			add_paste(prop, &text, out);
		break;
	case 4:
		loom_buf_addf(out, ":%s", lines[prop_below(prop, LOOM_COUNT(lines))]);
		loom_buf_adds(out, ends[prop_below(prop, LOOM_COUNT(ends))]);
		break;
	case 5:
		loom_buf_adds(out, prop_once_in(prop, 2) ? "/Step" : "iText ");
		loom_buf_adds(out, ends[prop_below(prop, LOOM_COUNT(ends))]);
		break;
	default:
		add_key(prop, out);
	}
	loom_buf_fini(&text);
}

static struct pty *open_here(struct desk *desk)
{
	static char variables[3][600];
	const char *const argv[] = {"/bin/sh", "-c", "cd \"$HOME\" && exec \"$LOOM\"", NULL};
	const char *const env[] = {variables[0], variables[1], "EDITOR=true", NULL};
	struct pty_opts opts = {.argv = argv, .env = env};
	struct pty *pty;

	snprintf(variables[0], sizeof variables[0], "HOME=%s", desk->grove.temp.path);
	snprintf(variables[1], sizeof variables[1], "LOOM=%s", SCREENS_LOOM);
	pty = pty_open(&opts);
	pty_settle(pty);
	return pty;
}

/* Ends it, if it has not ended itself; NULL when that went as it should. */
static const char *wrong_end(struct pty *pty, bool ended)
{
	int status;

	if (!ended)
		pty_signal(pty, SIGTERM);
	status = pty_finish(pty);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "status %x; the last screen:\n%s\n", (unsigned)status,
			pty_text(pty));
		return "it did not end well";
	}
	if (strcmp(pty_modes(pty), "cursor") != 0) {
		fprintf(stderr, "modes: %s; the last screen:\n%s\n", pty_modes(pty), pty_text(pty));
		return "the terminal is not as it was";
	}
	return NULL;
}

/* One sitting: types until the program ends or time is up. */
static const char *sit(struct prop *prop, struct desk *desk, int64_t until, size_t *events)
{
	struct pty *pty = open_here(desk);
	struct loom_buf keys = LOOM_BUF_INIT(1 << 16);
	const char *wrong = NULL;
	bool runs = true;

	while (runs && clock_ms() < until) {
		loom_buf_clear(&keys);
		for (size_t i = prop_below(prop, 30); keys.n < 600 && i > 0; i--)
			add_some(prop, &keys);
		*events += keys.n;
		if (prop_once_in(prop, 40))
			pty_resize(pty, (int)prop_between(prop, 1, 160),
				   (int)prop_between(prop, 1, 50));
		pty_write(pty, loom_buf_str(&keys));
		runs = pty_settled(pty);
		if (runs && prop_once_in(prop, 60))
			pty_signal_key(pty, 3);
	}
	wrong = wrong_end(pty, !runs);
	if (wrong)
		pty_show_typed(pty);
	loom_buf_fini(&keys);
	pty_close(pty);
	return wrong;
}

static bool grove_is_right(const struct desk *desk)
{
	char command[1200];

	snprintf(command, sizeof command, "HOME='%s' '%s' -g '%s' check --deep",
		 desk->grove.temp.path, SCREENS_LOOM, desk->grove.temp.path);
	return system(command) == 0;
}

static int64_t seconds(void)
{
	const char *wish = getenv("LOOM_TEST_SECONDS");

	return wish ? atoll(wish) : USUAL_SECONDS;
}

TEST any_keys_leave_terminal_and_grove_whole(void)
{
	struct prop prop;
	struct desk desk;
	size_t sittings = 0, bytes = 0;
	int64_t until = clock_ms() + seconds() * 1000;
	const char *wrong = NULL;

	prop_init(&prop, "keys");
	while (!wrong && clock_ms() < until) {
		int64_t part = clock_ms() + 20000;

		desk_init(&desk, sittings % 2 ? LOOM_BUFFER : LOOM_DIALOGUE);
		for (int i = 0; i < 8 && !wrong && clock_ms() < until; i++, sittings++)
			wrong = sit(&prop, &desk, part < until ? part : until, &bytes);
		if (!wrong && !grove_is_right(&desk))
			wrong = "the grove is not consistent";
		desk_fini(&desk);
	}
	printf("%zu bytes in %zu sittings\n", bytes, sittings);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST the_table_of_keys_has_bytes_for_every_key(void)
{
	struct loom_buf bytes = LOOM_BUF_INIT(1000);

	for (size_t i = 0; i < keys_count; i++) {
		struct loom_str rest = loom_str_of(keys_rows[i].keys);
		struct loom_str view, spelled;

		while (keys_next(&rest, &view, &spelled)) {
			loom_buf_clear(&bytes);
			ASSERTm(keys_rows[i].keys, keys_bytes(spelled, 'a', &bytes));
			ASSERT(bytes.n > 0);
		}
	}
	loom_buf_fini(&bytes);
	PASS();
}

SUITE(random_keys)
{
	RUN_TEST(the_table_of_keys_has_bytes_for_every_key);
	RUN_TEST(any_keys_leave_terminal_and_grove_whole);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(random_keys);
	GREATEST_MAIN_END();
}
