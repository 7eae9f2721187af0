/* Agent logs: one record per line, which names its parent or follows the last one. Invariants: a
 * record that is no node does not break the chain, and is kept with the next node, or at the end
 * with the tree; the last record is the session's position, because such a log only grows. The
 * readers interpret the records. */
#include "inside.h"

static struct loom_str id_of(const struct import_chain *chain, struct loom_str record)
{
	const struct import_records_form *form = chain->ctx;

	return import_text(chain->import, record, form->id);
}

static struct loom_str parent_of(const struct import_chain *chain, struct loom_str record)
{
	const struct import_records_form *form = chain->ctx;
	struct loom_str parent = import_text(chain->import, record, form->parent);

	if (!parent.n && form->or_parent)
		parent = import_text(chain->import, record, form->or_parent);
	return parent;
}

static enum import_records_kind kind_of(struct import_records *session, struct loom_str type,
					bool say)
{
	const struct import_records_form *form = session->form;

	for (size_t i = 0; i < form->type_count; i++)
		if (loom_str_is(type, form->types[i].type))
			return form->types[i].kind;
	if (say)
		import_note(session->chat.import, IMPORT_NOT_UNDERSTOOD, "record \"%.*s\"",
			    LOOM_STR_ARG(loom_str_sub(type, 0, 60)));
	return IMPORT_RECORD_BESIDE;
}

/* First pass: finds the parents that are no nodes, and whether there are ids at all. */
static void look(struct import_records *session, struct loom_str text)
{
	struct loom_import *import = session->chat.import;
	struct loom_str line;

	session->list = true;
	while (!session->form->in_order && loom_str_line(&text, &line)) {
		struct loom_str record = loom_str_trim(line);
		struct loom_str type = import_text(import, record, "type");
		struct loom_str id = import_text(import, record, session->form->id);
		enum import_records_kind kind = kind_of(session, type, false);

		if (kind == IMPORT_RECORD_HEADER)
			continue;
		if (kind != IMPORT_RECORD_NODE)
			import_chain_add(&session->chain, record);
		else
			session->list &= !id.n;
	}
	import_chain_settle(&session->chain);
}

void import_records_title(struct import_records *session, struct loom_str title, int rank)
{
	const struct import_tree tree = {.title = title, .mode = LOOM_DIALOGUE};

	if (!title.n || rank < session->rank)
		return;
	session->rank = rank;
	import_retitle(session->chat.import, &tree);
}

/* A session without a name is titled by its person's first words. */
static void title_by_words(struct import_records *session)
{
	const struct chats *chat = &session->chat;

	if (session->rank || chat->node.role != IMPORT_HUMAN || session->aside)
		return;
	import_records_title(session, chats_words(chat->import, loom_buf_str(&chat->text)),
			     IMPORT_RANK_WORDS);
}

void import_records_beside(struct import_records *session, struct loom_str record)
{
	if (session->beside.n)
		loom_buf_addc(&session->beside, ',');
	import_keep(session->chat.import, record, &session->beside);
}

static void take_beside(struct import_records *session)
{
	struct loom_buf *inner = &session->chat.inner;

	if (!session->beside.n)
		return;
	loom_buf_adds(inner, inner->n ? ",\"records\":[" : "\"records\":[");
	loom_buf_add(inner, loom_buf_str(&session->beside));
	loom_buf_addc(inner, ']');
	loom_buf_clear(&session->beside);
}

static enum loom_status read_node(struct import_records *session, struct loom_str record,
				  struct loom_str type, struct loom_err *err)
{
	struct chats *chat = &session->chat;
	enum loom_status status = LOOM_OK;

	/* Wait for the first node: many logs have none, and make no tree. */
	if (!chat->root.n)
		status = chats_root(chat, LOOM_STR("session"), err);
	if (status != LOOM_OK)
		return status;
	chats_begin(chat);
	session->aside = false;
	if (!session->form->in_order) {
		chat->node.id = import_text(chat->import, record, session->form->id);
		chat->node.parent =
			import_chain_find(&session->chain, parent_of(&session->chain, record));
	}
	chats_link(chat, session->number++, session->list);
	status = session->form->node(session, record, type, err);
	if (status != LOOM_OK)
		return status;
	take_beside(session);
	title_by_words(session);
	if (!session->aside) {
		loom_buf_clear(&session->last);
		loom_buf_add(&session->last, chat->node.id);
	}
	return chats_end(chat, err);
}

/* If each record continues the previous one, the last one sets the position, even if it is no node:
 * then its nearest ancestor. */
static void stand_at(struct import_records *session, struct loom_str record)
{
	struct loom_str id;

	if (!session->form->all_chained)
		return;
	id = import_text(session->chat.import, record, session->form->id);
	if (!id.n)
		return;
	id = import_chain_find(&session->chain, id);
	loom_buf_clear(&session->last);
	loom_buf_add(&session->last, id);
}

static enum loom_status read_record(struct import_records *session, struct loom_str record,
				    struct loom_err *err)
{
	struct loom_str type = import_text(session->chat.import, record, "type");

	switch (kind_of(session, type, true)) {
	case IMPORT_RECORD_NODE:
		return read_node(session, record, type, err);
	case IMPORT_RECORD_OWN:
		stand_at(session, record);
		return session->form->own(session, record, type, err);
	case IMPORT_RECORD_HEADER:
		return session->form->own(session, record, type, err);
	case IMPORT_RECORD_BESIDE:
		break;
	}
	stand_at(session, record);
	import_records_beside(session, record);
	return LOOM_OK;
}

static enum loom_status read_records(struct import_records *session, struct loom_str text,
				     struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str record;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, session->chat.import, text);
	for (;;) {
		status = chats_line(&lines, &record, err);
		if (status != LOOM_OK || !record.p)
			return status;
		status = read_record(session, record, err);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status end(struct import_records *session, struct loom_err *err)
{
	/* After the last node they are kept with the tree. */
	if (session->beside.n)
		import_beside_tree(session->chat.import,
				   loom_arena_format(import_scratch(session->chat.import),
						     "\"records\":[%.*s]",
						     LOOM_STR_ARG(loom_buf_str(&session->beside))));
	return chats_mark(session->chat.import, loom_buf_str(&session->last), IMPORT_CURRENT,
			  LOOM_STR(""), err);
}

enum loom_status import_records_read(struct loom_import *import, struct loom_str text,
				     const struct import_records_form *form, void *ctx,
				     struct loom_err *err)
{
	struct import_records session = {.form = form,
					 .ctx = ctx,
					 .chain = {.import = import,
						   .text = text,
						   .id = id_of,
						   .parent = parent_of,
						   .ctx = form},
					 .beside = IMPORT_BUF(import),
					 .last = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status = LOOM_OK;

	chats_init(&session.chat, import);
	look(&session, text);
	status = read_records(&session, text, err);
	if (status == LOOM_OK)
		status = end(&session, err);
	import_chain_fini(&session.chain);
	loom_buf_fini(&session.beside);
	loom_buf_fini(&session.last);
	chats_fini(&session.chat);
	return status;
}
