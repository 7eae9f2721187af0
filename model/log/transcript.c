/* A thread's conversation as a file for people: who, when, and every word. */
#include <loom/log/block.h>

#include <loom/text/quoting.h>

#include <loom/base/env.h>
#include <loom/text/markdown.h>
#include <loom/text/sanitise.h>

struct transcript {
	const struct loom_transcript_opts *opts;
	struct loom_arena *arena;
	struct loom_buf *out;
	size_t count;
};

/* Returns a message's text: a string, or the texts of its parts; other parts as they are. */
static struct loom_str content_of(struct transcript *transcript, struct loom_str content)
{
	struct loom_jwalk walk = loom_jval_walk(content);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str value;
	struct loom_str result;

	LOOM_ASSERT(transcript->arena);
	if (loom_jval_type(content) == LOOM_JTYPE_STRING)
		return loom_jval_text(content, transcript->arena);
	while (loom_jval_type(content) == LOOM_JTYPE_ARRAY &&
	       loom_jwalk_next(&walk, NULL, &value)) {
		struct loom_str part = loom_jval_get(value, "text");

		if (text.n)
			loom_buf_addc(&text, '\n');
		loom_buf_add(&text, part.p ? loom_jval_text(part, transcript->arena) : value);
	}
	result = loom_arena_buf(transcript->arena, &text);
	loom_buf_fini(&text);
	return result;
}

static void put_head(struct transcript *transcript, const struct loom_log_row *row,
		     struct loom_str payload, struct loom_str role)
{
	struct loom_str name = loom_jval_text(loom_jval_get(payload, "name"), transcript->arena);
	struct loom_buf when = LOOM_BUF_INIT(64);

	loom_buf_addf(transcript->out, "\n## %lld. %.*s", (long long)row->seq,
		      LOOM_STR_ARG(loom_shown_label(transcript->arena, role)));
	/* A heading is one line, whatever other runtimes call their tools. */
	if (name.n)
		loom_buf_addf(transcript->out, " %.*s",
			      LOOM_STR_ARG(loom_shown_label(transcript->arena, name)));
	if (row->at_ms != LOOM_TIME_NONE) {
		loom_time_iso(row->at_ms, &when);
		loom_buf_addf(transcript->out, " · %s", loom_buf_cstr(&when));
	}
	loom_buf_adds(transcript->out, "\n");
	loom_buf_fini(&when);
}

static void put_part(struct transcript *transcript, const char *name, struct loom_str text)
{
	if (!text.n)
		return;
	if (name)
		loom_buf_addf(transcript->out, "%s\n", name);
	model_put_fence(transcript->out, LOOM_STR(""), text);
}

static bool put_message(void *ctx, const struct loom_log_row *row)
{
	struct transcript *transcript = ctx;
	struct loom_str payload = loom_jval_of(row->payload);
	struct loom_str role = loom_jval_text(loom_jval_get(payload, "role"), transcript->arena);
	struct loom_str calls = loom_jval_get(payload, "tool_calls");
	struct loom_log_columns columns;

	if (!loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		return true;
	loom_log_columns(row, transcript->arena, &columns);
	if (!loom_str_eq(columns.lane, transcript->opts->lane))
		return true;
	transcript->count++;
	put_head(transcript, row, payload, role);
	put_part(transcript,
		 "Thinking:", content_of(transcript, loom_jval_get(payload, "thinking")));
	put_part(transcript, NULL, content_of(transcript, loom_jval_get(payload, "content")));
	if (loom_jval_count(calls))
		put_part(transcript, "Calls:", calls);
	return true;
}

enum loom_status loom_transcript(const struct loom_log *log,
				 const struct loom_transcript_opts *opts, struct loom_arena *arena,
				 struct loom_buf *out, size_t *out_messages, struct loom_err *err)
{
	struct transcript transcript = {.opts = opts, .arena = arena, .out = out};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = LOOM_SEQ_HEAD};
	const struct loom_log_visitor visitor = {put_message, &transcript};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(log->ops && out_messages);
	loom_buf_addf(out, "# Transcript of %.*s\n\n", LOOM_STR_ARG(opts->thread));
	if (opts->title.n)
		loom_buf_addf(out, "- **Title:** %.*s\n",
			      LOOM_STR_ARG(loom_shown_label(arena, opts->title)));
	loom_buf_addf(out, "- **Agent:** %.*s\n",
		      LOOM_STR_ARG(loom_shown_label(arena, opts->agent)));
	status = log->ops->read(log->ctx, &range, &visitor, err);
	*out_messages = transcript.count;
	return status;
}
