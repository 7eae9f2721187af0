/* What the parts of the reader of transcripts share. Nothing here is for other rooms. */
#ifndef LOOM_TOOLS_TURNS_IMPL_H
#define LOOM_TOOLS_TURNS_IMPL_H

#include <loom/language/pasted_turns.h>

#include <loom/language/scan_lines.h>

/* What a line says when it is a header. */
struct lang_header {
	enum loom_turns_form form;
	enum loom_speaker speaker;
	struct loom_str author;
	struct loom_str name;
	struct loom_str id;
	struct loom_str when;
	bool alone;  /* as the first line it makes a transcript by itself */
	bool ruled;  /* counts only with its rule below it */
	size_t rest; /* where in the line what is said begins */
};

/* Reads one line without its LF; false when it is no header. A node's header as a context
 * has it still needs its rule, two lines further at most. */
bool lang_header_read(struct loom_str line, struct lang_header *out);
/* Whether the line begins one of our context's frames. */
bool lang_frame_opens(struct loom_str line);
/* Whether the line names a speaker, be it quoted or not. */
bool lang_line_speaks(struct loom_str line);
/* Whether a title, behind its sign, would be read as the header of a turn; be it quoted or not. */
bool lang_title_misleads(struct loom_str title, struct loom_arena *arena);
/* ## A branch at [a7x2], as our own export has it. */
bool lang_branch_opens(struct loom_str line, struct loom_str *out_id);
/* Whether it ends one. */
bool lang_frame_closes(struct loom_str line);
/* --- */
bool lang_is_rule(struct loom_str line);

#endif
