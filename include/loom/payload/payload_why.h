/* Why a path stands in a payload or not: the rule that shows or hides it, and the lists that name
 * it; in one wording for the command line and the screen. */
#ifndef LOOM_PAYLOAD_WHY_H
#define LOOM_PAYLOAD_WHY_H

#include <loom/files/ignore.h>
#include <loom/payload/payload.h>

struct loom_payload_why {
	struct loom_str path; /* from the root, "." for the root itself; or a URL */
	bool url;             /* no rule speaks of it */
	bool there;
	struct loom_ignore_why rule;
	struct loom_str below; /* the first that shows below a hidden folder, or empty */
};

/* Of a path or URL as a list, or a person, writes it. LOOM_PATH when it leaves the root. */
enum loom_status loom_payload_explain(const struct loom_payload_place *place, struct loom_str said,
				      struct loom_arena *arena, struct loom_payload_why *out,
				      struct loom_err *err) LOOM_MUST;
/* "hidden by .gitignore:1: *.log", "not there, would be shown: no rule matches", "a URL". */
void loom_payload_why_say(const struct loom_payload_why *why, struct loom_buf *out);
/* Whether a list's entry names it: itself, or a folder above it. */
bool loom_payload_why_named(const struct loom_payload_why *why,
			    const struct loom_payload_entry *entry);

#endif
