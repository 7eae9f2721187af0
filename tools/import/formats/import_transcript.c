/* Transcripts as plain text or Markdown: turns, or a text without any. Invariants: a turn is a node
 * below the previous one, with an id derived from everything said so far, so that a transcript that
 * has grown or diverged joins the earlier one. A text without turns is one node of a buffer tree,
 * byte for byte, or its passages in a chain. pasted_turns.c finds the turns. */
#include <loom/formats/chats_kit.h>

#include <loom/text/quoting.h>

#include <loom/language/pasted_line.h>

/* The number of bytes examined to recognise text. */
#define LOOK_BYTES 65536

/* Unrecognised JSON or XML is not prose, and neither is text with control characters. */
static bool looks_like_text(struct loom_str text)
{
	struct loom_str head = loom_str_sub(text, 0, LOOK_BYTES);
	struct loom_str held = loom_str_trim(head);

	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];

		if ((c < 0x20 && !strchr("\t\n\r\f\x1B", c)) || c == 0)
			return false;
	}
	return held.n > 0;
}

static bool begins_as_data(struct loom_str text)
{
	struct loom_str held = loom_str_trim(loom_str_sub(text, 0, LOOK_BYTES));
	char c = held.n ? held.p[0] : '\0';

	if (c == '<')
		return !loom_str_starts(held, LOOM_STR("<thread_context"));
	return c == '{' || (c == '[' && held.n > 1 && strchr("{[\"] \n\r\t", held.p[1]));
}

static bool recognise(const struct import_source *source)
{
	return !source->json && !source->lines && looks_like_text(source->text) &&
	       !begins_as_data(source->text);
}

static enum import_role role_of(const struct loom_spoken *turn)
{
	switch (turn->speaker) {
	case LOOM_SPEAKER_HUMAN:
		return IMPORT_HUMAN;
	case LOOM_SPEAKER_MODEL:
		return IMPORT_MODEL;
	case LOOM_SPEAKER_SYSTEM:
		return IMPORT_SYSTEM;
	case LOOM_SPEAKER_TOOL:
		return IMPORT_TOOL;
	case LOOM_SPEAKER_UNKNOWN:
		break;
	}
	return IMPORT_UNKNOWN;
}

/* The model in a header: "Claude 3.5 Sonnet", but not "Assistant". */
static struct loom_str model_of(const struct loom_spoken *turn)
{
	static const struct loom_str roles[] = {
		LOOM_STR_INIT("assistant"), LOOM_STR_INIT("ai"),     LOOM_STR_INIT("bot"),
		LOOM_STR_INIT("model"),     LOOM_STR_INIT("llm"),    LOOM_STR_INIT("chatbot"),
		LOOM_STR_INIT("response"),  LOOM_STR_INIT("answer"), LOOM_STR_INIT("collaborator")};

	if (turn->name.n)
		return turn->name;
	for (size_t i = 0; i < LOOM_COUNT(roles); i++)
		if (loom_str_eq_fold(turn->author, roles[i]))
			return LOOM_STR("");
	return turn->author;
}

static void put_text(struct chats *chat, const char *key, struct loom_str text)
{
	struct loom_buf quoted = IMPORT_BUF(chat->import);

	if (!text.n)
		return;
	loom_json_quote(text, &quoted);
	chats_keep(chat, key, loom_buf_str(&quoted));
	loom_buf_fini(&quoted);
}

/* Parses "2026-01-02T03:04", as in our own export, or any other time; 0 for "3m ago". */
static int64_t time_of(struct loom_str when)
{
	struct loom_buf value = LOOM_BUF_INIT(1024);
	int64_t ms = 0;

	loom_buf_addc(&value, '"');
	loom_buf_add(&value, when);
	if (when.n == 16 && when.p[10] == 'T')
		loom_buf_adds(&value, ":00Z");
	loom_buf_addc(&value, '"');
	ms = value.bad ? 0 : import_time_of(loom_buf_str(&value));
	loom_buf_fini(&value);
	return ms;
}

/* A turn whose header has an id, and its id here once it has been read. */
struct named {
	struct loom_str id;
	struct loom_str here;
	size_t turn;
};

struct talk {
	struct chats chat;
	struct loom_arena *arena;
	const struct loom_turns *turns;
	struct named *named; /* sorted by id, then by turn */
	size_t count;
};

static int by_id(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int order = loom_str_cmp(x->id, y->id);

	return order ? order : (x->turn > y->turn) - (x->turn < y->turn);
}

static void list_names(struct talk *talk)
{
	const struct loom_turns *turns = talk->turns;

	talk->named = LOOM_ARENA_ARRAY(talk->arena, turns->count, struct named);
	for (size_t i = 0; i < turns->count; i++)
		if (turns->items[i].form == LOOM_TURNS_NODE)
			talk->named[talk->count++] =
				(struct named){.id = turns->items[i].id, .turn = i};
	qsort(talk->named, talk->count, sizeof *talk->named, by_id);
}

/* The first turn with this id from number `turn` on, or NULL. */
static struct named *find_name(struct talk *talk, struct loom_str id, size_t turn)
{
	const struct named wanted = {.id = id, .turn = turn};
	size_t low = 0;
	size_t high = talk->count;

	while (low < high) {
		size_t at = low + (high - low) / 2;

		if (by_id(&talk->named[at], &wanted) < 0)
			low = at + 1;
		else
			high = at;
	}
	return low < talk->count && loom_str_eq(talk->named[low].id, id) ? &talk->named[low] : NULL;
}

/* The next turn continues a node that was read before. */
static void branch(struct talk *talk, struct loom_str id)
{
	const struct named *named = find_name(talk, id, 0);

	loom_buf_clear(&talk->chat.before);
	if (named && named->here.n)
		loom_buf_add(&talk->chat.before, named->here);
	else
		import_note(talk->chat.import, IMPORT_REPAIRED,
			    "a branch at a node that did not come before it hangs on the root");
}

/* Attaches a turn to the previous one. */
static void link_turn(struct talk *talk, const struct loom_spoken *turn)
{
	struct chats *chat = &talk->chat;
	bool human = turn->speaker == LOOM_SPEAKER_HUMAN;
	struct named *named = NULL;

	chat->node.parent = loom_arena_buf(import_scratch(chat->import), &chat->before);
	chat->node.id = chats_id(chat->import, chat->node.parent, human, turn->text);
	chat->node.anonymous = true;
	loom_buf_clear(&chat->before);
	loom_buf_add(&chat->before, chat->node.id);
	if (turn->form == LOOM_TURNS_NODE)
		named = find_name(talk, turn->id, (size_t)(turn - talk->turns->items));
	if (named)
		named->here = loom_arena_str(talk->arena, chat->node.id);
}

/* Takes one note from *rest: a line with its author, then its quoted text. */
static bool take_note(struct talk *talk, struct loom_str *rest, struct loom_str *author,
		      struct loom_str *text)
{
	static const struct loom_str head = LOOM_STR_INIT(LOOM_SAYS_NOTE);
	struct loom_buf lines = IMPORT_BUF(talk->chat.import);
	struct loom_str line = {NULL, 0};
	size_t count = 0;

	while (loom_str_line(rest, &line) && !loom_str_starts(line, head))
		;
	if (!loom_str_starts(line, head))
		return false;
	*author = loom_str_trim(loom_str_sub(line, head.n, line.n));
	while (loom_str_line(rest, &line) && loom_str_starts(line, LOOM_STR(">"))) {
		loom_buf_adds(&lines, count++ ? "\n" : "");
		loom_buf_add(&lines, loom_str_sub(line, 2, line.n));
	}
	*text = loom_body_plain(loom_arena_buf(talk->arena, &lines),
				LOOM_BELOW_HEADINGS | LOOM_BELOW_NOTE, talk->arena);
	loom_buf_fini(&lines);
	return true;
}

/* Reads the notes that our own export puts below a text. */
static enum loom_status read_notes(struct talk *talk, const struct loom_spoken *turn,
				   struct loom_err *err)
{
	const struct loom_str parent = loom_arena_buf(talk->arena, &talk->chat.before);
	struct loom_spoken note = {.form = LOOM_TURNS_PLAIN};
	struct loom_str rest = turn->notes;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && take_note(talk, &rest, &note.author, &note.text)) {
		struct import_node node = {.parent = parent, .kind = LOOM_ANNOTATION};

		note.speaker = loom_speaker_of(note.author);
		node.role = role_of(&note);
		node.author = node.role == IMPORT_UNKNOWN ? note.author : LOOM_STR("");
		node.model = node.role == IMPORT_MODEL ? model_of(&note) : LOOM_STR("");
		node.text = note.text;
		status = import_node(talk->chat.import, &node, err);
	}
	return status;
}

static enum loom_status read_turn(struct talk *talk, const struct loom_spoken *turn,
				  struct loom_err *err)
{
	struct chats *chat = &talk->chat;
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	link_turn(talk, turn);
	chat->node.role = role_of(turn);
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = model_of(turn);
	if (chat->node.role == IMPORT_UNKNOWN)
		chat->node.author = turn->author;
	chat->node.created = time_of(turn->when);
	put_text(chat, "id", turn->id);
	if (!chat->node.created)
		put_text(chat, "when", turn->when);
	put_text(chat, "thread_context", turn->block);
	chats_add(chat, turn->text);
	status = chats_end(chat, err);
	return status == LOOM_OK ? read_notes(talk, turn, err) : status;
}

/* A heading before the first turn is the title; any other text there is a turn without an
 * author. */
static bool is_title(const struct loom_turns *turns, struct loom_arena *arena, struct loom_str *out)
{
	struct loom_str lead = loom_str_trim(turns->items[0].text);

	if (turns->count < 2 || turns->items[0].form != LOOM_TURNS_PLAIN ||
	    !loom_str_starts(lead, LOOM_STR("# ")) || loom_str_find_char(lead, '\n', 0) != SIZE_MAX)
		return false;
	*out = loom_str_trim(loom_str_sub(lead, 2, lead.n));
	if (loom_str_starts(*out, LOOM_STR("\\")) && lang_title_misleads(*out, arena))
		*out = loom_str_sub(*out, 1, out->n);
	return true;
}

static enum loom_status read_turns(struct talk *talk, size_t from, struct loom_err *err)
{
	struct loom_import *import = talk->chat.import;
	enum loom_status status = LOOM_OK;

	for (size_t i = from; status == LOOM_OK && i < talk->turns->count; i++) {
		const struct loom_spoken *turn = &talk->turns->items[i];

		if (turn->form == LOOM_TURNS_FRAME && turn->id.n)
			branch(talk, turn->id);
		else if (turn->form == LOOM_TURNS_FRAME)
			import_note(import, IMPORT_LOST, "what the loom said between turns");
		else if (!turn->text.n && !turn->block.n && turn->form != LOOM_TURNS_NODE)
			import_note(import, IMPORT_LOST, "turn that says nothing");
		else
			status = read_turn(talk, turn, err);
	}
	return status;
}

/* Names the tree by the file's name and beginning: files with the same name are seldom the same. */
static struct loom_str name_tree(struct loom_import *import, const struct import_source *source,
				 struct loom_str text)
{
	struct loom_str begins = loom_str_trim(text);

	begins = loom_str_sub(begins, 0, loom_str_find_char(begins, '\n', 0));
	return loom_arena_format(import_scratch(import), "%.*s/%.*s", LOOM_STR_ARG(source->name),
				 LOOM_STR_ARG(begins));
}

static enum loom_status read_whole(struct loom_import *import, struct loom_str text,
				   struct loom_err *err)
{
	const struct import_node node = {.text = text};

	return import_node(import, &node, err);
}

static void say_split(struct loom_import *import, const struct import_source *source,
		      const struct loom_split *split, int64_t passages)
{
	struct loom_buf way = LOOM_BUF_INIT(64);

	loom_split_say(split, &way);
	import_note(import, IMPORT_SPLIT,
		    "%.*s by %s into %lld passages; --split none keeps it whole",
		    LOOM_STR_ARG(source->name), loom_buf_cstr(&way), (long long)passages);
	loom_buf_fini(&way);
}

/* A text without turns is one node, or a chain of its passages. */
static enum loom_status read_plain(struct loom_import *import, const struct import_source *source,
				   const struct loom_turns *turns, struct loom_err *err)
{
	const struct import_tree tree = {.id = name_tree(import, source, turns->text),
					 .mode = LOOM_BUFFER};
	const struct loom_split split = loom_split_for(import_split(import), turns->text);
	struct loom_str rest = turns->text;
	struct loom_buf before = IMPORT_BUF(import);
	struct import_node node = {.parent = LOOM_STR_INIT("")};
	enum loom_status status = LOOM_OK;
	int64_t count = 0;

	import_begin(import, &tree);
	if (split.by == LOOM_SPLIT_NONE)
		return read_whole(import, turns->text, err);
	while (status == LOOM_OK && loom_passage_next(&split, &rest, &node.text)) {
		node.parent = loom_arena_buf(import_scratch(import), &before);
		node.id = chats_id(import, node.parent, true, node.text);
		node.anonymous = true;
		loom_buf_clear(&before);
		loom_buf_add(&before, node.id);
		status = import_node(import, &node, err);
		loom_arena_reset(import_scratch(import));
		count++;
	}
	/* The path to its end is the text. */
	if (status == LOOM_OK)
		status = chats_mark(import, loom_buf_str(&before), IMPORT_CURRENT, LOOM_STR(""),
				    err);
	loom_buf_fini(&before);
	if (status == LOOM_OK)
		say_split(import, source, &split, count);
	return status;
}

static enum loom_status read_talk(struct loom_import *import, const struct import_source *source,
				  const struct loom_turns *turns, struct loom_err *err)
{
	struct import_tree tree = {.mode = LOOM_DIALOGUE};
	size_t from = is_title(turns, import_scratch(import), &tree.title);
	struct talk talk = {.turns = turns, .arena = loom_arena_create_on(import_pages(import))};
	enum loom_status status = LOOM_OK;

	tree.id = name_tree(import, source, turns->items[from].text);
	chats_init(&talk.chat, import);
	import_begin(import, &tree);
	list_names(&talk);
	status = read_turns(&talk, from, err);
	chats_fini(&talk.chat);
	loom_arena_destroy(talk.arena);
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create_on(import_pages(import));
	struct loom_turns turns;
	enum loom_status status = LOOM_OK;

	loom_turns_read(source->text, arena, &turns);
	if (turns.form == LOOM_TURNS_PLAIN)
		status = read_plain(import, source, &turns, err);
	else
		status = read_talk(import, source, &turns, err);
	loom_arena_destroy(arena);
	return status;
}

const struct import_reader import_transcript = {
	.name = "transcript",
	.title = "Plain text or Markdown: a transcript's turns, or one text",
	.recognise = recognise,
	.read = read,
};
