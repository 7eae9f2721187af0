/* Textual forms: headers, counts, labels, summaries, errors. Pure except for reading; the caller
 * decides what to show where. */
#include <loom/tree/say_node.h>

#include <loom/text/quoting.h>
#include <loom/tree/mark.h>
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#define SENTENCE_WORDS 30
#define SENTENCE_CHARS 300 /* for scripts without blanks between words */

enum loom_status loom_show_init(struct loom_show *show, struct loom_store *store,
				struct loom_arena *arena, struct loom_err *err)
{
	struct loom_agent *agents = NULL;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store && arena);
	*show = (struct loom_show){.store = store,
				   .arena = arena,
				   .now = loom_env_now(loom_store_env(store))};
	status = loom_agent_list(store, arena, &agents, &show->agent_count, err);
	show->agents = agents;
	show->marks = LOOM_ARENA_NEW(arena, struct loom_str *);
	for (size_t i = 0; i < show->agent_count; i++)
		show->of_kind[loom_author_type(&agents[i])]++;
	return status;
}

const struct loom_agent *loom_subject_default(const struct loom_agent *agents, size_t count,
					      int64_t but)
{
	const struct loom_agent *found = NULL;
	int best = 3;

	for (size_t i = 0; i < count; i++) {
		int rank = agents[i].met ? 2 : loom_str_is(agents[i].model, "ngram");

		if (loom_author_type(&agents[i]) != LOOM_AUTHOR_SUBJECT || agents[i].id == but ||
		    rank >= best)
			continue;
		best = rank;
		found = &agents[i];
	}
	return found;
}

enum loom_author_type loom_author_type(const struct loom_agent *agent)
{
	if (!loom_agent_acts(agent))
		return LOOM_AUTHOR_CLAIM;
	if (agent->kind == LOOM_AGENT_HUMAN)
		return LOOM_AUTHOR_HUMAN;
	return agent->aware ? LOOM_AUTHOR_COLLABORATOR : LOOM_AUTHOR_SUBJECT;
}

const struct loom_agent *loom_show_agent(const struct loom_show *show, int64_t agent)
{
	for (size_t i = 0; i < show->agent_count; i++)
		if (show->agents[i].id == agent)
			return &show->agents[i];
	return NULL;
}

void loom_show_claim(const struct loom_agent *agent, struct loom_buf *out)
{
	LOOM_ASSERT(!loom_agent_acts(agent));
	loom_buf_adds(out, "said to be ");
	loom_shown_line(out, agent->name, 0);
	loom_buf_adds(out, ", from ");
	loom_shown_line(out, agent->from, 0);
}

/* Computed once, and only for a reader who is a person. */
static struct loom_str mark_of(const struct loom_show *show, const struct loom_agent *agent)
{
	if (!agent || !show->local)
		return LOOM_STR("");
	if (!*show->marks)
		*show->marks = loom_agent_marks(show->agents, show->agent_count, show->arena);
	return (*show->marks)[agent - show->agents];
}

void loom_show_put_claim(struct loom_json *json, const struct loom_agent *agent)
{
	if (loom_agent_acts(agent))
		return;
	loom_json_key(json, "claim");
	loom_json_object(json);
	loom_json_put(json, "name", agent->name);
	loom_json_put(json, "from", agent->from);
	loom_json_put(json, "why", loom_str_of(loom_claim_name(agent->claim)));
	loom_json_end_object(json);
}

void loom_show_author(const struct loom_show *show, int64_t agent, bool header,
		      struct loom_buf *out)
{
	static const char *const labels[] = {
		[LOOM_AUTHOR_HUMAN] = "human",
		[LOOM_AUTHOR_SUBJECT] = "model",
		[LOOM_AUTHOR_COLLABORATOR] = "collaborator",
		[LOOM_AUTHOR_CLAIM] = "",
	};
	const struct loom_agent *row = loom_show_agent(show, agent);
	struct loom_str mark;
	enum loom_author_type type = row ? loom_author_type(row) : LOOM_AUTHOR_SUBJECT;

	if (type == LOOM_AUTHOR_CLAIM) {
		loom_show_claim(row, out);
		return;
	}
	/* Alone, a person is the human, as to everybody. */
	if (row && show->of_kind[type] > 1 && agent == show->reader) {
		loom_buf_add(out, loom_agent_called(agent, show->reader, row->name));
		return;
	}
	loom_buf_adds(out, header && type == LOOM_AUTHOR_COLLABORATOR ? "model" : labels[type]);
	if (!row || show->of_kind[type] < 2)
		return;
	mark = mark_of(show, row);
	loom_buf_addf(out, " \"%.*s\"", LOOM_STR_ARG(loom_shown_label(show->arena, row->name)));
	if (mark.n)
		loom_buf_addf(out, " (%.*s)", LOOM_STR_ARG(mark));
}

void loom_show_ago(const struct loom_show *show, int64_t then, struct loom_buf *out)
{
	loom_time_ago(then, show->now, show->local, out);
}

void loom_show_many(int64_t count, const char *one, const char *many, struct loom_buf *out)
{
	LOOM_ASSERT(one && many);
	loom_buf_add_count(out, count < 0 ? 0 : (uint64_t)count);
	loom_buf_addc(out, ' ');
	loom_buf_adds(out, loom_plural(count, one, many));
}

/* ---- nodes ---- */

static enum loom_status key_of(struct loom_show *show, int64_t tree, struct loom_err *err)
{
	struct loom_tree row;
	enum loom_status status = LOOM_OK;

	if (show->key_tree == tree)
		return LOOM_OK;
	status = loom_tree_get(show->store, tree, show->arena, &row, err);
	if (status == LOOM_OK) {
		show->key_tree = tree;
		show->key = row.key;
	}
	return status;
}

enum loom_status loom_show_name(struct loom_show *show, const struct loom_node *node,
				struct loom_buf *out, struct loom_err *err)
{
	char name[LOOM_LOCAL_MAX];
	enum loom_status status = key_of(show, node->tree, err);

	if (status != LOOM_OK)
		return status;
	loom_local_text(show->key, node->local, name);
	loom_buf_adds(out, name);
	return LOOM_OK;
}

enum loom_status loom_show_name_of(struct loom_show *show, int64_t node, struct loom_buf *out,
				   struct loom_err *err)
{
	struct loom_node row;
	enum loom_status status =
		loom_node_get(show->store, node, LOOM_NODE_NARROW, show->arena, &row, err);

	return status == LOOM_OK ? loom_show_name(show, &row, out, err) : status;
}

enum loom_status loom_show_byline(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_buf_addc(out, '[');
	status = loom_show_name(show, node, out, err);
	loom_buf_adds(out, "] ");
	loom_show_author(show, node->author, true, out);
	loom_buf_adds(out, " · ");
	loom_show_ago(show, node->created, out);
	return status;
}

enum loom_status loom_show_header(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = loom_show_byline(show, node, out, err);

	if (status != LOOM_OK)
		return status;
	if (node->kind == LOOM_CONTINUATION) {
		loom_buf_addf(out, " · depth:%lld", (long long)node->depth);
	} else {
		loom_buf_adds(out, " · on [");
		status = loom_show_name_of(show, node->from_node, out, err);
		loom_buf_addc(out, ']');
	}
	if (status == LOOM_OK && loom_node_damaged(show->store, node)) {
		loom_buf_adds(out, " · " LOOM_SHOW_DAMAGED);
		status = loom_show_name(show, node, out, err);
	}
	return status;
}

static void add_part(struct loom_buf *out, size_t begin)
{
	LOOM_ASSERT(begin <= out->n);
	if (out->n > begin)
		loom_buf_adds(out, " · ");
}

static void add_many(struct loom_buf *out, size_t begin, int64_t count, const char *one,
		     const char *many)
{
	if (count <= 0)
		return;
	add_part(out, begin);
	loom_show_many(count, one, many, out);
}

static void add_mark(struct loom_buf *out, size_t begin, bool on, const char *mark)
{
	if (!on)
		return;
	add_part(out, begin);
	loom_buf_adds(out, mark);
}

static enum loom_status add_tags(struct loom_show *show, const struct loom_node *node, size_t begin,
				 struct loom_buf *out, struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_tag_of(show->store, node->id, show->arena, &tags, &count, err);

	if (status != LOOM_OK || !count)
		return status;
	add_part(out, begin);
	loom_buf_adds(out, "tagged ");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%s\"%.*s\"", i ? ", " : "",
			      LOOM_STR_ARG(loom_shown_label(show->arena, tags[i])));
	return LOOM_OK;
}

enum loom_status loom_show_counts(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err)
{
	const size_t begin = out->n;
	struct loom_link *links = NULL;
	size_t link_count = 0;
	int64_t notes = 0;
	enum loom_status status =
		loom_node_count(show->store, node->group, LOOM_ANNOTATION, &notes, err);

	if (status == LOOM_OK)
		status = loom_link_list(show->store, LOOM_LINK_NODE, node->id, show->arena, &links,
					&link_count, err);
	if (status != LOOM_OK)
		return status;
	add_many(out, begin, node->children, "continuation", "continuations");
	add_many(out, begin, notes, "annotation", "annotations");
	add_many(out, begin, (int64_t)link_count, "link", "links");
	add_mark(out, begin, node->bookmarked, "bookmarked");
	add_mark(out, begin, node->excluded, "excluded");
	add_mark(out, begin, node->pruned, "pruned");
	return add_tags(show, node, begin, out, err);
}

/* ---- summaries ---- */

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xA0 ||
	       cp == 0x3000 || cp == 0x2028 || cp == 0x2029;
}

static bool is_stop(uint32_t cp)
{
	return cp == '.' || cp == '!' || cp == '?' || cp == 0x2026;
}

/* Full stops of scripts that put no blank after them. */
static bool is_wide_stop(uint32_t cp)
{
	return cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F;
}

static bool closes(uint32_t cp)
{
	return cp == '"' || cp == '\'' || cp == ')' || cp == ']' || cp == '*' || cp == '_' ||
	       cp == 0x201D || cp == 0x2019 || cp == 0xBB || cp == 0x300D || cp == 0x300F;
}

/* Recognises letters with a stop after each: "e.g.", "U.S.A." */
static bool is_spelled(struct loom_str word)
{
	for (size_t i = 0; i < word.n; i += 2)
		if (i + 1 >= word.n || word.p[i + 1] != '.' ||
		    !((word.p[i] | 0x20) >= 'a' && (word.p[i] | 0x20) <= 'z'))
			return false;
	return word.n >= 4;
}

/* "Dr.", "J." and "e.g." do not end a sentence. */
static bool is_short_form(struct loom_str word)
{
	static const char *const forms[] = {"Mr.", "Mrs.", "Ms.", "Dr.", "St.", "Prof.", "vs."};

	if (is_spelled(word) ||
	    (word.n == 2 && word.p[0] >= 'A' && word.p[0] <= 'Z' && word.p[0] != 'I'))
		return true;
	for (size_t i = 0; i < LOOM_COUNT(forms); i++)
		if (loom_str_is(word, forms[i]))
			return true;
	return false;
}

/* Returns whether a small letter comes next: the sentence continues after a quotation. */
static bool goes_on(struct loom_str rest)
{
	size_t at = 0;

	while (at < rest.n && is_blank((unsigned char)rest.p[at]))
		at++;
	return at < rest.n && rest.p[at] >= 'a' && rest.p[at] <= 'z';
}

/* Returns whether a sentence ends with this word. */
static bool ends_sentence(struct loom_str word, struct loom_str rest)
{
	size_t at = word.n;
	bool closed = false;

	LOOM_ASSERT(word.n > 0);
	while (at > 0) {
		uint32_t cp = loom_utf8_prev(word, &at);

		if (!closes(cp))
			return is_stop(cp) && !is_short_form(word) && !(closed && goes_on(rest));
		closed = true;
	}
	return false;
}

/* Reads the next word; *fresh is set if a blank line precedes it. A wide stop ends a word. */
static bool next_word(struct loom_str text, size_t *at, struct loom_str *out, bool *fresh,
		      bool *wide)
{
	size_t begin = 0;
	int feeds = 0;

	*wide = false;
	for (begin = *at; begin < text.n; begin = *at) {
		uint32_t cp = loom_utf8_next(text, at);

		if (!is_blank(cp))
			break;
		feeds += cp == '\n';
	}
	if (begin >= text.n)
		return false;
	*at = begin;
	while (*at < text.n && !*wide) {
		size_t next = *at;
		uint32_t cp = loom_utf8_next(text, &next);

		if (is_blank(cp))
			break;
		*at = next;
		*wide = is_wide_stop(cp);
	}
	*out = loom_str_sub(text, begin, *at - begin);
	*fresh = feeds > 1;
	LOOM_ASSERT(*at > begin && *at <= text.n);
	return true;
}

/* Returns whether only blanks are left, so that nothing was cut. */
static bool is_rest_blank(struct loom_str text, size_t at)
{
	while (at < text.n)
		if (!is_blank(loom_utf8_next(text, &at)))
			return false;
	return true;
}

static void cut_off(struct loom_buf *out, size_t begin)
{
	LOOM_ASSERT(begin <= out->n);
	while (out->n > begin && strchr(",;:-", out->p[out->n - 1]))
		loom_buf_cut(out, out->n - 1);
	loom_buf_adds(out, "...");
}

void loom_show_sentence(struct loom_str text, struct loom_buf *out)
{
	const size_t begin = out->n;
	struct loom_str word;
	size_t words = 0;
	size_t chars = 0;
	size_t at = 0;
	bool fresh = false;
	bool wide = false;
	bool joined = false;

	while (next_word(text, &at, &word, &fresh, &wide)) {
		size_t length = loom_utf8_length(word);

		if (words && fresh)
			return;
		if (words == SENTENCE_WORDS || (words && chars + length > SENTENCE_CHARS)) {
			cut_off(out, begin);
			return;
		}
		if (words && !joined)
			loom_buf_addc(out, ' ');
		if (length > SENTENCE_CHARS) {
			loom_buf_add(out, loom_utf8_clip(word, SENTENCE_CHARS));
			cut_off(out, begin);
			return;
		}
		loom_buf_add(out, word);
		words++;
		chars += length + 1;
		if (wide || ends_sentence(word, loom_str_sub(text, at, text.n)) ||
		    is_rest_blank(text, at))
			return;
		joined = wide;
	}
}

void loom_show_summary(const struct loom_node *node, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (node->summary.n)
		loom_buf_add(&text, node->summary);
	else
		loom_show_sentence(node->text, &text);
	loom_shown_line(out, loom_buf_str(&text), 0);
	loom_buf_fini(&text);
}

void loom_show_quoted(const struct loom_node *node, struct loom_buf *out)
{
	loom_buf_addc(out, '"');
	loom_show_summary(node, out);
	loom_buf_addc(out, '"');
}

/* ---- trees, documents, errors ---- */

void loom_show_tree(struct loom_str title, struct loom_buf *out)
{
	loom_buf_adds(out, "tree:\"");
	loom_shown_line(out, title, 0);
	loom_buf_addc(out, '"');
}

void loom_show_doc(struct loom_str name, struct loom_str section, struct loom_buf *out)
{
	loom_buf_adds(out, "doc:\"");
	loom_shown_line(out, name, 0);
	loom_buf_addc(out, '"');
	if (!section.n)
		return;
	loom_buf_adds(out, " §");
	loom_shown_line(out, section, 0);
}

void loom_show_doc_doubts(const struct loom_doc *doc, struct loom_buf *out)
{
	const struct loom_agent author = {
		.name = doc->author_name,
		.from = doc->from,
		.claim = LOOM_CLAIM_UNSIGNED,
	};

	if (doc->from.n) {
		loom_buf_adds(out, " · ");
		loom_show_claim(&author, out);
	}
	if (doc->damaged)
		loom_buf_adds(out, " · damaged, see loom check --deep");
}

void loom_show_err(const struct loom_err *err, struct loom_buf *out)
{
	struct loom_str hint = loom_str_of(err->hint);
	struct loom_str line;

	LOOM_ASSERT(err->status != LOOM_OK);
	loom_buf_addf(out, "✗ %s: ", loom_status_code(err->status));
	loom_shown_line(out, loom_str_of(err->text), 0);
	for (bool first = true; hint.n && loom_str_line(&hint, &line); first = false) {
		loom_buf_adds(out, first ? "\n  hint: " : "\n    ");
		loom_shown_line(out, line, 0);
	}
}

/* ---- prose ---- */

enum loom_status loom_show_prose(struct loom_show *show, int64_t tip, int64_t thread,
				 struct loom_buf *out, struct loom_err *err)
{
	struct loom_nodes path;
	const size_t begin = out->n;
	enum loom_status status =
		loom_node_path(show->store, tip, thread, LOOM_NODE_TEXT | LOOM_NODE_MARKS,
			       show->arena, &path, err);

	for (size_t i = 0; status == LOOM_OK && i < path.count; i++) {
		const struct loom_node *node = &path.items[i];
		const struct loom_agent *author = loom_show_agent(show, node->author);

		if (!node->text.n)
			continue;
		if (out->n > begin)
			loom_buf_adds(out,
				      author && author->kind == LOOM_AGENT_MODEL ? "︱›" : "︱");
		loom_buf_add(out, node->text);
	}
	return status;
}

void loom_show_result(struct loom_str text, struct loom_str id, struct loom_buf *out)
{
	struct loom_str rest = text;
	struct loom_str line = text;
	struct loom_str after;
	struct loom_str first = LOOM_STR("");

	(void)loom_str_line(&rest, &line);
	after = rest;
	(void)loom_str_line(&after, &first);
	loom_buf_add(out, line);
	/* A long result has its id already. */
	if (id.n && !(first.n == id.n + 2 && loom_str_eq(loom_str_sub(first, 1, id.n), id)))
		loom_buf_addf(out, "\n[%.*s]", LOOM_STR_ARG(id));
	if (rest.n)
		loom_buf_addf(out, "\n%.*s", LOOM_STR_ARG(rest));
}
