/* Weaves of Tapestry Loom (tools/weave). Invariants: a node's text is its bytes, or those of its
 * tokens; what a weave says in facts, under names of its own, is kept word for word; of several
 * parents the first is continued, and the others are linked; a weave without an id of its own is
 * known by its first root. */
#include <math.h>

#include <loom/base/hash.h>
#include <loom/weave/weave.h>

#include <loom/import/reader_kit.h>

static bool recognise(const struct import_source *source)
{
	return weave_is(source->text);
}

/* A weave being read. */
struct tapestry {
	struct loom_import *import;
	struct weave weave;
	/* The ids of the nodes that version 1 marks as active, sorted: the path at which it was
	 * left. */
	uint64_t *active;
	size_t active_count;
	size_t active_cap;
};

/* ---- ids and times ---- */

static uint64_t number_of(struct loom_str id)
{
	uint64_t number = 0;

	for (size_t i = 0; i < id.n && i < sizeof number; i++)
		number |= (uint64_t)(uint8_t)id.p[i] << 8 * i;
	return number;
}

/* Version 0 has ULIDs, the lowest byte first; version 1 has numbers. */
static bool ulid_of(struct loom_str id, struct loom_ulid *out)
{
	if (id.n != sizeof out->bytes)
		return false;
	for (size_t i = 0; i < id.n; i++)
		out->bytes[i] = (uint8_t)id.p[id.n - 1 - i];
	return true;
}

static struct loom_str id_of(struct loom_import *import, struct loom_str id)
{
	struct loom_ulid ulid;
	char text[LOOM_ULID_CHARS + 1];

	if (!id.n)
		return LOOM_STR("");
	if (!ulid_of(id, &ulid))
		return loom_arena_format(import_scratch(import), "%016llx",
					 (unsigned long long)number_of(id));
	loom_ulid_text(&ulid, text);
	return loom_arena_str(import_scratch(import), loom_str_of(text));
}

/* A time may end with the name of its zone in brackets. */
static int64_t time_of(struct loom_import *import, struct loom_str text)
{
	struct loom_buf value = LOOM_BUF_INIT(256);
	int64_t ms = 0;

	text = loom_str_sub(text, 0, loom_str_find_char(text, '[', 0));
	loom_json_quote(loom_str_sub(text, 0, 64), &value);
	ms = text.n ? import_time(import, loom_buf_str(&value)) : 0;
	loom_buf_fini(&value);
	return ms;
}

static int64_t created_of(struct tapestry *tapestry, const struct weave_node *node)
{
	struct loom_ulid ulid;
	int64_t ms = 0;

	if (!ulid_of(node->id, &ulid))
		return time_of(tapestry->import, node->time);
	for (size_t i = 0; i < 6; i++)
		ms = ms << 8 | ulid.bytes[i];
	return ms < INT64_C(253402300800000) ? ms : 0;
}

/* ---- members ---- */

static void put_key(struct loom_buf *out, struct loom_str key)
{
	loom_buf_adds(out, out->n ? "," : "");
	loom_json_quote(key, out);
	loom_buf_addc(out, ':');
}

static void put_text(struct tapestry *tapestry, const char *key, struct loom_str text,
		     struct loom_buf *out)
{
	struct loom_buf quoted = IMPORT_BUF(tapestry->import);

	if (text.n) {
		put_key(out, loom_str_of(key));
		loom_json_quote(text, &quoted);
		import_keep(tapestry->import, loom_buf_str(&quoted), out);
	}
	loom_buf_fini(&quoted);
}

/* Facts as the members of an object, without those that are named; a secret is dropped. */
static void put_facts(struct tapestry *tapestry, const struct weave_list *facts,
		      const char *const *without, struct loom_buf *out)
{
	static const struct import_fields fields = {.where = "fact", .known = "*"};
	struct loom_buf object = IMPORT_BUF(tapestry->import);
	struct loom_str name;
	struct loom_str value;

	loom_buf_addc(&object, '{');
	for (size_t i = 0; i < facts->count; i++) {
		bool taken = false;

		weave_fact_at(&tapestry->weave, facts, i, &name, &value);
		for (size_t k = 0; without && without[k]; k++)
			taken |= loom_str_is(name, without[k]);
		if (taken)
			continue;
		loom_buf_adds(&object, object.n > 1 ? "," : "");
		loom_json_quote(name, &object);
		loom_buf_addc(&object, ':');
		loom_json_quote(value, &object);
	}
	loom_buf_addc(&object, '}');
	import_rest(tapestry->import, loom_buf_str(&object), &fields, out);
	loom_buf_fini(&object);
}

static void put_facts_as(struct tapestry *tapestry, const char *key, const struct weave_list *facts,
			 const char *const *without, struct loom_buf *out)
{
	struct loom_buf inside = IMPORT_BUF(tapestry->import);

	put_facts(tapestry, facts, without, &inside);
	if (inside.n) {
		put_key(out, loom_str_of(key));
		loom_buf_addf(out, "{%s}", loom_buf_cstr(&inside));
	}
	loom_buf_fini(&inside);
}

/* ---- tokens ---- */

static struct loom_str logprob_of(struct tapestry *tapestry, const struct weave_token *token)
{
	struct loom_str chance = weave_fact(&tapestry->weave, &token->facts, "probability");

	if (token->has_logprob && isfinite(token->logprob))
		return loom_arena_format(import_scratch(tapestry->import), "%.6g", token->logprob);
	return token->has_logprob ? LOOM_STR("") : import_log(tapestry->import, chance);
}

/* Alternatives of version 0: a list of pairs, each a token in base 64 and its facts. */
static void put_pairs(struct tapestry *tapestry, struct loom_str json, struct loom_buf *out)
{
	struct loom_import *import = tapestry->import;
	struct loom_jwalk walk = loom_jval_walk(json);
	struct loom_buf bytes = LOOM_BUF_INIT(1 << 16);
	struct loom_str pair;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &pair)) {
		struct loom_jwalk both = loom_jval_walk(pair);
		struct loom_str token = {NULL, 0};
		struct loom_str facts = {NULL, 0};

		if (both.object || !loom_jwalk_next(&both, NULL, &token) ||
		    !loom_jwalk_next(&both, NULL, &facts))
			continue;
		loom_buf_clear(&bytes);
		if (!loom_unbase64url(import_string(import, token), &bytes))
			continue;
		import_token_other_raw(import, loom_buf_str(&bytes),
				       import_log(import,
						  import_text(import, facts, "probability")),
				       out);
	}
	loom_buf_fini(&bytes);
}

static void put_token(struct tapestry *tapestry, const struct weave_token *token,
		      struct loom_buf *out)
{
	struct loom_str json = weave_fact(&tapestry->weave, &token->facts, "counterfactual");
	struct weave_token other;

	import_token_raw(tapestry->import, token->bytes, logprob_of(tapestry, token), out);
	if (loom_json_check(json, NULL, NULL) == LOOM_OK)
		put_pairs(tapestry, json, out);
	for (size_t i = 0; i < token->others.count; i++) {
		weave_other_at(&tapestry->weave, &token->others, i, &other);
		import_token_other_raw(tapestry->import, other.bytes, logprob_of(tapestry, &other),
				       out);
	}
	import_token_raw_end(token->bytes, out);
}

/* Writes what a token has besides its text and probability. */
static void put_token_facts(struct tapestry *tapestry, const struct weave_token *token,
			    struct loom_buf *out)
{
	static const char *const said[] = {"counterfactual", NULL};
	struct loom_buf inside = IMPORT_BUF(tapestry->import);

	put_facts(tapestry, &token->facts, said, &inside);
	if (token->has_id) {
		put_key(&inside, LOOM_STR("id"));
		loom_buf_addf(&inside, "\"%llu\"", (unsigned long long)token->id);
	}
	if (token->has_entropy) {
		put_key(&inside, LOOM_STR("entropy"));
		loom_buf_addf(&inside, "%.9g", token->entropy);
	}
	if (token->modified) {
		put_key(&inside, LOOM_STR("modified"));
		loom_buf_adds(&inside, "true");
	}
	put_text(tapestry, "original", token->original, &inside);
	loom_buf_addf(out, "%s{%s}", out->n ? "," : "", loom_buf_cstr(&inside));
	loom_buf_fini(&inside);
}

/* ---- a node ---- */

static struct loom_str finish_of(struct tapestry *tapestry, const struct weave_node *node)
{
	return weave_fact(&tapestry->weave, &node->facts, "finish_reason");
}

/* Fills the text, the record of the generation and what is kept beside the node. What is said about
 * a model's text is how it was generated. */
static void say_node(struct tapestry *tapestry, const struct weave_node *node,
		     struct loom_buf *text, struct loom_buf *record, struct loom_buf *extra)
{
	static const char *const said[] = {"finish_reason", "author", NULL};
	const bool by_model = node->maker == WEAVE_MODEL;
	struct loom_buf probs = IMPORT_BUF(tapestry->import);
	struct loom_buf facts = IMPORT_BUF(tapestry->import);
	struct weave_token token;

	loom_buf_add(text, node->snippet);
	for (size_t i = 0; i < node->tokens.count; i++) {
		weave_token_at(&tapestry->weave, &node->tokens, i, &token);
		loom_buf_add(text, token.bytes);
		put_token(tapestry, &token, &probs);
		put_token_facts(tapestry, &token, &facts);
	}
	put_text(tapestry, "finish_reason", finish_of(tapestry, node), record);
	put_facts_as(tapestry, by_model ? "parameters" : "facts", &node->facts, said,
		     by_model ? record : extra);
	if (node->has_seed) {
		put_key(record, LOOM_STR("seed"));
		loom_buf_addf(record, "%u", node->seed);
	}
	if (probs.n) {
		put_key(record, LOOM_STR("logprobs"));
		loom_buf_addf(record, "[%s]", loom_buf_cstr(&probs));
		put_key(extra, LOOM_STR("tokens"));
		loom_buf_addf(extra, "[%s]", loom_buf_cstr(&facts));
	}
	if (node->modified) {
		put_key(extra, LOOM_STR("modified"));
		loom_buf_adds(extra, "true");
	}
	put_text(tapestry, "color", node->color, extra);
	put_facts_as(tapestry, "model", &node->maker_facts, NULL, extra);
	put_text(tapestry, "maker_id", id_of(tapestry->import, node->maker_id), extra);
	loom_buf_fini(&probs);
	loom_buf_fini(&facts);
}

static struct loom_str object_of(struct loom_import *import, const struct loom_buf *inside)
{
	return inside->n ? loom_arena_format(import_scratch(import), "{%.*s}",
					     LOOM_STR_ARG(loom_buf_str(inside)))
			 : LOOM_STR("");
}

static enum loom_status put_marks(struct tapestry *tapestry, const struct weave_node *node,
				  struct loom_str id, struct loom_err *err)
{
	struct weave *weave = &tapestry->weave;
	enum loom_status status = LOOM_OK;

	for (size_t i = 1; i < node->from.count && status == LOOM_OK; i++) {
		const struct import_mark link = {.id = id,
						 .kind = IMPORT_LINK,
						 .to = id_of(tapestry->import,
							     weave_id_at(weave, &node->from, i)),
						 .text = LOOM_STR_INIT("another parent")};

		status = import_mark(tapestry->import, &link, err);
	}
	for (size_t i = 0; i < node->to.count && node->to.count > 1 && status == LOOM_OK; i++) {
		const struct import_mark place = {.id = id_of(tapestry->import,
							      weave_id_at(weave, &node->to, i)),
						  .kind = IMPORT_PLACE,
						  .number = (int64_t)i};

		status = import_mark(tapestry->import, &place, err);
	}
	return status;
}

static enum loom_status put_node(struct tapestry *tapestry, const struct weave_node *node,
				 struct loom_err *err)
{
	static const enum import_role roles[] = {IMPORT_UNKNOWN, IMPORT_MODEL, IMPORT_HUMAN};
	struct loom_import *import = tapestry->import;
	struct loom_buf text = IMPORT_BUF(import);
	struct loom_buf record = IMPORT_BUF(import);
	struct loom_buf extra = IMPORT_BUF(import);
	struct import_node out = {.id = id_of(import, node->id),
				  .role = roles[node->maker],
				  .created = created_of(tapestry, node),
				  .bookmarked = node->bookmarked};
	enum loom_status status;

	say_node(tapestry, node, &text, &record, &extra);
	if (node->from.count)
		out.parent = id_of(import, weave_id_at(&tapestry->weave, &node->from, 0));
	if (node->maker == WEAVE_MODEL)
		out.model = node->label;
	else
		out.author = node->label.n ? node->label
					   : weave_fact(&tapestry->weave, &node->facts, "author");
	if (out.role == IMPORT_UNKNOWN && out.author.n)
		out.role = IMPORT_HUMAN;
	out.text = loom_buf_str(&text);
	out.generation = object_of(import, &record);
	out.extra = object_of(import, &extra);
	status = import_node(import, &out, err);
	if (status == LOOM_OK)
		status = put_marks(tapestry, node, out.id, err);
	loom_buf_fini(&text);
	loom_buf_fini(&record);
	loom_buf_fini(&extra);
	return status;
}

/* ---- the position ---- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_active(const struct tapestry *tapestry, uint64_t number)
{
	return tapestry->active_count &&
	       bsearch(&number, tapestry->active, tapestry->active_count, sizeof number, by_number);
}

static void list_active(struct tapestry *tapestry)
{
	struct weave_walk walk = {0};
	struct weave_node node;

	while (tapestry->weave.version == 1 && weave_next(&tapestry->weave, &walk, &node)) {
		if (!node.active)
			continue;
		tapestry->active = loom_arena_grow(import_kept(tapestry->import), tapestry->active,
						   tapestry->active_count, &tapestry->active_cap,
						   sizeof *tapestry->active);
		tapestry->active[tapestry->active_count++] = number_of(node.id);
	}
	if (tapestry->active_count)
		qsort(tapestry->active, tapestry->active_count, sizeof *tapestry->active,
		      by_number);
}

/* Whether the weave was left at this node: the active one that none active follows. */
static bool is_left_at(struct tapestry *tapestry, const struct weave_node *node,
		       const struct weave_about *about)
{
	if (tapestry->weave.version == 0)
		return about->active.n && loom_str_eq(about->active, node->id);
	if (!node->active)
		return false;
	for (size_t i = 0; i < node->to.count; i++)
		if (is_active(tapestry, number_of(weave_id_at(&tapestry->weave, &node->to, i))))
			return false;
	return true;
}

/* ---- the weave ---- */

static void begin(struct tapestry *tapestry, const struct import_source *source,
		  const struct weave_about *about)
{
	static const char *const said[] = {"title", "description", "notes", "created", NULL};
	struct loom_import *import = tapestry->import;
	struct weave *weave = &tapestry->weave;
	struct loom_str created = weave_fact(weave, &about->facts, "created");
	struct import_tree tree = {
		.title = weave->version ? about->title : weave_fact(weave, &about->facts, "title"),
		.description = weave->version ? about->description
					      : weave_fact(weave, &about->facts, "description"),
		.created = time_of(import, weave->version ? about->created : created),
		.mode = LOOM_BUFFER,
	};
	struct loom_buf rest = IMPORT_BUF(import);
	struct weave_source from;

	if (about->roots.count)
		tree.id = id_of(import, weave_id_at(weave, &about->roots, 0));
	if (!tree.title.n)
		tree.title = source->name;
	if (!tree.description.n)
		tree.description = weave_fact(weave, &about->facts, "notes");
	import_begin(import, &tree);
	put_facts(tapestry, &about->facts, said, &rest);
	for (size_t i = 0; i < about->sources.count; i++) {
		weave_source_at(weave, &about->sources, i, &from);
		put_text(tapestry, "converted_from", from.name, &rest);
		put_text(tapestry, "converted_from_version", from.version, &rest);
		put_text(tapestry, "converted", from.time, &rest);
	}
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static enum loom_status put_nodes(struct tapestry *tapestry, const struct weave_about *about,
				  struct loom_err *err)
{
	struct loom_import *import = tapestry->import;
	struct weave_walk walk = {0};
	struct weave_node node;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && weave_next(&tapestry->weave, &walk, &node)) {
		const struct import_mark current = {.id = id_of(import, node.id),
						    .kind = IMPORT_CURRENT};

		if (!node.id.n)
			continue;
		status = put_node(tapestry, &node, err);
		if (status == LOOM_OK && is_left_at(tapestry, &node, about))
			status = import_mark(import, &current, err);
		if (status == LOOM_OK)
			status = import_here(import, node.id, err);
		loom_arena_reset(import_scratch(import));
	}
	for (size_t i = 0; i < about->roots.count && about->roots.count > 1 && status == LOOM_OK;
	     i++) {
		const struct import_mark place = {
			.id = id_of(import, weave_id_at(&tapestry->weave, &about->roots, i)),
			.kind = IMPORT_PLACE,
			.number = (int64_t)i};

		status = import_mark(import, &place, err);
	}
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct tapestry tapestry = {.import = import};
	struct weave_about about;
	enum loom_status status = weave_open(source->text, &tapestry.weave, err);

	if (status != LOOM_OK)
		return loom_hint(err, status, "save it once more in Tapestry Loom");
	weave_about(&tapestry.weave, &about);
	begin(&tapestry, source, &about);
	list_active(&tapestry);
	status = put_nodes(&tapestry, &about, err);
	if (tapestry.weave.broken)
		import_note(import, IMPORT_LOST,
			    "a part of the weave, which refers to what is not there: damaged");
	return status;
}

const struct import_reader import_tapestry = {
	.name = "tapestry",
	.title = "Tapestry Loom weaves (.tapestry)",
	.recognise = recognise,
	.read = read,
	.places = "Documents/Tapestry Loom|",
};
