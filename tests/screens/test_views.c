/* Threads, payload and their kin on a real pty, as a person sees them. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/scene.h"

static const char *look(const char *name, const char *keys)
{
	static const int w[] = {40, 80, 140};
	static const int h[] = {10, 24, 34};
	const char *wrong = NULL;

	for (size_t i = 0; i < LOOM_COUNT(w) && !wrong; i++) {
		struct desk desk;
		struct pty *pty;
		char golden[100];

		desk_init(&desk, LOOM_DIALOGUE);
		scene_threads(&desk.grove.temp, &desk.grove.env);
		scene_talk(&desk.grove, desk.tree);
		scene_payload(&desk.grove.temp);
		pty = desk_open(&desk, w[i], h[i], NULL);
		pty_type(pty, keys);
		snprintf(golden, sizeof golden, "%s-%dx%d", name, w[i], h[i]);
		wrong = pty_golden(pty, golden);
		pty_close(pty);
		desk_fini(&desk);
	}
	return wrong;
}

/* Pastes as a terminal does: between its two marks, as one event. */
static void paste(struct pty *pty, const char *text)
{
	struct loom_buf bytes = LOOM_BUF_INIT(1 << 20);

	loom_buf_addf(&bytes, "\x1b[200~%s\x1b[201~", text);
	pty_type(pty, loom_buf_cstr(&bytes));
	loom_buf_fini(&bytes);
}

TEST a_paste_is_looked_through_before_anything_is_done(void)
{
	struct desk desk;
	struct pty *pty;
	const char *wrong;

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 80, 24, NULL);
	paste(pty, "Human: Who lives here?\r\rAssistant: Nobody, since the funeral.\r\r"
		   "\xe2\x86\x92 bookmark r001 \"here\"\r\rHuman: And the\xe2\x80\x8b light?\r");
	wrong = pty_golden(pty, "paste-80x24");
	ASSERT_EQm(wrong, NULL, wrong);
	pty_type(pty, "t");
	ASSERT(strstr(pty_text(pty), "nodes of the paste"));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST a_view_is_seen_as_it_was(const char *name, const char *keys)
{
	const char *wrong = look(name, keys);

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(views)
{
	RUN_TESTp(a_view_is_seen_as_it_was, "threads", "ohjjjj");
	RUN_TESTp(a_view_is_seen_as_it_was, "threads-ref", "oh jjjjjjjr");
	/* Filtered: the whole and its first parts say where the machine and the folder are. */
	RUN_TESTp(a_view_is_seen_as_it_was, "payload", "opfchapters\r");
	RUN_TESTp(a_view_is_seen_as_it_was, "payload-add", "opjachthr");
	RUN_TESTp(a_view_is_seen_as_it_was, "talk", "ohjjjj\r");
	RUN_TESTp(a_view_is_seen_as_it_was, "talk-unfolded", "ohjjjj\rggjljjl");
	RUN_TEST(a_paste_is_looked_through_before_anything_is_done);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(views);
	GREATEST_MAIN_END();
}
