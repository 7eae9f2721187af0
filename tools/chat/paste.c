/* Reads a pasted transcript into nodes and proposed calls, and makes them on a person's word.
 *
 * The hash covers every byte of the text and everything it would become. Pasting an approved text
 * again gives another hash, so an old approval never runs anything again. */
#include <loom/chat/paste.h>

#include <loom/tree/agent.h>
#include <loom/base/json.h>
#include <loom/tree/op.h>
#include <loom/language/parse.h>
#include <loom/language/scan.h>
#include <loom/base/utf8.h>

#include <loom/actor/asking.h>

#define NAME_DIGITS 12
#define NAME_MAX    64
#define AGAIN_MAX   1000

struct reading {
	struct loom_store *store;
	const struct loom_paste_opts *opts;
	struct loom_arena *arena;
	struct loom_paste *paste;
	struct loom_agent person;
	struct loom_agent agent; /* id 0: none */
	struct loom_buf calls;   /* an array of struct loom_act */
	struct loom_str rest;    /* of the text: its lines are not yet counted */
	int64_t lines;           /* counted so far */
};

/* ---- who ---- */

/* If no agent is named, takes the only one there is. */
static enum loom_status find_agent(struct reading *reading, struct loom_err *err)
{
	struct loom_agent *list = NULL;
	size_t count = 0;
	size_t aware = 0;
	enum loom_status status = LOOM_OK;

	if (reading->opts->agent)
		return loom_agent_get(reading->store, reading->opts->agent, reading->arena,
				      &reading->agent, err);
	status = loom_agent_list(reading->store, reading->arena, &list, &count, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (list[i].kind != LOOM_AGENT_MODEL || !list[i].aware)
			continue;
		aware++;
		reading->agent = list[i];
	}
	if (aware != 1)
		reading->agent = (struct loom_agent){.id = 0};
	return status;
}

static bool is_role(struct loom_str name)
{
	return !name.n || loom_str_eq_fold(name, LOOM_STR("assistant")) ||
	       loom_str_eq_fold(name, LOOM_STR("model")) ||
	       loom_str_eq_fold(name, LOOM_STR("ai")) || loom_str_eq_fold(name, LOOM_STR("bot"));
}

/* The author of a model's turn is the named agent, else the one its header names, who is made if
 * missing. */
static void name_author(struct reading *reading, const struct loom_spoken *said,
			struct loom_paste_node *node)
{
	struct loom_str name = said->name.n ? said->name : said->author;
	struct loom_agent found;

	node->human = said->speaker != LOOM_SPEAKER_MODEL;
	if (node->human) {
		node->author = reading->person.id;
		node->name = reading->person.name;
	} else if (reading->agent.id && (reading->opts->agent || is_role(name))) {
		node->author = reading->agent.id;
		node->name = reading->agent.name;
	} else if (loom_agent_find(reading->store, name, reading->arena, &found, NULL) == LOOM_OK &&
		   found.kind == LOOM_AGENT_MODEL) {
		node->author = found.id;
		node->name = found.name;
	} else {
		node->name = is_role(name) ? LOOM_STR("assistant")
					   : loom_utf8_clip(loom_str_trim(name), NAME_MAX);
	}
}

/* ---- nodes ---- */

static bool becomes_node(const struct loom_paste *paste, const struct loom_spoken *said)
{
	if (!said->text.n || said->form == LOOM_TURNS_FRAME)
		return false;
	if (paste->turns.form == LOOM_TURNS_PLAIN)
		return !paste->act_count;
	return said->form != LOOM_TURNS_PLAIN &&
	       (said->speaker == LOOM_SPEAKER_HUMAN || said->speaker == LOOM_SPEAKER_MODEL ||
		said->speaker == LOOM_SPEAKER_UNKNOWN);
}

/* A node of this tree with exactly this text, which need not be made again. */
static int64_t known_node(const struct reading *reading, const struct loom_spoken *said)
{
	struct loom_node found;
	struct loom_node whole;

	if (said->form != LOOM_TURNS_NODE || !said->id.n ||
	    loom_node_find(reading->store, reading->opts->tree, said->id, reading->arena, &found,
			   NULL) != LOOM_OK ||
	    found.tree != reading->opts->tree || found.kind != LOOM_CONTINUATION ||
	    loom_node_get(reading->store, found.id, LOOM_NODE_ALL, reading->arena, &whole, NULL) !=
		    LOOM_OK)
		return 0;
	return loom_str_eq(loom_str_trim(whole.text), loom_str_trim(said->text)) ? found.id : 0;
}

static void add_nodes(struct reading *reading)
{
	struct loom_paste *paste = reading->paste;

	paste->nodes = LOOM_ARENA_ARRAY(reading->arena, paste->turns.count, struct loom_paste_node);
	for (size_t i = 0; i < paste->turns.count; i++) {
		const struct loom_spoken *said = &paste->turns.items[i];
		struct loom_paste_node *node = &paste->nodes[paste->count];

		if (!becomes_node(paste, said)) {
			paste->left_out += said->text.n && paste->turns.form != LOOM_TURNS_PLAIN;
			continue;
		}
		node->line = said->line;
		node->header = said->author;
		node->when = said->when;
		node->text = said->text;
		node->known = known_node(reading, said);
		name_author(reading, said, node);
		paste->fresh += !node->known;
		paste->count++;
	}
}

/* ---- calls ---- */

static bool may_hold_calls(const struct loom_paste *paste, const struct loom_spoken *said)
{
	return said->form != LOOM_TURNS_FRAME &&
	       (said->speaker == LOOM_SPEAKER_MODEL || paste->turns.form == LOOM_TURNS_PLAIN);
}

/* Turns come in the order of the text, so its lines are counted once. */
static int64_t lines_before(struct reading *reading, const char *p)
{
	struct loom_str *rest = &reading->rest;

	for (; rest->n && rest->p < p; *rest = loom_str_sub(*rest, 1, rest->n))
		reading->lines += *rest->p == '\n';
	return reading->lines;
}

static void scan(struct reading *reading, const struct loom_spoken *said, size_t *batches)
{
	struct loom_paste *paste = reading->paste;
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_PASTE, LOOM_TURN_CALLS);
	const int64_t line = lines_before(reading, said->raw.p);
	struct loom_act *acts = NULL;
	size_t count = 0;

	paste->scanned[paste->scanned_count++] = turn;
	/* Scan the quoted form: a quoted call is not a call. */
	loom_turn_feed(turn, said->raw);
	loom_turn_end(turn);
	for (size_t i = 0; i < turn->call_count; i++) {
		turn->calls[i].line += line;
		turn->calls[i].batch = 0; /* one step for undo */
		turn->calls[i].past_limit = (*batches)++ >= LOOM_CALLS_MAX;
	}
	for (size_t i = 0; i < turn->error_count; i++)
		turn->errors[i].line += line;
	loom_acts_of(turn, 0, 0, reading->arena, &acts, &count);
	loom_buf_add(&reading->calls, loom_str_make((const char *)acts, count * sizeof *acts));
}

static void add_calls(struct reading *reading)
{
	struct loom_paste *paste = reading->paste;
	size_t calls = 0;

	reading->rest = paste->turns.text;
	paste->scanned = LOOM_ARENA_ARRAY(reading->arena, paste->turns.count, struct loom_turn *);
	for (size_t i = 0; i < paste->turns.count; i++)
		if (may_hold_calls(paste, &paste->turns.items[i]))
			scan(reading, &paste->turns.items[i], &calls);
	paste->act_count = reading->calls.n / sizeof *paste->acts;
	paste->acts = LOOM_ARENA_ARRAY(reading->arena, paste->act_count, struct loom_act);
	if (paste->act_count)
		memcpy(paste->acts, reading->calls.p, reading->calls.n);
}

static enum loom_status propose(struct reading *reading, struct loom_err *err)
{
	struct loom_paste *paste = reading->paste;
	const struct loom_engine_opts opts = {.store = reading->store,
					      .agent = paste->agent,
					      .tree = paste->tree};
	const struct actor_leave_of of = {.acts = paste->acts,
					  .count = paste->act_count,
					  .moved = paste->count > 0};
	struct loom_engine *engine = NULL;
	enum loom_status status = loom_engine_open(&opts, &engine, err);

	if (status != LOOM_OK)
		return status;
	actor_propose(engine, &of, NULL, reading->arena, &paste->proposal);
	loom_engine_close(engine);
	return LOOM_OK;
}

/* ---- the hash ---- */

static void put_ulid(struct loom_json *json, const char *key, const struct loom_ulid *ulid)
{
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(ulid, text);
	loom_json_put(json, key, loom_str_of(text));
}

static enum loom_status spell(const struct reading *reading, struct loom_buf *out,
			      struct loom_err *err)
{
	const struct loom_paste *paste = reading->paste;
	struct loom_json json;
	struct loom_agent agent;
	struct loom_node at;
	enum loom_status status =
		loom_agent_get(reading->store, paste->agent, reading->arena, &agent, err);

	if (status == LOOM_OK)
		status = loom_node_get(reading->store, paste->at, LOOM_NODE_NARROW, reading->arena,
				       &at, err);
	if (status != LOOM_OK)
		return status;
	loom_json_init(&json, out);
	loom_json_object(&json);
	put_ulid(&json, "agent", &agent.ulid);
	put_ulid(&json, "at", &at.ulid);
	loom_json_key(&json, "nodes");
	loom_json_array(&json);
	for (size_t i = 0; i < paste->count; i++) {
		loom_json_number(&json, paste->nodes[i].known);
		loom_json_text(&json, paste->nodes[i].name);
		loom_json_text(&json, paste->nodes[i].text);
	}
	loom_json_end_array(&json);
	loom_json_key(&json, "calls");
	loom_json_array(&json);
	for (size_t i = 0; i < paste->proposal.count; i++) {
		loom_json_text(&json, paste->proposal.calls[i].call);
		loom_json_text(&json, paste->proposal.calls[i].target);
	}
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	return LOOM_OK;
}

/* Whether this hash was approved before. */
static bool is_used(struct reading *reading, const struct loom_hash *hash)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_proposal row;
	bool used = false;

	loom_hash_hex(hash, &hex);
	used = loom_proposal_find(reading->store, loom_buf_str(&hex), reading->arena, &row, NULL) ==
	       LOOM_OK;
	loom_buf_fini(&hex);
	return used;
}

static enum loom_status hash_all(struct reading *reading, struct loom_err *err)
{
	struct loom_paste *paste = reading->paste;
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = spell(reading, &list, err);

	for (int again = 0; again < AGAIN_MAX && status == LOOM_OK; again++) {
		struct loom_str parts[] = {LOOM_STR("loom paste\n"),
					   loom_arena_format(reading->arena, "%d\n", again),
					   loom_buf_str(&list), LOOM_STR("\n"), paste->text};

		paste->hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
		if (!is_used(reading, &paste->hash))
			break;
	}
	loom_buf_fini(&list);
	return status;
}

/* ---- reading ---- */

static enum loom_status read_all(struct reading *reading, struct loom_err *err)
{
	struct loom_paste *paste = reading->paste;
	enum loom_status status = loom_agent_get(reading->store, reading->opts->person,
						 reading->arena, &reading->person, err);

	if (status == LOOM_OK)
		status = find_agent(reading, err);
	if (status != LOOM_OK)
		return status;
	paste->agent = reading->agent.id ? reading->agent.id : reading->person.id;
	loom_turns_read(paste->text, reading->arena, &paste->turns);
	add_calls(reading);
	add_nodes(reading);
	status = propose(reading, err);
	return status == LOOM_OK ? hash_all(reading, err) : status;
}

enum loom_status loom_paste_read(struct loom_store *store, const struct loom_paste_opts *opts,
				 struct loom_str text, struct loom_arena *arena,
				 struct loom_paste **out, struct loom_err *err)
{
	struct reading reading = {.store = store,
				  .opts = opts,
				  .arena = arena,
				  .calls = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status = LOOM_OK;

	*out = NULL;
	if (!loom_utf8_valid(text, NULL))
		return loom_fail(err, LOOM_INVALID, "the pasted text is not UTF-8");
	reading.paste = LOOM_ARENA_NEW(arena, struct loom_paste);
	*reading.paste = (struct loom_paste){.tree = opts->tree, .at = opts->at, .text = text};
	status = read_all(&reading, err);
	loom_buf_fini(&reading.calls);
	if (status == LOOM_OK)
		*out = reading.paste;
	else
		loom_paste_destroy(reading.paste);
	return status;
}

void loom_paste_destroy(struct loom_paste *paste)
{
	if (!paste)
		return;
	for (size_t i = 0; i < paste->scanned_count; i++)
		loom_turn_destroy(paste->scanned[i]);
	paste->scanned_count = 0;
}

void loom_paste_name(const struct loom_paste *paste, struct loom_buf *out)
{
	loom_hex(paste->hash.bytes, NAME_DIGITS / 2, out);
}

/* ---- making ---- */

static enum loom_status check_word(struct loom_store *store, const struct loom_paste *paste,
				   const struct loom_paste_word *word, struct loom_arena *arena,
				   struct loom_err *err)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_proposal row;
	struct loom_agent person;
	enum loom_status status = loom_agent_get(store, word->person, arena, &person, err);

	if (status != LOOM_OK)
		return status;
	if (person.kind != LOOM_AGENT_HUMAN)
		return loom_fail(err, LOOM_PERMISSION,
				 "only a person approves, and %.*s is an agent",
				 LOOM_STR_ARG(person.name));
	loom_hash_hex(&paste->hash, &hex);
	if (word->hash.n < 8 || !loom_str_starts(loom_buf_str(&hex), word->hash)) {
		if (loom_proposal_find(store, word->hash, arena, &row, NULL) == LOOM_OK)
			loom_fail(err, LOOM_CONFLICT, "%.*s was approved before: it runs once",
				  LOOM_STR_ARG(word->hash));
		else
			loom_fail(err, LOOM_CONFLICT,
				  "%.*s is not the hash of this text and this place",
				  LOOM_STR_ARG(word->hash));
		status = loom_hint(err, LOOM_CONFLICT,
				   "look at the paste again; its hash is now %.*s", NAME_DIGITS,
				   loom_buf_cstr(&hex));
	}
	loom_buf_fini(&hex);
	return status;
}

/* The agent that the transcript names, made once for all its nodes. */
static enum loom_status author_of(struct loom_store *store, const struct loom_paste_node *node,
				  struct loom_arena *arena, int64_t *out, struct loom_err *err)
{
	struct loom_agent spec = {.name = node->name, .kind = LOOM_AGENT_MODEL};
	struct loom_agent found;

	*out = node->author;
	if (*out)
		return LOOM_OK;
	/* A model's turn is never a person's, whatever the model is called. */
	if (loom_agent_find(store, spec.name, arena, &found, NULL) == LOOM_OK &&
	    found.kind == LOOM_AGENT_HUMAN)
		spec.name = loom_arena_format(arena, "%.*s (model)", LOOM_STR_ARG(node->name));
	if (loom_agent_find(store, spec.name, arena, &found, NULL) == LOOM_OK) {
		*out = found.id;
		return LOOM_OK;
	}
	return loom_agent_create(store, &spec, out, err);
}

/* The node's origin, stored beside it. */
static struct loom_str extra_of(const struct loom_paste *paste, const struct loom_paste_node *node,
				struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_json json;
	struct loom_str out;

	loom_hash_hex(&paste->hash, &hex);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_key(&json, "paste");
	loom_json_object(&json);
	loom_json_put(&json, "hash", loom_buf_str(&hex));
	loom_json_put_int(&json, "line", node->line);
	if (node->header.n)
		loom_json_put(&json, "author", node->header);
	if (node->when.n)
		loom_json_put(&json, "when", node->when);
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	loom_buf_fini(&hex);
	return out;
}

static enum loom_status make_nodes(struct loom_store *store, const struct loom_paste *paste,
				   struct loom_arena *arena, int64_t *out_node,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out_node = paste->at;
	for (size_t i = 0; i < paste->count && status == LOOM_OK; i++) {
		const struct loom_paste_node *node = &paste->nodes[i];
		struct loom_node_spec spec = {.tree = paste->tree,
					      .from = *out_node,
					      .text = node->text,
					      .seq = -1,
					      .extra = extra_of(paste, node, arena)};

		if (node->known) {
			*out_node = node->known;
			continue;
		}
		status = author_of(store, node, arena, &spec.author, err);
		if (status == LOOM_OK)
			status = loom_node_create(store, &spec, out_node, err);
	}
	return status;
}

static enum loom_status make_all(struct loom_store *store, const struct loom_paste *paste,
				 const struct loom_paste_word *word, int64_t *out_node,
				 struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_proposal record = paste->proposal;
	enum loom_status status = check_word(store, paste, word, arena, err);

	record.hash = paste->hash;
	record.decided_by = word->person;
	if (status == LOOM_OK)
		status = make_nodes(store, paste, arena, out_node, err);
	if (status == LOOM_OK)
		status = loom_proposal_record(store, &record, err);
	loom_op_say(store, "pasted %zu %s and %zu %s", paste->fresh,
		    loom_plural((int64_t)paste->fresh, "node", "nodes"), paste->proposal.count,
		    loom_plural((int64_t)paste->proposal.count, "call", "calls"));
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_paste_make(struct loom_store *store, const struct loom_paste *paste,
				 const struct loom_paste_word *word, int64_t *out_op,
				 int64_t *out_node, struct loom_err *err)
{
	const struct loom_op_spec spec = {.kind = "paste",
					  .actor = word->person,
					  .tree = paste->tree};
	enum loom_status status = loom_op_begin(store, &spec, err);

	*out_op = 0;
	*out_node = paste->at;
	if (status != LOOM_OK)
		return status;
	return loom_op_end(store, make_all(store, paste, word, out_node, err), out_op, err);
}
