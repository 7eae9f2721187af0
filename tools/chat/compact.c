/* Writes the summary of a compaction. Invariants: each message that goes is in it, or counted; no
 * voice passes for another; calls go with their results. What goes, and when, is decided by others.
 */
#include <loom/chat/compact.h>

#include <loom/engine/summary_prompt.h>
#include <loom/base/utf8.h>
#include <loom/log/block.h>
#include <loom/text/sanitise.h>
#include <loom/tree/say_node.h>

#define PIECE_TOKENS 6000 /* of the conversation in one request, if the window is unknown */
#define SAYS_SUMMARY "Summary of the "
#define SAYS_EXTRACT " (extract)"

/* ---- what goes ---- */

/* No voice passes for another: what a tool said stands under the tool's name. */
static struct loom_str voice_of(const struct loom_entry *entry, struct loom_arena *arena)
{
	switch (entry->role) {
	case LOOM_ROLE_ASSISTANT:
		return LOOM_STR("you");
	case LOOM_ROLE_TOOL:
		return loom_arena_format(arena, "tool %.*s",
					 LOOM_STR_ARG(loom_jval_text(entry->name, arena)));
	case LOOM_ROLE_SYSTEM:
		return LOOM_STR("system");
	case LOOM_ROLE_USER:
	case LOOM_ROLE_OTHER:
		break;
	}
	return entry->role == LOOM_ROLE_USER
		       ? LOOM_STR("user")
		       : loom_arena_str(arena, loom_jval_text(entry->role_name, arena));
}

/* An entry's text without the thread's block; what it calls for stands in it as text. */
static struct loom_str text_of(const struct loom_entry *entry, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_prompt_message said;
	struct loom_str out;
	size_t own = 0;

	loom_entry_message(entry, arena, &said);
	if (said.call_count)
		(void)loom_prompt_text(&said, NULL, 0, &text);
	else
		loom_entry_text(entry, &text);
	own = loom_block_length(entry, loom_buf_str(&text));
	out = loom_arena_str(arena,
			     loom_str_trim(loom_str_sub(loom_buf_str(&text), own, SIZE_MAX)));
	loom_buf_fini(&text);
	return out;
}

/* Takes over what an earlier compaction left as its first message. */
static bool take_summary(struct chat_compaction *compaction, const struct loom_entry *entry)
{
	struct loom_str rest;
	struct loom_str line;
	int64_t count = 0;

	if (!loom_jval_int(loom_jval_get(entry->refs, LOOM_REF_SUMMARY), &count) || count <= 0)
		return false;
	rest = compaction->so_far = text_of(entry, compaction->arena);
	(void)loom_str_line(&rest, &line);
	/* What a person wrote has no such line. */
	if (loom_str_starts(line, LOOM_STR(SAYS_SUMMARY)))
		compaction->so_far = loom_str_trim(rest);
	compaction->extract = loom_str_find(line, LOOM_STR(SAYS_EXTRACT), 0) != SIZE_MAX;
	compaction->messages = count;
	return true;
}

bool chat_compaction_take(struct chat_compaction *compaction, const struct loom_context *context,
			  size_t entries)
{
	struct loom_arena *arena = compaction->arena;
	size_t from = 0;

	LOOM_ASSERT(entries <= context->count);
	entries = loom_context_cut(context, entries);
	compaction->so_far = LOOM_STR("");
	compaction->messages = 0;
	compaction->extract = false;
	if (!entries)
		return false;
	from = take_summary(compaction, &context->entries[0]);
	compaction->going_count = entries - from;
	compaction->going = LOOM_ARENA_ARRAY(arena, entries, struct chat_going);
	for (size_t i = from; i < entries; i++)
		compaction->going[i - from] =
			(struct chat_going){.voice = voice_of(&context->entries[i], arena),
					    .text = text_of(&context->entries[i], arena)};
	compaction->entries = entries;
	compaction->messages += (int64_t)compaction->going_count;
	compaction->through_seq = context->entries[entries - 1].seq;
	return compaction->going_count > 0;
}

/* ---- the model ---- */

static void ask_on(struct chat_compaction *compaction);

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct chat_compaction *compaction = ctx;

	(void)choice;
	compaction->said = loom_arena_str(compaction->arena, loom_str_trim(result->text));
	if (result->finish == LOOM_FINISH_ERROR)
		compaction->failed = result->err;
	else if (result->finish == LOOM_FINISH_CANCELLED)
		loom_fail(&compaction->failed, LOOM_CANCELLED, "stopped");
	else if (!compaction->said.n)
		loom_fail(&compaction->failed, LOOM_MODEL, "the model returned no summary");
}

static void on_done(void *ctx)
{
	struct chat_compaction *compaction = ctx;

	compaction->generation = NULL;
	if (compaction->failed.status == LOOM_OK) {
		compaction->so_far = compaction->said;
		compaction->extract = false;
		compaction->at = compaction->next;
		if (compaction->at < compaction->going_count) {
			ask_on(compaction);
			return;
		}
	}
	compaction->done(compaction->ctx);
}

/* How much of the conversation goes into one request. */
static int64_t piece_tokens(const struct chat_compaction *compaction,
			    const struct loom_voice_info *info)
{
	const int64_t room = loom_budget(info->context, compaction->tokens) - compaction->tokens;

	return !info->context ? PIECE_TOKENS : room > 64 ? room * 3 / 4 : 48;
}

/* Appends the next messages, as many as fit and at least one, which may be cut. */
static void add_piece(struct chat_compaction *compaction, int64_t tokens, struct loom_buf *out)
{
	const size_t most = (size_t)tokens * 4;

	compaction->next = compaction->at;
	while (compaction->next < compaction->going_count) {
		const struct chat_going *one = &compaction->going[compaction->next];
		struct loom_str text = one->text;

		if (out->n && out->n + text.n > most)
			break;
		if (text.n > most)
			text = loom_utf8_clip(text, most);
		loom_buf_addf(out, "%s%.*s: %.*s%s", out->n ? "\n\n" : "", LOOM_STR_ARG(one->voice),
			      LOOM_STR_ARG(text), text.n < one->text.n ? "…" : "");
		compaction->next++;
	}
}

static void ask_on(struct chat_compaction *compaction)
{
	const struct loom_generator *generator = compaction->generator;
	const struct loom_generate_sink sink = {.end = on_end, .done = on_done, .ctx = compaction};
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUMMARY};
	struct loom_prompt_message message = {.role = LOOM_ROLE_USER};
	struct loom_generate_request request = {.voice = voice,
						.messages = &message,
						.message_count = 1,
						.n = 1,
						.tokens = compaction->tokens,
						.salt = (uint64_t)compaction->at << 20 ^ 0x636f6d};
	struct loom_buf talk = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_voice_info info = {.context = 0};
	enum loom_status status =
		generator->describe(generator->ctx, &voice, &info, &compaction->failed);

	add_piece(compaction, piece_tokens(compaction, &info), &talk);
	loom_summary_talk(compaction->title, compaction->so_far, loom_buf_str(&talk),
			  compaction->tokens, &text);
	message.text = loom_buf_str(&text);
	if (status == LOOM_OK)
		status = generator->start(generator->ctx, &request, &sink, &compaction->generation,
					  &compaction->failed);
	loom_buf_fini(&talk);
	loom_buf_fini(&text);
	if (status != LOOM_OK)
		compaction->done(compaction->ctx);
}

bool chat_compaction_ask(struct chat_compaction *compaction)
{
	const struct loom_generator *generator = compaction->generator;
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUMMARY};
	struct loom_voice_info info = {.configured = false};

	LOOM_ASSERT(compaction->tokens > 0 && compaction->done);
	compaction->at = 0;
	loom_err_clear(&compaction->failed);
	if (generator->describe(generator->ctx, &voice, &info, &compaction->failed) == LOOM_OK &&
	    !info.configured)
		loom_fail(&compaction->failed, LOOM_MODEL, "no summary_model is configured");
	if (compaction->failed.status != LOOM_OK)
		return false;
	ask_on(compaction);
	return true;
}

void chat_compaction_cancel(struct chat_compaction *compaction)
{
	if (compaction->generation)
		compaction->generator->cancel(compaction->generator->ctx, compaction->generation,
					      LOOM_CHOICES_ALL);
}

/* ---- the summary ---- */

/* Returns the end of a text that fits, in whole lines; of a single long line the beginning. */
static struct loom_str last_lines(struct loom_str text, size_t most, bool *cut)
{
	size_t feed = 0;

	*cut = text.n > most;
	if (!*cut)
		return text;
	feed = loom_str_find_char(text, '\n', text.n - most - 1);
	return feed == SIZE_MAX ? loom_utf8_clip(text, most)
				: loom_str_sub(text, feed + 1, SIZE_MAX);
}

/* Appends the beginning of a text as one line: its first sentence, or as many words as fit. */
static void add_beginning(struct loom_str text, size_t most, struct loom_buf *out)
{
	const size_t begin = out->n;
	struct loom_str clipped = text;

	loom_show_sentence(text, out);
	if (out->n - begin >= most || out->n - begin >= text.n)
		return;
	loom_buf_cut(out, begin);
	if (text.n > most) {
		clipped = loom_utf8_clip(text, most);
		while (clipped.n && clipped.p[clipped.n - 1] != ' ' &&
		       clipped.p[clipped.n - 1] != '\n')
			clipped.n--;
		clipped = loom_str_trim(clipped.n ? clipped : loom_utf8_clip(text, most));
	}
	loom_shown_line(out, clipped, 0);
	if (clipped.n < text.n)
		loom_buf_adds(out, "…");
}

/* Appends "- user: I go." for the messages that the model did not sum up: the newest that fit, each
 * with its share of the room. Returns how many do not fit. */
static size_t add_extracts(const struct chat_compaction *compaction, size_t most,
			   struct loom_buf *out)
{
	const size_t count = compaction->going_count - compaction->at;
	const size_t share = most / count;
	struct loom_buf *lines = loom_alloc(count * sizeof *lines);
	size_t from = count;
	size_t bytes = 0;

	LOOM_ASSERT(count > 0);
	for (; from > 0; from--) {
		const struct chat_going *one = &compaction->going[compaction->at + from - 1];
		struct loom_buf *line = &lines[from - 1];

		loom_buf_init(line, LOOM_BUF_MAX);
		if (!one->text.n)
			continue;
		loom_buf_addf(line, "- %.*s: ", LOOM_STR_ARG(one->voice));
		add_beginning(one->text, share > line->n ? share - line->n : 0, line);
		bytes += line->n + 1;
		if (bytes > most && from < count)
			break;
	}
	for (size_t i = from; i < count; i++)
		if (lines[i].n)
			loom_buf_addf(out, "%s%s", out->n ? "\n" : "", loom_buf_cstr(&lines[i]));
	for (size_t i = from ? from - 1 : 0; i < count; i++)
		loom_buf_fini(&lines[i]);
	free(lines);
	return from;
}

/* Writes the message that takes the place of those that go. */
static struct loom_str write_summary(struct chat_compaction *compaction)
{
	const size_t most = (size_t)compaction->tokens * 4;
	const bool rest = compaction->at < compaction->going_count;
	struct loom_buf extracts = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t half = most / 2 < compaction->so_far.n ? most / 2 : compaction->so_far.n;
	struct loom_str before;
	struct loom_str out;
	size_t skipped = 0;
	bool cut = false;

	if (rest)
		skipped = add_extracts(compaction, most - half, &extracts);
	before = last_lines(compaction->so_far, most - extracts.n > half ? most - extracts.n : half,
			    &cut);
	compaction->extract |= rest;
	loom_buf_adds(&text, SAYS_SUMMARY);
	if (compaction->messages == 1)
		loom_buf_adds(&text, "message");
	else
		loom_show_many(compaction->messages, "message", "messages", &text);
	loom_buf_addf(&text, " before%s:", compaction->extract ? SAYS_EXTRACT : "");
	if (cut)
		loom_buf_adds(&text, "\n(the oldest are left out)");
	if (before.n)
		loom_buf_addf(&text, "\n%.*s", LOOM_STR_ARG(before));
	if (skipped) {
		loom_buf_adds(&text, "\n(");
		loom_show_many((int64_t)skipped, "message", "messages", &text);
		loom_buf_adds(&text, " left out)");
	}
	if (extracts.n)
		loom_buf_addf(&text, "\n%s", loom_buf_cstr(&extracts));
	out = loom_arena_buf(compaction->arena, &text);
	loom_buf_fini(&text);
	loom_buf_fini(&extracts);
	return out;
}

enum loom_status chat_compaction_apply(struct chat_compaction *compaction, struct loom_run *run,
				       struct loom_str given, struct loom_run_result *result,
				       struct loom_err *err)
{
	struct loom_compaction order = {.through_seq = compaction->through_seq,
					.entries = compaction->entries,
					.messages = compaction->messages,
					.meta = LOOM_STR("{}"),
					.summary = given};
	enum loom_status status = LOOM_OK;

	if (given.p)
		compaction->extract = false;
	else
		order.summary = write_summary(compaction);
	if (compaction->extract)
		order.meta = LOOM_STR("{\"extract\":true}");
	status = loom_run_compact(run, &order, result, err);
	return status == LOOM_OK && result->why
		       ? loom_fail(err, LOOM_REFUSED, "not compacted: %s", result->why)
		       : status;
}
