/* Explains why a path is in a payload or not: the rule that shows or hides it, and the lists that
 * name it; with the same wording on the command line and the screen. */
#ifndef LOOM_PAYLOAD_WHY_H
#define LOOM_PAYLOAD_WHY_H

#include <loom/files/ignore.h>
#include <loom/payload/payload.h>

struct loom_payload_why {
	struct loom_str path; /* relative to the root, "." for the root itself; or a URL */
	bool url;             /* rules do not apply */
	bool there;
	struct loom_ignore_why rule;
	struct loom_str below; /* the first path shown below a hidden folder, or empty */
};

/* Explains a path or URL as a list, or a person, writes it; in the arena. LOOM_PATH if it leaves
 * the root. */
enum loom_status loom_payload_explain(const struct loom_payload_place *place, struct loom_str said,
				      struct loom_arena *arena, struct loom_payload_why *out,
				      struct loom_err *err) LOOM_MUST;
/* Appends "hidden by .gitignore:1: *.log", "not there, would be shown: no rule matches", "a
 * URL". */
void loom_payload_why_say(const struct loom_payload_why *why, struct loom_buf *out);
/* Returns whether a list's entry names it, or a folder above it. */
bool loom_payload_why_named(const struct loom_payload_why *why,
			    const struct loom_payload_entry *entry);

#endif
