/* Shared by the commands that write documents. */
#ifndef COMMANDS_DOC_PUT_H
#define COMMANDS_DOC_PUT_H

#include <loom/tree/document.h>

#include <loom/cli/open_grove.h>

#define COMMANDS_DOC_MAX ((size_t)64 << 20)

enum commands_doc_base {
	COMMANDS_DOC_ANY,  /* any version may be current */
	COMMANDS_DOC_NONE, /* the document must not exist */
	COMMANDS_DOC_HEAD, /* revision `head` must be current */
};

/* A text to write as a document or its next version. */
struct commands_doc_put {
	struct loom_str name;
	struct loom_str text;
	enum commands_doc_base base;
	int64_t head;
	bool append; /* append to the current text */
	/* out */
	struct loom_doc doc; /* after the write */
	bool created;
	bool changed;
	bool renamed; /* only the name changed */
};

/* Writes all of the documents in one operation, or none. A text that loses a conflict is kept as a
 * draft, which the error names. */
enum loom_status commands_doc_put(struct cli_grove *grove, struct commands_doc_put *puts,
				  size_t count, int64_t *out_op, struct loom_err *err) LOOM_MUST;
/* Prints "✓ wrote …" and the new state for each document. */
void commands_doc_say(struct cli_grove *grove, const struct commands_doc_put *puts, size_t count,
		      int64_t op);
/* Keeps a text that could not be written as a draft and says so in the hint of *err, which already
 * describes `status`. Returns `status`. */
enum loom_status commands_doc_keep(struct cli_grove *grove, const struct commands_doc_put *put,
				   enum loom_status status, struct loom_err *err);

#endif
