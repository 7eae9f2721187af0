/* Recognises the lines of a transcript. Shared by the reader of transcripts and by those who must
 * not write a line that it would take for a header. */
#ifndef LOOM_TOOLS_TURNS_IMPL_H
#define LOOM_TOOLS_TURNS_IMPL_H

#include <loom/language/pasted_turns.h>

#include <loom/language/scan_lines.h>

/* A header line, taken apart. */
struct lang_header {
	enum loom_turns_form form;
	enum loom_speaker speaker;
	struct loom_str author;
	struct loom_str name;
	struct loom_str id;
	struct loom_str when;
	bool alone;  /* as the first line, it makes a transcript by itself */
	bool ruled;  /* counts only with its rule below it */
	size_t rest; /* where in the line the spoken text begins */
};

/* Reads one line without its LF as a header; texts of *out are slices of it. Returns false when it
 * is none. A node's header in a context's layout also needs its rule, at most two lines below,
 * which the caller checks. */
bool lang_header_read(struct loom_str line, struct lang_header *out);
/* Returns whether the line opens one of the frames of our contexts. */
bool lang_frame_opens(struct loom_str line);
/* Returns whether the line names a speaker, quoted with backslashes or not. */
bool lang_line_speaks(struct loom_str line);
/* Returns whether a title, printed after its # sign, would be read as the header of a turn, quoted
 * or not. Uses the arena for scratch. */
bool lang_title_misleads(struct loom_str title, struct loom_arena *arena);
/* Returns whether the line is "## A branch at [a7x2]" as our export writes it; *out_id is the id, a
 * slice of the line. */
bool lang_branch_opens(struct loom_str line, struct loom_str *out_id);
/* Returns whether the line closes a frame. */
bool lang_frame_closes(struct loom_str line);
/* Returns whether the line is a rule: --- */
bool lang_is_rule(struct loom_str line);

#endif
