/* Writes documents from the command line, based on the version that was read. Texts that lose a
 * conflict become drafts. */
#include "doc_put.h"

#include <loom/grove/draft.h>

/* --- writing --- */

struct putting {
	struct cli_grove *grove;
	struct commands_doc_put *puts;
	size_t count;
	size_t at; /* the one being written, or that failed */
};

static enum loom_status create(struct loom_store *store, const struct putting *putting,
			       struct commands_doc_put *put, struct loom_err *err)
{
	int64_t doc = 0;
	enum loom_status status = LOOM_OK;

	if (put->base == COMMANDS_DOC_HEAD)
		return loom_fail(err, LOOM_NOT_FOUND, "document \"%.*s\" does not exist",
				 LOOM_STR_ARG(put->name));
	status = loom_doc_create(store, put->name, put->text, putting->grove->actor.id, &doc, err);
	put->created = put->changed = true;
	loom_op_say(store, "created doc:\"%.*s\"", LOOM_STR_ARG(put->name));
	return status ? status
		      : loom_doc_get(store, doc, false, putting->grove->arena, &put->doc, err);
}

/* The old text, completed to a whole line, and the new text. */
static struct loom_str appended(struct loom_arena *arena, struct loom_str old, struct loom_str new)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;

	loom_buf_add(&text, old);
	if (old.n && old.p[old.n - 1] != '\n')
		loom_buf_addc(&text, '\n');
	loom_buf_add(&text, new);
	copy = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return copy;
}

static enum loom_status refuse_existing(const struct commands_doc_put *put, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT, "there already is a document \"%.*s\"",
		  LOOM_STR_ARG(put->doc.name));
	return loom_hint(err, LOOM_CONFLICT,
			 "--replace overwrites it; --name chooses another name");
}

static enum loom_status change(struct loom_store *store, const struct putting *putting,
			       struct commands_doc_put *put, struct loom_err *err)
{
	struct loom_arena *arena = putting->grove->arena;
	struct loom_str text = put->text;
	int64_t doc = put->doc.id;
	enum loom_status status = LOOM_OK;

	if (put->append)
		text = appended(arena, put->doc.text, text);
	if (loom_str_eq(text, put->doc.text))
		return LOOM_OK;
	if (put->base == COMMANDS_DOC_NONE)
		return refuse_existing(put, err);
	status = loom_doc_write(store, doc, text, putting->grove->actor.id,
				put->base == COMMANDS_DOC_HEAD ? put->head : -1, err);
	put->changed = true;
	loom_op_say(store, "wrote doc:\"%.*s\"", LOOM_STR_ARG(put->doc.name));
	return status ? status : loom_doc_get(store, doc, false, arena, &put->doc, err);
}

static enum loom_status put_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct putting *putting = ctx;
	enum loom_status status = LOOM_OK;

	for (putting->at = 0; !status && putting->at < putting->count; putting->at++) {
		struct commands_doc_put *put = &putting->puts[putting->at];
		struct loom_err missing;

		status = loom_doc_find(store, put->name, true, putting->grove->arena, &put->doc,
				       &missing);
		if (status == LOOM_NOT_FOUND)
			status = create(store, putting, put, err);
		else if (status)
			loom_fail(err, status, "%s", missing.text);
		else
			status = change(store, putting, put, err);
	}
	if (!status && putting->count > 1)
		loom_op_say(store, "wrote %zu documents", putting->count);
	return status;
}

enum loom_status commands_doc_put(struct cli_grove *grove, struct commands_doc_put *puts,
				  size_t count, int64_t *out_op, struct loom_err *err)
{
	struct putting putting = {.grove = grove, .puts = puts, .count = count};
	struct cli_write write = {.kind = "document", .run = put_all, .ctx = &putting};
	enum loom_status status = cli_grove_write(grove, &write, err);

	*out_op = write.op;
	if (status == LOOM_OFFLINE && count == 1)
		return commands_doc_keep(grove, puts, status, err);
	if (status != LOOM_CONFLICT || !putting.at ||
	    puts[putting.at - 1].base != COMMANDS_DOC_HEAD)
		return status;
	return commands_doc_keep(grove, &puts[putting.at - 1], status, err);
}

/* --- texts that lost a conflict --- */

/* Runs in the calling thread, even after ^C. */
enum loom_status commands_doc_keep(struct cli_grove *grove, const struct commands_doc_put *put,
				   enum loom_status status, struct loom_err *err)
{
	struct loom_draft draft = {
		.kind = status == LOOM_CONFLICT ? LOOM_STR("conflict") : LOOM_STR("document"),
		.anchor = put->name,
		.text = put->text,
		.why = loom_str_of(err ? err->text : ""),
	};
	struct loom_err lost = {.status = LOOM_OK};
	struct loom_str id;

	if (loom_draft_save(grove->store, &draft, grove->arena, &id, &lost))
		loom_out_warn(grove->cli->out, "your text could not be kept as a draft: %s",
			      lost.text);
	else
		loom_hint(err, status,
			  "your text is kept: loom drafts show %.*s; read the document again, then "
			  "repeat the write",
			  LOOM_STR_ARG(id));
	return status;
}

/* --- printing --- */

static void say_put(struct loom_cli *cli, const struct commands_doc_put *put)
{
	const struct loom_str name = put->doc.name;
	const char *words = loom_answer_many(cli, put->doc.words, "word", "words");

	if (put->created)
		loom_answer_done(cli, "created doc:\"%.*s\" (%s)", LOOM_STR_ARG(name), words);
	else if (!put->changed)
		loom_answer_done(cli, "doc:\"%.*s\" unchanged", LOOM_STR_ARG(name));
	else if (put->renamed)
		loom_answer_done(cli, "renamed to doc:\"%.*s\"", LOOM_STR_ARG(name));
	else
		loom_answer_done(cli, "%s doc:\"%.*s\" (now %s)",
				 put->append ? "appended to" : "wrote", LOOM_STR_ARG(name), words);
}

void commands_doc_say(struct cli_grove *grove, const struct commands_doc_put *puts, size_t count,
		      int64_t op)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_list(cli, "documents");
	for (size_t i = 0; i < count; i++) {
		const struct commands_doc_put *put = &puts[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", put->doc.name);
		loom_answer_ulid(cli, "id", &put->doc.ulid);
		loom_answer_number(cli, "version", put->doc.version);
		loom_answer_number(cli, "head", put->doc.head);
		loom_answer_number(cli, "words", put->doc.words);
		loom_answer_flag(cli, "created", put->created);
		loom_answer_flag(cli, "changed", put->changed);
		say_put(cli, put);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_answer_id(cli, "op", op);
}
