/* Transcripts: what calls print in the tree of Marie. Each file of tests/cases/engine is a list of
 * scenes; a scene begins with its title and stands in a grove of its own.
 *
 *	@ title            a new scene
 *	@mode buffer       its tree is a buffer (dialogue)
 *	@may analyst       Claude's permissions, as `agent set --permissions` takes them (all)
 *	@answer TEXT       a model's next answer; said several times: several of them
 *	> LINE             a line of a turn; those that follow belong to the same turn
 *	anything else      what the turn prints: the results of its calls, a blank line between two
 *
 * Lines that begin with # are comments. How large a context is stands as N. */
#include <greatest.h>

#include "support/marie.h"

#define ANSWERS 10

struct scene {
	struct marie marie;
	bool open;
	enum loom_mode mode;
	struct loom_str title;
	const char *answers[ANSWERS];
	size_t answer_count;
	struct loom_buf said;
	struct loom_buf wanted;
	struct loom_buf got;
	int wrong;
	int turns;
};

static void trim_end(struct loom_buf *text)
{
	while (text->n && text->p[text->n - 1] == '\n')
		text->n--;
}

static void see(void *ctx)
{
	struct scene *scene = ctx;
	const struct loom_result *result = &scene->marie.last;
	static const struct loom_str size = LOOM_STR_INIT("\nContext: ");
	size_t at = loom_str_find(result->text, size, 0);
	size_t rest = at == SIZE_MAX ? at : loom_str_find(result->text, LOOM_STR(" tokens"), at);

	if (scene->got.n)
		loom_buf_adds(&scene->got, "\n\n");
	marie_translate(&scene->marie, loom_str_sub(result->text, 0, at), false, &scene->got);
	if (rest == SIZE_MAX)
		return;
	loom_buf_addf(&scene->got, "%sN", size.p);
	loom_buf_add(&scene->got, loom_str_sub(result->text, rest, result->text.n));
}

static void open_scene(struct scene *scene)
{
	if (!scene->open)
		marie_init(&scene->marie, scene->mode);
	scene->open = true;
}

/* One turn, its results without the lines of the calls. */
static void play(struct scene *scene)
{
	scene->marie.answers = scene->answers;
	scene->marie.answer_count = scene->answer_count;
	loom_buf_clear(&scene->got);
	marie_turn(&scene->marie, loom_buf_cstr(&scene->said), see, scene);
}

/* What was said and what had to be printed are both there: plays it. */
static void finish_turn(struct scene *scene)
{
	if (!scene->said.n)
		return;
	open_scene(scene);
	play(scene);
	trim_end(&scene->wanted);
	trim_end(&scene->got);
	scene->turns++;
	if (!loom_str_eq(loom_buf_str(&scene->got), loom_buf_str(&scene->wanted))) {
		scene->wrong++;
		printf("--- %.*s\n%s--- wanted\n%s\n--- got\n%s\n", LOOM_STR_ARG(scene->title),
		       loom_buf_cstr(&scene->said), loom_buf_cstr(&scene->wanted),
		       loom_buf_cstr(&scene->got));
	}
	loom_buf_clear(&scene->said);
	loom_buf_clear(&scene->wanted);
}

static void finish_scene(struct scene *scene)
{
	finish_turn(scene);
	if (scene->open)
		marie_fini(&scene->marie);
	scene->open = false;
	scene->mode = LOOM_DIALOGUE;
	scene->answer_count = 0;
	loom_buf_clear(&scene->wanted);
}

static void set_permissions(struct scene *scene, struct loom_str text)
{
	struct loom_err err = {.status = LOOM_OK};
	unsigned may = 0;

	open_scene(scene);
	marie_must(loom_grant_parse(text, &may, &err), &err);
	marie_grant(&scene->marie, may);
}

static void add_answer(struct scene *scene, struct loom_str text)
{
	open_scene(scene);
	if (scene->answer_count < ANSWERS)
		scene->answers[scene->answer_count++] =
			loom_arena_cstr(scene->marie.grove.arena, text);
}

static void direct(struct scene *scene, struct loom_str line)
{
	struct loom_str word;
	struct loom_str rest = line;

	(void)loom_str_cut(&rest, ' ', &word);
	if (loom_str_is(word, "@")) {
		finish_scene(scene);
		scene->title = rest;
		return;
	}
	finish_turn(scene);
	if (loom_str_is(word, "@mode"))
		scene->mode = loom_str_is(rest, "buffer") ? LOOM_BUFFER : LOOM_DIALOGUE;
	else if (loom_str_is(word, "@may"))
		set_permissions(scene, rest);
	else if (loom_str_is(word, "@answer"))
		add_answer(scene, rest);
}

static void read_line(struct scene *scene, struct loom_str line)
{
	if (loom_str_starts(line, LOOM_STR("#")) && !scene->said.n)
		return;
	if (loom_str_starts(line, LOOM_STR("@"))) {
		direct(scene, line);
	} else if (loom_str_starts(line, LOOM_STR("> ")) || loom_str_is(line, ">")) {
		if (scene->wanted.n)
			finish_turn(scene);
		loom_buf_add(&scene->said, loom_str_sub(line, 2, line.n));
		loom_buf_addc(&scene->said, '\n');
	} else if (scene->said.n) {
		loom_buf_add(&scene->wanted, line);
		loom_buf_addc(&scene->wanted, '\n');
	}
}

static enum greatest_test_res plays(const char *name)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct scene scene = {.said = LOOM_BUF_INIT(LOOM_BUF_MAX),
			      .wanted = LOOM_BUF_INIT(LOOM_BUF_MAX),
			      .got = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_str rest;
	struct loom_str line;

	loom_buf_addf(&path, LOOM_SOURCE "/tests/cases/engine/%s", name);
	ASSERT(temp_read(loom_buf_cstr(&path), &text));
	rest = loom_buf_str(&text);
	while (rest.n && loom_str_line(&rest, &line))
		read_line(&scene, line);
	finish_scene(&scene);
	ASSERT(scene.turns > 3);
	ASSERT_EQ(0, scene.wrong);
	loom_buf_fini(&scene.said);
	loom_buf_fini(&scene.wanted);
	loom_buf_fini(&scene.got);
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	PASS();
}

TEST marks_print_as_the_page_says(void)
{
	CHECK_CALL(plays("marks"));
	PASS();
}

TEST memory_prints_as_the_page_says(void)
{
	CHECK_CALL(plays("memory"));
	PASS();
}

TEST documents_print_as_the_page_says(void)
{
	CHECK_CALL(plays("documents"));
	PASS();
}

TEST writing_prints_as_the_page_says(void)
{
	CHECK_CALL(plays("writing"));
	PASS();
}

TEST trees_print_as_the_page_says(void)
{
	CHECK_CALL(plays("trees"));
	PASS();
}

SUITE(cases_engine)
{
	RUN_TEST(marks_print_as_the_page_says);
	RUN_TEST(memory_prints_as_the_page_says);
	RUN_TEST(documents_print_as_the_page_says);
	RUN_TEST(writing_prints_as_the_page_says);
	RUN_TEST(trees_print_as_the_page_says);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(cases_engine);
	GREATEST_MAIN_END();
}
