/* The tables as data: one const record a verb, a group or a screen action, made from verbs.def,
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
	const char *synonyms; /* `|` between them */
	const char *args;     /* notation: verbs.def */
	const char *keys;     /* VIEW:KEY pairs, blank between */
	const char *past;     /* "viewed" */
	const char *summary;
	const char *example; /* with its arrow */
};

struct loom_action_info {
	const char *name;
	const char *keys;
	const char *summary;
};

/* Words of several readings: "open" could be view or switch. */
struct loom_unsure_info {
	const char *phrase;
	const char *readings; /* names of verbs, `|` between them */
};

/* The record of a verb, NULL for LOOM_VERB_NONE. Lives for ever. */
const struct loom_verb_info *loom_verb_info(enum loom_verb verb);
/* By exact name in any case; LOOM_VERB_NONE when there is none. */
enum loom_verb loom_verb_find(struct loom_str name);
/* The verb whose name or synonym is nearest to a misspelt word; LOOM_VERB_NONE when none is near
 * enough to be meant. */
enum loom_verb loom_verb_nearest(struct loom_str word);
/* How many single letters must be put in, taken out, changed or swapped with their neighbour to
 * make one word of the other, case folded; above `most` gives most + 1. */
size_t loom_word_distance(struct loom_str a, struct loom_str b, size_t most);
/* Whether a word of the text begins with this one, case folded: how a command is found by what it
 * is about. Never for a word of fewer than three letters, which begins too many. */
bool loom_text_mentions(struct loom_str text, struct loom_str word);

/* Every form that a verb takes, each as a line of its own with the arrow before it. */
void loom_verb_forms(const struct loom_verb_info *verb, struct loom_buf *out);
/* Its other spellings with commas between them; nothing where there are none. */
void loom_verb_also(const struct loom_verb_info *verb, struct loom_buf *out);

/* What help says of a verb ("→ continue") beyond its row; "" when that is nothing. A line that
 * begins with blanks is not to be filled. */
const char *loom_verb_note(struct loom_str name);

/* The screen's actions; *out_count may be 0. */
const struct loom_action_info *loom_actions(size_t *out_count);

/* All of them; *out_count may be 0. They live for ever. */
const struct loom_unsure_info *loom_unsure(size_t *out_count);

#endif
