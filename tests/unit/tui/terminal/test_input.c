#include "greatest.h"

#include <loom/terminal/input.h>

/* Spells the events of some bytes: keys by name, others in braces. */
static void spell(const struct tui_event *event, struct loom_buf *out)
{
	const struct tui_mouse *mouse = &event->mouse;

	switch (event->kind) {
	case TUI_EVENT_KEY:
		tui_key_spell(event->key, out);
		break;
	case TUI_EVENT_PASTE:
		loom_buf_addf(out, "{paste %.*s}", LOOM_STR_ARG(event->text));
		break;
	case TUI_EVENT_REPLY:
		loom_buf_addf(out, "{reply %.*s}", LOOM_STR_ARG(event->text));
		break;
	case TUI_EVENT_MOUSE:
		loom_buf_addf(out, "{mouse %d %d %d,%d %d}", (int)mouse->kind, mouse->button,
			      mouse->x, mouse->y, mouse->mods);
		break;
	case TUI_EVENT_FOCUS:
		loom_buf_adds(out, event->focused ? "{in}" : "{out}");
		break;
	case TUI_EVENT_NONE:
		loom_buf_adds(out, "{}");
		break;
	}
}

static void take(struct tui_input *input, bool flush, struct loom_buf *out)
{
	struct tui_event event;

	while (tui_input_next(input, flush, &event))
		spell(&event, out);
}

struct row {
	const char *bytes, *events;
};

static const struct row rows[] = {
	{"jk", "jk"},
	{"\r\n\t", "<Enter><C-j><Tab>"},
	{"\x7f\b", "<Backspace><Backspace>"},
	{"\x01\x1a\x1f\x1d", "<C-a><C-z><C-_><C-]>"},
	{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x89", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\x89"},
	{"a\xff"
	 "b",
	 "a\xef\xbf\xbd"
	 "b"},
	{"\x1b[A\x1b[B\x1bOC\x1bOD", "<Up><Down><Right><Left>"}, /* both spellings */
	{"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1bOH", "<Home><End><Home><End><Home><Home>"},
	{"\x1b[5~\x1b[6~\x1b[3~\x1b[2~", "<PgUp><PgDn><Delete><Insert>"},
	{"\x1bOP\x1b[11~\x1b[24~\x1b[Z", "<F1><F1><F12><S-Tab>"},
	{"\x1b[1;5C\x1b[1;3A\x1b[1;2B\x1b[3;5~", "<C-Right><M-Up><S-Down><C-Delete>"},
	{"\x1b"
	 "b\x1b\xc3\xa9\x1b\x7f",
	 "<M-b><M-\xc3\xa9><M-Backspace>"},
	{"\x1b\x1b[A", "<M-Up>"},
	{"\x1b\x1bj", "<Esc><M-j>"},
	{"\x1b[27;5;105~\x1b[105;5u", "<C-i><C-i>"},
	{"\x1b[13u\x1b[9;2u", "<Enter><S-Tab>"},
	{"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<34;9;9M",
	 "{mouse 0 0 2,3 0}{mouse 1 0 2,3 0}{mouse 3 -1 0,0 0}{mouse 3 1 0,0 0}{mouse 2 2 8,8 0}"},
	{"\x1b[<0;0;0M", "{}"},
	{"\x1b[I\x1b[O", "{in}{out}"},
	{"\x1b[?2026;2$y\x1b[?62;c\x1b[24;80R", "{reply ?2026;2$y}{reply ?62;c}{reply 24;80R}"},
	{"\x1b]11;rgb:0000/0000/0000\x1b\\j", "{reply 11;rgb:0000/0000/0000}j"},
	{"\x1b]11;rgb:0000/0000/0000\aj", "{reply 11;rgb:0000/0000/0000}j"},
	{"\x1b_private\x1b\\j", "{}j"},
	{"\x1b[999999999999999999q"
	 "j",
	 "{}j"},
	{"\x1b[1\x01"
	 "j",
	 "{}<C-a>j"}, /* a control ends a broken sequence */
	{"\x1b[Mabcj", "{}j"},
	{"\x1b[200~a\rb\r\nc\x1b[201~j", "{paste a\nb\nc}j"},
	{"\x1b[200~\x1b[31mred\x07\x03\xc2\x9b\x1b[201~", "{paste [31mred}"},
	{"\x1b[200~\x1b[201~", "{paste }"},
	{"\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", "{paste a}{paste b}"},
	{"\x1b[200~safe\x1b[201~:quit\r\x1b[201~j", "{paste safe:quit\n}j"}, /* an end inside */
	{"\x1b[201~j", "{}j"},
};

TEST bytes_become_the_events_they_are(void)
{
	struct loom_buf out = LOOM_BUF_INIT(4096);

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct tui_input input;
		tui_input_init(&input);
		loom_buf_clear(&out);
		tui_input_feed(&input, loom_str_of(rows[i].bytes));
		take(&input, false, &out);
		ASSERT_STR_EQ(rows[i].events, loom_buf_cstr(&out));
		ASSERT_FALSE(tui_input_waiting(&input));
		tui_input_fini(&input);
	}
	loom_buf_fini(&out);
	PASS();
}

TEST bytes_that_come_one_by_one_mean_the_same(void)
{
	struct loom_buf out = LOOM_BUF_INIT(4096);

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct loom_str bytes = loom_str_of(rows[i].bytes);
		struct tui_input input;
		if (loom_str_find(bytes, LOOM_STR("safe"), 0) != SIZE_MAX)
			continue; /* an end inside a paste is only known when it all came */
		tui_input_init(&input);
		loom_buf_clear(&out);
		for (size_t at = 0; at < bytes.n; at++) {
			tui_input_feed(&input, loom_str_sub(bytes, at, 1));
			take(&input, false, &out);
		}
		ASSERT_STR_EQ(rows[i].events, loom_buf_cstr(&out));
		tui_input_fini(&input);
	}
	loom_buf_fini(&out);
	PASS();
}

TEST an_unfinished_sequence_is_what_it_is_when_flushed(void)
{
	static const struct row flushed[] = {
		{"\x1b", "<Esc>"},          {"\x1b[", "<M-[>"},
		{"\x1bO", "<M-O>"},         {"\x1b]", "<M-]>"},
		{"\x1b\x1b", "<Esc><Esc>"}, {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\x1b[1;", "{}"},          {"\x1b]11;rg", "{}"},
		{"j\x1b", "j<Esc>"},
	};
	struct loom_buf out = LOOM_BUF_INIT(4096);

	for (size_t i = 0; i < LOOM_COUNT(flushed); i++) {
		struct tui_input input;
		tui_input_init(&input);
		loom_buf_clear(&out);
		tui_input_feed(&input, loom_str_of(flushed[i].bytes));
		take(&input, false, &out);
		ASSERT(tui_input_waiting(&input));
		take(&input, true, &out);
		ASSERT_STR_EQ(flushed[i].events, loom_buf_cstr(&out));
		tui_input_fini(&input);
	}
	loom_buf_fini(&out);
	PASS();
}

TEST ten_megabytes_are_one_event(void)
{
	struct tui_input input;
	struct tui_event event;
	struct loom_buf chunk = LOOM_BUF_INIT(8192);
	size_t fed = 0;

	loom_buf_add_repeat(&chunk, 'x', 4095);
	loom_buf_addc(&chunk, '\r');
	tui_input_init(&input);
	tui_input_feed(&input, LOOM_STR("\x1b[200~"));
	while (fed < (size_t)10 << 20) {
		tui_input_feed(&input, loom_buf_str(&chunk));
		ASSERT_FALSE(tui_input_next(&input, false, &event));
		ASSERT_FALSE(tui_input_waiting(&input));
		fed += chunk.n;
	}
	tui_input_feed(&input, LOOM_STR("\x1b[20"));
	ASSERT_FALSE(tui_input_next(&input, true, &event));
	tui_input_feed(&input, LOOM_STR("1~"));
	ASSERT(tui_input_next(&input, false, &event));
	ASSERT_EQ(TUI_EVENT_PASTE, event.kind);
	ASSERT_EQ(fed, event.text.n);
	ASSERT_EQ('\n', event.text.p[4095]);
	loom_buf_fini(&chunk);
	tui_input_fini(&input);
	PASS();
}

TEST a_long_text_without_brackets_is_a_paste_and_held_keys_are_not(void)
{
	struct tui_input input;
	struct tui_event event;
	struct loom_buf text = LOOM_BUF_INIT(8192);

	for (int i = 0; i < 40; i++)
		loom_buf_adds(&text, "The house at the end of the street.\r");
	tui_input_init(&input);
	tui_input_feed(&input, loom_buf_str(&text));
	ASSERT(tui_input_next(&input, false, &event));
	ASSERT_EQ(TUI_EVENT_PASTE, event.kind);
	ASSERT_EQ(text.n, event.text.n);
	ASSERT_FALSE(tui_input_next(&input, false, &event));
	loom_buf_clear(&text);
	loom_buf_add_repeat(&text, 'j', 3000);
	tui_input_feed(&input, loom_buf_str(&text));
	ASSERT(tui_input_next(&input, false, &event));
	ASSERT_EQ(TUI_EVENT_KEY, event.kind);
	loom_buf_fini(&text);
	tui_input_fini(&input);
	PASS();
}

TEST a_paste_without_an_end_can_be_given_up(void)
{
	struct tui_input input;
	struct tui_event event;

	tui_input_init(&input);
	tui_input_feed(&input, LOOM_STR("\x1b[200~half"));
	ASSERT_FALSE(tui_input_next(&input, true, &event));
	tui_input_abandon(&input);
	ASSERT(tui_input_next(&input, false, &event));
	ASSERT(loom_str_is(event.text, "half"));
	tui_input_fini(&input);
	PASS();
}

TEST random_bytes_always_come_to_an_end(void)
{
	static const char alphabet[] = "\x1b\x1b[O]~;0123456789ABMmZ<?>\xc3\xa9\x7f\r\n\a\\uR";
	struct tui_input input;
	struct tui_event event;

	srand(3);
	tui_input_init(&input);
	for (int round = 0; round < 3000; round++) {
		char bytes[40];
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = rand() % 8 ? alphabet[(size_t)rand() % (sizeof(alphabet) - 1)]
					      : (char)rand();
		tui_input_feed(&input, loom_str_make(bytes, sizeof(bytes)));
		while (tui_input_next(&input, false, &event))
			;
		while (tui_input_next(&input, true, &event))
			;
		tui_input_abandon(&input);
		while (tui_input_next(&input, true, &event))
			;
		ASSERT_EQ(input.at, input.bytes.n);
	}
	tui_input_fini(&input);
	PASS();
}

SUITE(input)
{
	RUN_TEST(bytes_become_the_events_they_are);
	RUN_TEST(bytes_that_come_one_by_one_mean_the_same);
	RUN_TEST(an_unfinished_sequence_is_what_it_is_when_flushed);
	RUN_TEST(ten_megabytes_are_one_event);
	RUN_TEST(a_long_text_without_brackets_is_a_paste_and_held_keys_are_not);
	RUN_TEST(a_paste_without_an_end_can_be_given_up);
	RUN_TEST(random_bytes_always_come_to_an_end);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(input);
	GREATEST_MAIN_END();
}
