/* KoboldAI: version 1 (also Kobold Lite, with other branches) and version 2 (United).
 *
 * The prompt is the root, and each action a node below the previous one, with the options not taken
 * as siblings. Other branches of Lite are merged where they share a beginning. */
#include <loom/base/sort.h>

#include <loom/import/reader_kit.h>

struct story {
	struct loom_import *import;
	uint64_t last; /* the number of the last node */
	uint64_t tip;  /* the previous action's node */
};

static struct loom_str id_of(struct story *story, uint64_t number)
{
	return loom_arena_format(import_scratch(story->import), "%llu", (unsigned long long)number);
}

struct piece {
	struct loom_str text;
	struct loom_str extra;
	enum import_role role;
	uint64_t parent; /* 0: none */
	int64_t created; /* ms; 0: unknown */
	bool pinned;
};

static enum loom_status put(struct story *story, const struct piece *piece, uint64_t *out_number,
			    struct loom_err *err)
{
	struct import_node node = {
		.id = id_of(story, ++story->last),
		.anonymous = true,
		.parent = piece->parent ? id_of(story, piece->parent) : LOOM_STR(""),
		.role = piece->role,
		.created = piece->created,
		.text = piece->text,
		.extra = piece->extra,
		.bookmarked = piece->pinned,
	};

	*out_number = story->last;
	return import_node(story->import, &node, err);
}

static bool recognise(const struct import_source *source)
{
	if (!source->json || !import_has(source, "prompt", LOOM_JTYPE_STRING))
		return false;
	return import_has(source, "actions", LOOM_JTYPE_ARRAY) ||
	       (import_has(source, "actions", LOOM_JTYPE_OBJECT) &&
		(import_has(source, "file_version", LOOM_JTYPE_NONE) ||
		 import_has(source, "gamestarted", LOOM_JTYPE_NONE)));
}

/* ---- version 1 ---- */

/* The options of an action, without the one taken. */
struct offers {
	const char *text_key;
	const struct import_fields *fields; /* the fields of an option */
	struct loom_str list;
	struct loom_str taken;
	uint64_t parent;
	uint64_t node; /* the node of the option taken; 0: none */
	int64_t created;
};

#define OPTION_KNOWN "Previous Selection|Edited|Editable|Probabilities|stream_id"
static const struct import_fields option_one = {.where = "option",
						.used = "Text:s|Pinned:b",
						.known = OPTION_KNOWN};
static const struct import_fields option_two = {.where = "option",
						.used = "text:s|Pinned:b",
						.known = OPTION_KNOWN};

/* Keeps a value of an unexpected type as a member of the rest. */
static void keep_odd(struct story *story, const char *what, struct loom_str value,
		     const char *types, struct loom_buf *out)
{
	if (!import_is_odd(story->import, what, value, types))
		return;
	loom_buf_addf(out, "%s\"%s\":", out->n > 1 ? "," : "", what);
	import_keep(story->import, value, out);
}

#define ACTION_KNOWN                                                                               \
	"WI Text|WI Search Text|Probabilities|Original Text|Buffer|picture_filename|"              \
	"picture_prompt|picture_displayed"
static const struct import_fields action_one = {.where = "action",
						.used = "Selected Text:s|Alternative Text:a",
						.known = ACTION_KNOWN};
static const struct import_fields action_two = {.where = "action",
						.used = "Selected Text:s|Options:a|Time:ns",
						.known = ACTION_KNOWN};

/* The extra members of the text taken, as an object: those of the action and of its option.
 * `listed` is its entry in version 1's list, absent in version 2. */
static struct loom_str said_of(struct story *story, const struct offers *offers,
			       struct loom_str action, struct loom_str listed)
{
	struct loom_jwalk walk = loom_jval_walk(offers->list);
	struct loom_buf out = IMPORT_BUF(story->import);
	struct loom_buf option = IMPORT_BUF(story->import);
	struct loom_str offer;
	struct loom_str made;

	loom_buf_addc(&out, '{');
	import_rest(story->import, action, listed.p ? &action_one : &action_two, &out);
	keep_odd(story, "metadata", action, "o", &out);
	keep_odd(story, "action", listed, "s", &out);
	if (listed.p && offers->taken.n &&
	    !loom_str_eq(offers->taken, import_string(story->import, listed))) {
		loom_buf_adds(&out, out.n > 1 ? ",\"Selected Text\":" : "\"Selected Text\":");
		loom_json_quote(offers->taken, &out);
	}
	while (!walk.object && loom_jwalk_next(&walk, NULL, &offer)) {
		struct loom_str text = import_text(story->import, offer, offers->text_key);

		if (!text.n || !loom_str_eq(text, offers->taken))
			continue;
		import_rest(story->import, offer, offers->fields, &option);
		break;
	}
	if (option.n)
		loom_buf_addf(&out, "%s\"option\":{%s}", out.n > 1 ? "," : "",
			      loom_buf_cstr(&option));
	loom_buf_addc(&out, '}');
	made = loom_arena_buf(import_scratch(story->import), &out);
	loom_buf_fini(&option);
	loom_buf_fini(&out);
	return made;
}

/* The option taken already is a node, and gets the option's extra members. */
static enum loom_status put_taken(struct story *story, const struct offers *offers, bool pinned,
				  struct loom_err *err)
{
	const struct import_mark pin = {.id = id_of(story, offers->node), .kind = IMPORT_BOOKMARK};

	return pinned && offers->node ? import_mark(story->import, &pin, err) : LOOM_OK;
}

/* An option without text becomes a node only if it has other members. */
static enum loom_status put_offer(struct story *story, const struct offers *offers,
				  struct loom_str offer, struct loom_err *err)
{
	struct loom_buf rest = IMPORT_BUF(story->import);
	struct piece piece = {.role = IMPORT_MODEL,
			      .parent = offers->parent,
			      .created = offers->created};
	uint64_t number = 0;
	enum loom_status status = LOOM_OK;

	piece.text = loom_jval_type(offer) == LOOM_JTYPE_OBJECT
			     ? import_text(story->import, offer, offers->text_key)
			     : import_string(story->import, offer);
	piece.pinned = loom_str_is(loom_jval_get(offer, "Pinned"), "true");
	if (piece.text.n && loom_str_eq(piece.text, offers->taken))
		return put_taken(story, offers, piece.pinned, err);
	loom_buf_addc(&rest, '{');
	import_rest(story->import, offer, offers->fields, &rest);
	keep_odd(story, "option", offer, "so", &rest);
	loom_buf_addc(&rest, '}');
	piece.extra = loom_buf_str(&rest);
	if (piece.text.n || rest.n > 2)
		status = put(story, &piece, &number, err);
	loom_buf_fini(&rest);
	return status;
}

static enum loom_status put_offers(struct story *story, const struct offers *offers,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(offers->list);
	struct loom_str offer;
	enum loom_status status = LOOM_OK;

	while (!walk.object && status == LOOM_OK && loom_jwalk_next(&walk, NULL, &offer))
		status = put_offer(story, offers, offer, err);
	return status;
}

/* Adds an action of the list, with its entry in the map of metadata. */
static enum loom_status put_listed(struct story *story, struct loom_str metadata, size_t i,
				   struct loom_str action, struct loom_err *err)
{
	char key[32];
	struct piece piece = {.text = import_string(story->import, action), .parent = story->tip};
	struct offers offers = {.text_key = "Text", .fields = &option_one, .parent = story->tip};
	struct loom_str entry;
	enum loom_status status;

	snprintf(key, sizeof key, "%zu", i);
	entry = loom_jval_get(metadata, key);
	offers.taken = import_text(story->import, entry, "Selected Text");
	offers.list = loom_jval_get(entry, "Alternative Text");
	piece.extra = said_of(story, &offers, entry, action);
	status = put(story, &piece, &story->tip, err);
	offers.node = story->tip;
	return status == LOOM_OK ? put_offers(story, &offers, err) : status;
}

/* ---- other branches of Lite ---- */

/* The texts of the active branch and of the branches read so far, as a trie. */
struct step {
	struct loom_str text;
	uint64_t number;
	uint32_t first;
	uint32_t next;
};
struct trie {
	struct loom_pages *pages;
	struct step *steps;
	size_t count;
	size_t cap;
};

static uint32_t add_step(struct trie *trie, uint32_t parent, struct loom_str text, uint64_t number)
{
	const size_t old = trie->cap * sizeof *trie->steps;

	if (trie->count == trie->cap) {
		trie->cap = trie->cap ? trie->cap * 2 : 64;
		trie->steps = loom_pages_resize(trie->pages, trie->steps, old,
						trie->cap * sizeof *trie->steps);
	}
	trie->steps[trie->count] = (struct step){.text = text, .number = number};
	if (parent) {
		trie->steps[trie->count].next = trie->steps[parent - 1].first;
		trie->steps[parent - 1].first = (uint32_t)trie->count + 1;
	}
	return (uint32_t)++trie->count;
}

static uint32_t find_step(const struct trie *trie, uint32_t parent, struct loom_str text)
{
	uint32_t n = parent ? trie->steps[parent - 1].first : 0;

	while (n && !loom_str_eq(trie->steps[n - 1].text, text))
		n = trie->steps[n - 1].next;
	return n;
}

/* The active branch uses the numbers of its nodes: 1 is the prompt. */
static void grow_active(struct trie *trie, const struct import_source *source,
			const uint64_t *numbers)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "actions"));
	struct loom_str action;
	uint32_t at = add_step(trie, 0, import_member(source, "prompt"), numbers[0]);

	for (size_t i = 1; loom_jwalk_next(&walk, NULL, &action); i++)
		at = add_step(trie, at, action, numbers[i]);
}

/* Keeps a member with the tree, for lack of a node. */
static void keep_beside(struct story *story, const char *what, struct loom_str value,
			const char *types)
{
	struct loom_buf out = IMPORT_BUF(story->import);

	keep_odd(story, what, value, types, &out);
	import_beside_tree(story->import, loom_buf_str(&out));
	loom_buf_fini(&out);
}

static struct loom_str odd_action(struct story *story, struct loom_str action)
{
	struct loom_buf out = IMPORT_BUF(story->import);
	struct loom_str made;

	loom_buf_addc(&out, '{');
	keep_odd(story, "action", action, "s", &out);
	loom_buf_addc(&out, '}');
	made = loom_arena_buf(import_scratch(story->import), &out);
	loom_buf_fini(&out);
	return made;
}

static enum loom_status put_branch(struct story *story, struct trie *trie, struct loom_str branch,
				   struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(branch);
	struct loom_str text;
	uint32_t at = 1;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &text); i++) {
		uint32_t known = i ? find_step(trie, at, text) : 0;
		struct piece piece = {.text = import_string(story->import, text),
				      .parent = trie->steps[at - 1].number};
		uint64_t number = 0;

		if (i == 0 && loom_str_eq(text, trie->steps[0].text))
			continue;
		if (!known) {
			piece.extra = odd_action(story, text);
			status = put(story, &piece, &number, err);
			known = add_step(trie, at, text, number);
		}
		at = known;
	}
	return status;
}

static enum loom_status put_branches(struct story *story, const struct import_source *source,
				     const uint64_t *numbers, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "altbranches"));
	struct trie trie = {.pages = import_pages(story->import)};
	struct loom_str branch;
	enum loom_status status = LOOM_OK;

	if (walk.object || !walk.rest.n)
		return LOOM_OK;
	grow_active(&trie, source, numbers);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &branch))
		if (loom_jval_type(branch) == LOOM_JTYPE_ARRAY)
			status = put_branch(story, &trie, branch, err);
		else
			keep_beside(story, "branch", branch, "a");
	loom_pages_return(trie.pages, trie.steps, trie.cap * sizeof *trie.steps);
	return status;
}

/* Keeps metadata of actions that are not in the list with the tree. */
static void keep_metadata(struct story *story, struct loom_str metadata, size_t count)
{
	struct loom_jwalk walk = loom_jval_walk(metadata);
	struct loom_buf rest = IMPORT_BUF(story->import);
	struct loom_str key;
	struct loom_str entry;

	while (walk.object && loom_jwalk_next(&walk, &key, &entry)) {
		uint64_t number = 0;

		if (loom_jval_is_null(entry) ||
		    (loom_str_to_u64(loom_str_sub(key, 1, key.n - 2), &number) && number < count))
			continue;
		import_note(story->import, IMPORT_NOT_UNDERSTOOD,
			    "actions_metadata without an action");
		loom_buf_addf(&rest, "%s%.*s:", rest.n ? "," : "\"actions_metadata\":{",
			      LOOM_STR_ARG(key));
		import_keep(story->import, entry, &rest);
	}
	if (rest.n) {
		loom_buf_addc(&rest, '}');
		import_beside_tree(story->import, loom_buf_str(&rest));
	}
	loom_buf_fini(&rest);
}

static enum loom_status read_one(struct story *story, const struct import_source *source,
				 struct loom_err *err)
{
	const size_t count = loom_jval_count(import_member(source, "actions")) + 1;
	struct loom_str metadata = import_member(source, "actions_metadata");
	uint64_t *numbers = loom_pages_take(import_pages(story->import), count * sizeof *numbers);
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "actions"));
	struct loom_str action;
	enum loom_status status = LOOM_OK;

	numbers[0] = story->tip;
	for (size_t i = 0; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &action); i++) {
		status = put_listed(story, metadata, i, action, err);
		numbers[i + 1] = story->tip;
		loom_arena_reset(import_scratch(story->import));
	}
	keep_metadata(story, metadata, count - 1);
	if (status == LOOM_OK)
		status = put_branches(story, source, numbers, err);
	loom_pages_return(import_pages(story->import), numbers, count * sizeof *numbers);
	return status;
}

/* ---- version 2 ---- */

static enum loom_status put_action(struct story *story, uint64_t number, struct loom_str action,
				   struct loom_err *err)
{
	struct loom_str text = import_text(story->import, action, "Selected Text");
	struct piece piece = {.text = text,
			      .parent = story->tip,
			      .created = import_time(story->import, loom_jval_get(action, "Time"))};
	struct offers offers = {.text_key = "text",
				.fields = &option_two,
				.list = loom_jval_get(action, "Options"),
				.taken = text,
				.parent = story->tip,
				.created = piece.created};
	enum loom_status status = LOOM_OK;

	piece.extra = said_of(story, &offers, action, (struct loom_str){NULL, 0});
	if (text.n) {
		status = put(story, &piece, &story->tip, err);
		offers.node = story->tip;
	} else if (piece.extra.n > 2) {
		import_beside_tree(story->import, loom_arena_format(import_scratch(story->import),
								    "\"action %llu\":%.*s",
								    (unsigned long long)number,
								    LOOM_STR_ARG(piece.extra)));
	}
	return status == LOOM_OK ? put_offers(story, &offers, err) : status;
}

/* The number in a key; UINT64_MAX if it is not a number. */
static uint64_t number_of(struct loom_str key)
{
	uint64_t number = UINT64_MAX;

	return loom_str_to_u64(loom_str_sub(key, 1, key.n - 2), &number) ? number : UINT64_MAX;
}

/* Collects each action's number and the position of its key. */
static size_t rank_actions(struct story *story, struct loom_str actions, uint64_t *ranks)
{
	struct loom_jwalk walk = loom_jval_walk(actions);
	size_t count = 0;
	struct loom_str key;
	struct loom_str action;

	while (walk.object && loom_jwalk_next(&walk, &key, &action)) {
		const uint64_t number = number_of(key);

		if (number == UINT64_MAX)
			import_note(story->import, IMPORT_REPAIRED,
				    "an action without a number was put at the end");
		ranks[count++] = (number < UINT32_MAX ? number : UINT32_MAX) << 32 |
				 (uint32_t)(key.p - actions.p);
	}
	loom_sort_u64(ranks, count);
	return count;
}

/* The keys are numbers in any order; keys that are not numbers come last. */
static enum loom_status read_two(struct story *story, const struct import_source *source,
				 struct loom_err *err)
{
	struct loom_str actions = loom_jval_get(import_member(source, "actions"), "actions");
	struct loom_pages *pages = import_pages(story->import);
	const size_t size = loom_jval_count(actions) * sizeof(uint64_t);
	uint64_t *ranks = loom_pages_take(pages, size);
	const size_t count = rank_actions(story, actions, ranks);
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct loom_jwalk at = {.rest = loom_str_sub(actions, (uint32_t)ranks[i], SIZE_MAX),
					.object = true};
		struct loom_str key = {NULL, 0};
		struct loom_str action = {NULL, 0};

		if (loom_jwalk_next(&at, &key, &action))
			status = put_action(story, number_of(key), action, err);
		loom_arena_reset(import_scratch(story->import));
	}
	loom_pages_return(pages, ranks, size);
	return status;
}

/* ---- the file ---- */

static enum loom_status put_beside(struct loom_import *import, const struct import_source *source,
				   struct loom_err *err)
{
	static const char *const kinds[][2] = {{"memory", "memory"},
					       {"authorsnote", "author's note"},
					       {"authornote", "author's note"}};
	struct loom_buf world = IMPORT_BUF(import);
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(kinds) && status == LOOM_OK; i++) {
		struct loom_str text = import_string(import, import_member(source, kinds[i][0]));
		struct loom_str name = loom_arena_format(import_scratch(import), "%.*s %s",
							 LOOM_STR_ARG(source->name), kinds[i][1]);

		if (text.n)
			status = import_document(import, name, text, err);
	}
	if (loom_jval_count(import_member(source, "worldinfo")) && status == LOOM_OK) {
		import_keep(import, import_member(source, "worldinfo"), &world);
		status =
			import_document(import,
					loom_arena_format(import_scratch(import), "%.*s world info",
							  LOOM_STR_ARG(source->name)),
					loom_buf_str(&world), err);
	}
	loom_buf_fini(&world);
	return status;
}

#define FILE_USED                                                                                  \
	"prompt:s memory:s authorsnote:s authornote:s worldinfo:a file_version:ns gamestarted:b "

/* Keeps the file's other members about the story. */
static void keep_file(struct loom_import *import, const struct import_source *source)
{
	static const char known[] = "anotetemplate savedsettings wifolders_d wifolders_l "
				    "story_name extensions savedaestheticsettings";
	static const struct import_fields one = {.where = "file",
						 .used = FILE_USED
						 "actions:a actions_metadata:o altbranches:a",
						 .known = known};
	static const struct import_fields two = {.where = "file",
						 .used = FILE_USED "actions:o",
						 .known = known};
	static const struct import_fields within = {.where = "actions",
						    .used = "actions:o action_count:n"};
	struct loom_str actions = import_member(source, "actions");
	const bool list = loom_jval_type(actions) == LOOM_JTYPE_ARRAY;
	struct loom_buf rest = IMPORT_BUF(import);

	import_rest(import, source->first, list ? &one : &two, &rest);
	import_rest_as(import, "actions", actions, &within, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct story story = {.import = import};
	struct import_tree tree = {.title = source->name, .mode = LOOM_BUFFER};
	struct import_mark current = {.kind = IMPORT_CURRENT};
	struct piece prompt = {.text = import_string(import, import_member(source, "prompt")),
			       .role = IMPORT_HUMAN};
	enum loom_status status;

	import_begin(import, &tree);
	keep_file(import, source);
	status = put(&story, &prompt, &story.tip, err);
	if (status == LOOM_OK)
		status = import_has(source, "actions", LOOM_JTYPE_ARRAY)
				 ? read_one(&story, source, err)
				 : read_two(&story, source, err);
	current.id = id_of(&story, story.tip);
	if (status == LOOM_OK)
		status = import_mark(import, &current, err);
	return status == LOOM_OK ? put_beside(import, source, err) : status;
}

const struct import_reader import_kobold = {
	.name = "kobold",
	.title = "KoboldAI version 1 and 2 (United), Kobold Lite",
	.recognise = recognise,
	.read = read,
};
