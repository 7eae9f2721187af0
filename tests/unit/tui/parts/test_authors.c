/* Who wrote which part of an edited text, character by character. */
#include "greatest.h"

#include "support/grove.h"
#include "support/prop.h"
#include <loom/parts/authors.h>

struct world {
	struct grove grove;
	int64_t root;
};

static void set_up(struct world *world)
{
	grove_init(&world->grove);
	world->root = grove_root(&world->grove,
				 grove_tree(&world->grove, LOOM_BUFFER, "In the beginning. "));
}

static void tear_down(struct world *world)
{
	grove_fini(&world->grove);
}

static int64_t compose(struct world *world, int64_t author, const char *text)
{
	struct loom_node_spec spec = {.from = world->root,
				      .text = loom_str_of(text),
				      .author = author,
				      .seq = -1};
	struct loom_err err;
	int64_t node = 0;

	grove_begin(&world->grove, "respond");
	grove_must(loom_node_create(world->grove.store, &spec, &node, &err), &err, "write");
	grove_commit(&world->grove);
	return node;
}

static int64_t edit(struct world *world, int64_t from, int64_t author, const char *text)
{
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = author,
				      .seq = -1};
	struct loom_err err;
	int64_t node = 0;

	grove_begin(&world->grove, "edit");
	grove_must(loom_node_edit(world->grove.store, &spec, LOOM_EDIT_BY_MODE, &node, &err), &err,
		   "edit");
	grove_commit(&world->grove);
	return node;
}

/* The text with what the person wrote in brackets; borrowed until the next call. */
static const char *shown(struct world *world, int64_t node)
{
	static struct loom_buf out;
	struct loom_arena *arena = loom_arena_create();
	struct tui_shares shares;
	struct loom_node row;
	struct loom_err err;
	size_t at = 0;

	loom_buf_fini(&out);
	loom_buf_init(&out, 1 << 20);
	grove_must(loom_node_get(world->grove.store, node, LOOM_NODE_TEXT, arena, &row, &err), &err,
		   "text");
	tui_shares_read(world->grove.store, node, arena, &shares);
	for (size_t i = 0; i < shares.count; i++) {
		bool person = shares.items[i].author == world->grove.owner;

		loom_buf_addf(&out, "%s%.*s%s", person ? "[" : "",
			      LOOM_STR_ARG(loom_str_sub(row.text, at, shares.items[i].to - at)),
			      person ? "]" : "");
		at = shares.items[i].to;
	}
	loom_buf_add(&out, loom_str_sub(row.text, at, SIZE_MAX));
	loom_arena_destroy(arena);
	return loom_buf_cstr(&out);
}

TEST what_a_person_changed_is_his_and_the_rest_stays_the_models(void)
{
	static const struct {
		const char *before, *after, *shown;
	} cases[] = {
		{"Teh door stood open.", "The door stood open.", "T[he] door stood open."},
		/* Both ends at once: what lies between is nobody's change. */
		{"One door, one key.", "Two door, one kee.", "[Two] door, one ke[e]."},
		{"The door.", "The red door.", "The [red ]door."},
		{"The red door.", "The door.", "The door."},
		{"Gr\xc3\xb6\xc3\x9f"
		 "e",
		 "Gr\xc3\xb6\xc3\xa4"
		 "e",
		 "Gr\xc3\xb6[\xc3\xa4]e"},
		{"All of it.", "", ""},
		{"", "New.", "[New.]"},
		{"Same.", "Same. And more.", "Same.[ And more.]"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct world world;
		int64_t node;

		set_up(&world);
		node = compose(&world, world.grove.model, cases[i].before);
		node = edit(&world, node, world.grove.owner, cases[i].after);
		ASSERT_STR_EQ(cases[i].shown, shown(&world, node));
		tear_down(&world);
	}
	PASS();
}

TEST each_of_several_editors_keeps_what_is_left_of_his(void)
{
	struct world world;
	int64_t node;

	set_up(&world);
	node = compose(&world, world.grove.model, "The cat sat there.");
	node = edit(&world, node, world.grove.owner, "The black cat sat over there.");
	node = edit(&world, node, world.grove.model, "The black cat slept over there, purring.");
	ASSERT_STR_EQ("The [black ]cat slept[ over] there, purring.", shown(&world, node));
	tear_down(&world);
	PASS();
}

TEST shares_make_up_the_whole_text_whatever_was_done(void)
{
	static const char *const words[] = {"a",  "\xc3\xa9", " ",           "door",
					    "\n", ".",        "\xe4\xb8\xad"};
	struct prop prop;
	struct world world;

	prop_init(&prop, "authors");
	set_up(&world);
	for (int round = 0; round < 30; round++) {
		int64_t node = 0;

		for (int version = 0; version < 5; version++) {
			struct loom_buf text = LOOM_BUF_INIT(10000);
			struct loom_arena *arena = loom_arena_create();
			struct tui_shares shares;
			int64_t author = version % 2 ? world.grove.owner : world.grove.model;

			for (size_t i = 1 + prop_below(&prop, 40); i > 0; i--)
				loom_buf_adds(&text, words[prop_below(&prop, LOOM_COUNT(words))]);
			node = node ? edit(&world, node, author, loom_buf_cstr(&text))
				    : compose(&world, author, loom_buf_cstr(&text));
			tui_shares_read(world.grove.store, node, arena, &shares);
			ASSERT(shares.count > 0);
			ASSERT_EQ(text.n, shares.items[shares.count - 1].to);
			for (size_t i = 1; i < shares.count; i++) {
				ASSERT(shares.items[i].to > shares.items[i - 1].to);
				ASSERT(shares.items[i].author != shares.items[i - 1].author);
			}
			for (size_t i = 0; i + 1 < shares.count; i++)
				ASSERT((text.p[shares.items[i].to] & 0xc0) != 0x80);
			loom_arena_destroy(arena);
			loom_buf_fini(&text);
		}
	}
	tear_down(&world);
	PASS();
}

SUITE(authors)
{
	RUN_TEST(what_a_person_changed_is_his_and_the_rest_stays_the_models);
	RUN_TEST(each_of_several_editors_keeps_what_is_left_of_his);
	RUN_TEST(shares_make_up_the_whole_text_whatever_was_done);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(authors);
	GREATEST_MAIN_END();
}
