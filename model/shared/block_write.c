/* Writes `<thread_context>`.
 *
 * Written by hand with one escape function: the layout is fixed (two blanks per level, ` />`), and
 * anything XML cannot represent is refused before the first byte. block_read.c reads it;
 * thread_block.c decides what goes into a context. */
#include <loom/shared/thread_context.h>

#include <loom/base/utf8.h>

bool loom_context_mode_parse(struct loom_str name, enum loom_context_mode *out)
{
	static const char *const names[] = {"spawn", "load", "reinject"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		if (loom_str_is(name, names[i])) {
			*out = (enum loom_context_mode)i;
			return true;
		}
	}
	return false;
}

struct loom_context_ref *loom_context_ref_of(struct loom_arena *arena,
					     struct loom_thread_context *context,
					     struct loom_str thread)
{
	for (size_t i = 0; i < context->ref_count; i++) {
		if (loom_str_eq(context->refs[i].thread, thread))
			return &context->refs[i];
	}
	context->refs = loom_arena_grow(arena, context->refs, context->ref_count, &context->ref_cap,
					sizeof(*context->refs));
	LOOM_ASSERT(context->ref_count < context->ref_cap);
	context->refs[context->ref_count] = (struct loom_context_ref){.thread = thread};
	return &context->refs[context->ref_count++];
}

static bool is_xml_char(uint32_t cp)
{
	if (cp < 0x20)
		return cp == '\t' || cp == '\n' || cp == '\r';
	return cp != 0xFFFE && cp != 0xFFFF && cp != LOOM_CP_BAD;
}

bool loom_xml_can_say(struct loom_str text)
{
	size_t at = 0;

	while (at < text.n) {
		if (!is_xml_char(loom_utf8_next(text, &at)))
			return false;
	}
	return true;
}

static const char *reference_for(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&apos;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

/* Appends text escaped for double quotes in XML. */
static void add_escaped(struct loom_buf *out, struct loom_str text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.n; i++) {
		const char *reference = reference_for(text.p[i]);

		if (!reference)
			continue;
		loom_buf_add(out, loom_str_sub(text, from, i - from));
		loom_buf_adds(out, reference);
		from = i + 1;
	}
	loom_buf_add(out, loom_str_sub(text, from, SIZE_MAX));
}

/* The character that a reference such as `amp` or `#45` stands for; 0: none that we write. */
static uint32_t referred(struct loom_str name)
{
	static const char said[] = "&<>\"'\t\n\r-";
	int64_t code = 0;

	if (loom_str_is(name, "#45"))
		return '-';
	for (size_t i = 0; said[i]; i++) {
		const char *reference = reference_for(said[i]);

		if (reference &&
		    loom_str_eq(loom_str_of(reference + 1), loom_str_make(name.p, name.n + 1)))
			return (uint32_t)said[i];
	}
	if (name.n > 1 && name.p[0] == '#' &&
	    loom_str_to_i64(loom_str_sub(name, 1, name.n), &code) && code >= 0x20 && code < 0x7f)
		return (uint32_t)code;
	return 0;
}

struct loom_str loom_xml_unescape(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str plain = text;
	size_t at = 0;

	if (loom_str_find_char(text, '&', 0) == SIZE_MAX)
		return text;
	while (at < text.n) {
		size_t end = text.p[at] == '&' ? loom_str_find_char(text, ';', at) : SIZE_MAX;
		uint32_t c =
			end == SIZE_MAX ? 0 : referred(loom_str_sub(text, at + 1, end - at - 1));

		loom_buf_addc(&out, c ? (char)c : text.p[at]);
		at = c ? end + 1 : at + 1;
	}
	plain = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return plain;
}

/* Appends a comment, in which XML forbids two hyphens beside each other. */
static void emit_comment(struct loom_buf *out, const char *lead, struct loom_str text)
{
	struct loom_buf escaped = LOOM_BUF_INIT(LOOM_BUF_MAX);

	add_escaped(&escaped, text);
	loom_buf_addf(out, "<!-- %s", lead);
	for (size_t i = 0; i < escaped.n; i++) {
		if (escaped.p[i] == '-' && i && escaped.p[i - 1] == '-')
			loom_buf_adds(out, "&#45;");
		else
			loom_buf_addc(out, escaped.p[i]);
	}
	loom_buf_adds(out, " -->\n");
	loom_buf_fini(&escaped);
}

static enum loom_status check_text(struct loom_str text, const char *what, struct loom_err *err)
{
	if (loom_xml_can_say(text))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "%s contains a character that XML does not allow", what);
	return loom_hint(err, LOOM_INVALID, "give it a name without control characters");
}

static enum loom_status check_assets(const struct loom_asset_list *list, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < list->count; i++)
		status = check_text(list->items[i].path, "the path of an asset", err);
	return status;
}

static enum loom_status check(const struct loom_thread_context *context, struct loom_err *err)
{
	enum loom_status status = check_text(context->thread, "the thread's id", err);

	if (status == LOOM_OK)
		status = check_text(context->objective, "the objective", err);
	if (status == LOOM_OK)
		status = check_text(context->relations_file, "the relations file", err);
	if (status == LOOM_OK)
		status = check_assets(&context->assets, err);
	for (size_t i = 0; status == LOOM_OK && i < context->ref_count; i++) {
		status = check_text(context->refs[i].thread, "a referenced thread's id", err);
		if (status == LOOM_OK)
			status = check_assets(&context->refs[i].assets, err);
	}
	return status;
}

static void emit_attribute(struct loom_buf *out, const char *name, struct loom_str value)
{
	LOOM_ASSERT(name[0]);
	loom_buf_addf(out, " %s=\"", name);
	add_escaped(out, value);
	loom_buf_addc(out, '"');
}

/* Says where the frozen copy of an asset is: whoever reads files finds there what was given. */
static void emit_copy(struct loom_buf *out, const struct loom_asset *asset, const char *indent)
{
	const char *state = loom_copy_state_name(asset->state);
	char lead[48];

	if (!asset->read_path.n || loom_str_eq(asset->read_path, asset->path))
		return;
	loom_buf_adds(out, indent);
	snprintf(lead, sizeof lead, "frozen copy%s%s: ", state[0] ? ", " : "", state);
	emit_comment(out, lead, asset->read_path);
}

static void emit_assets(struct loom_buf *out, const struct loom_asset_list *list,
			const char *indent)
{
	for (size_t i = 0; i < list->count; i++) {
		loom_buf_addf(out, "%s<asset", indent);
		emit_attribute(out, "type", loom_str_of(loom_asset_type_name(list->items[i].type)));
		emit_attribute(out, "path", list->items[i].path);
		loom_buf_adds(out, " />\n");
		emit_copy(out, &list->items[i], indent);
	}
}

enum loom_status loom_thread_context_emit(const struct loom_thread_context *context,
					  struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = check(context, err);

	LOOM_ASSERT(out);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(out, "<thread_context");
	emit_attribute(out, "thread", context->thread);
	emit_attribute(out, "objective", context->objective);
	if (context->relations_file.p)
		emit_attribute(out, "relations_file", context->relations_file);
	loom_buf_adds(out, ">\n");
	emit_assets(out, &context->assets, "  ");
	for (size_t i = 0; i < context->ref_count; i++) {
		if (context->refs[i].assets.count == 0)
			continue;
		loom_buf_adds(out, "  <ref");
		emit_attribute(out, "thread", context->refs[i].thread);
		loom_buf_adds(out, ">\n");
		emit_assets(out, &context->refs[i].assets, "    ");
		loom_buf_adds(out, "  </ref>\n");
	}
	for (size_t i = 0; i < context->kept.count; i++)
		emit_copy(out, &context->kept.items[i], "  ");
	loom_buf_adds(out, "</thread_context>");
	return LOOM_OK;
}

void loom_thread_context_message(struct loom_str block, struct loom_str task, struct loom_buf *out)
{
	loom_buf_add(out, block);
	loom_buf_adds(out, "\n\n");
	loom_buf_add(out, task);
}
