/* The tables as data: one const record per verb, group or screen action, made from verbs.def,
 * actions.def and groups.def. Help, completion, key bindings, permissions and the parser all read
 * these. */
#ifndef LOOM_REGISTRY_H
#define LOOM_REGISTRY_H

#include <loom/language/group.h>
#include <loom/language/verb.h>
#include <loom/tree/gate.h>
#include <loom/base/str.h>

struct loom_verb_info {
	enum loom_verb verb;
	unsigned deed; /* what it does (gate.h) */
	enum loom_permission permission;
	enum loom_group group;
	const char *name;
	const char *synonyms; /* separated by `|` */
	const char *args;     /* notation: see verbs.def */
	const char *keys;     /* VIEW:KEY pairs, separated by blanks */
	const char *past;     /* "viewed" */
	const char *summary;
	const char *example; /* with its arrow */
};

struct loom_action_info {
	const char *name;
	const char *keys;
	const char *summary;
};

/* An ambiguous phrase: "open" could be view or switch. */
struct loom_unsure_info {
	const char *phrase;
	const char *readings; /* names of verbs, separated by `|` */
};

/* Returns the record of a verb, or NULL for LOOM_VERB_NONE. Static. */
const struct loom_verb_info *loom_verb_info(enum loom_verb verb);
/* Finds a verb by its exact name, ignoring case. Returns LOOM_VERB_NONE when there is none. */
enum loom_verb loom_verb_find(struct loom_str name);
/* Returns the verb whose name or synonym is closest to a misspelt word, or LOOM_VERB_NONE when none
 * is close enough. */
enum loom_verb loom_verb_nearest(struct loom_str word);
/* Returns how many letters must be inserted, removed, changed or swapped with their neighbour to
 * turn one word into the other, ignoring case. Returns most + 1 when it is more than `most`. */
size_t loom_word_distance(struct loom_str a, struct loom_str b, size_t most);
/* Returns whether a word of the text begins with `word`, ignoring case; finds a command by its
 * topic. Always false for words of fewer than three letters, which would match too much. */
bool loom_text_mentions(struct loom_str text, struct loom_str word);

/* Appends the verb's line in the table of all, with its line feed: "→ view ID … — Show a node". */
void loom_verb_line(const struct loom_verb_info *verb, struct loom_buf *out);
/* Appends every form of a verb, each on a line of its own with its arrow. */
void loom_verb_forms(const struct loom_verb_info *verb, struct loom_buf *out);
/* Appends the verb's synonyms, separated by commas; nothing when it has none. */
void loom_verb_also(const struct loom_verb_info *verb, struct loom_buf *out);

/* Returns what help says about a verb ("→ continue") beyond its row, or "". Static. Lines that
 * begin with blanks are preformatted. */
const char *loom_verb_note(struct loom_str name);

/* Returns the screen's actions and their number, which may be 0. Static. */
const struct loom_action_info *loom_actions(size_t *out_count);

/* Returns the ambiguous phrases and their number, which may be 0. Static. */
const struct loom_unsure_info *loom_unsure(size_t *out_count);

#endif
