/* What the commands about documents share. */
#ifndef COMMANDS_DOC_PUT_H
#define COMMANDS_DOC_PUT_H

#include <loom/tree/document.h>

#include <loom/cli/open_grove.h>

#define COMMANDS_DOC_MAX ((size_t)64 << 20)

enum commands_doc_base {
	COMMANDS_DOC_ANY,  /* whatever is there */
	COMMANDS_DOC_NONE, /* it must not be there yet */
	COMMANDS_DOC_HEAD, /* the revision `head` */
};

/* One text that becomes a document, or its next version. */
struct commands_doc_put {
	struct loom_str name;
	struct loom_str text;
	enum commands_doc_base base;
	int64_t head;
	bool append; /* behind what is there */
	/* out */
	struct loom_doc doc; /* as it is now */
	bool created;
	bool changed;
	bool renamed; /* and nothing else */
};

/* All of them or none, in one operation. A text that lost against somebody else's is kept as a
 * draft, and the error says which. */
enum loom_status commands_doc_put(struct cli_grove *grove, struct commands_doc_put *puts,
				  size_t count, int64_t *out_op, struct loom_err *err) LOOM_MUST;
/* "✓ wrote …" for each, and what it is now. */
void commands_doc_say(struct cli_grove *grove, const struct commands_doc_put *puts, size_t count,
		      int64_t op);
/* Keeps a text that could not be written as a draft and says so in the hint of *err, which already
 * tells of `status`; returns that. */
enum loom_status commands_doc_keep(struct cli_grove *grove, const struct commands_doc_put *put,
				   enum loom_status status, struct loom_err *err);

#endif
