/* Finds out who said what in a transcript: text in, turns out. No effects and no store; the same
 * bytes give the same turns, in time linear in them.
 *
 * Recognises `Human:`, `**You**`, `### User`, `You said:`, a name alone on its line, our own
 * context layout (`[a7x2] human · 3m ago`), its frames (`=== Loom Context ===`) and
 * <thread_context> blocks. A text has one form of header: the first one that occurs for both sides.
 * What looks like a header of another form, or stands inside code or a block, is part of what
 * somebody said. */
#ifndef LOOM_TURNS_H
#define LOOM_TURNS_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

enum loom_speaker {
	LOOM_SPEAKER_UNKNOWN,
	LOOM_SPEAKER_HUMAN,
	LOOM_SPEAKER_MODEL,
	LOOM_SPEAKER_SYSTEM,
	LOOM_SPEAKER_TOOL,
};

/* Returns "unknown", "human", "model", "system" or "tool". Static. */
const char *loom_speaker_name(enum loom_speaker speaker);
/* Returns who speaks under a role or a name, ignoring case: "assistant", "You", "GPT-4o". */
enum loom_speaker loom_speaker_of(struct loom_str name);

/* How the header of a turn is written. */
enum loom_turns_form {
	LOOM_TURNS_PLAIN,   /* no header: the text before, between or without turns */
	LOOM_TURNS_COLON,   /* Human: text */
	LOOM_TURNS_BOLD,    /* **You** */
	LOOM_TURNS_HEADING, /* ### User */
	LOOM_TURNS_COPY,    /* ChatGPT said: */
	LOOM_TURNS_BARE,    /* ChatGPT */
	/* [a7x2] human · 3m ago, a line of links, ---; as a heading without these two. */
	LOOM_TURNS_NODE,
	LOOM_TURNS_BLOCK, /* begins with a <thread_context> block */
	/* Written by loom between turns, never a node. With an id, what follows continues that node
	 * instead of the turn before. */
	LOOM_TURNS_FRAME,
	LOOM_TURNS_FORMS
};

/* Returns "plain", "colon", "bold", "heading", "copy", "bare", "node", "block" or "frame".
 * Static. */
const char *loom_turns_form_name(enum loom_turns_form form);

/* One turn. All slices point into the text that was read; `text` may be in the arena. */
struct loom_spoken {
	enum loom_speaker speaker;
	enum loom_turns_form form;
	int64_t line;           /* of its header, from 1 */
	size_t begin;           /* of the whole turn, header included */
	size_t end;             /* where the next turn begins */
	struct loom_str author; /* as in the header: ChatGPT, model; may be empty */
	struct loom_str name;   /* of a node's header: the quoted name after the author */
	struct loom_str id;     /* of a node's or a branch's header, without brackets */
	struct loom_str when;   /* as in the header: 3m ago; may be empty */
	struct loom_str block;  /* the <thread_context> at its beginning */
	struct loom_str raw;    /* the bytes of the turn without blank lines at both ends */
	struct loom_str text;   /* what was said: raw with the quoting of our own forms removed */
	struct loom_str notes;  /* of our own export: the notes below the turn, unchanged */
};

/* Something a reader of the text could not see: a control, a joiner, an override, a bad byte. */
struct loom_unseen {
	char name[96]; /* as displayed: <U+200B>, <RLO>, ^[ */
	int64_t count;
	int64_t line; /* of the first one, from 1 */
	size_t at;
};

/* Number of kinds kept apart; further kinds are counted in unseen_other. */
#define LOOM_UNSEEN_MAX 32

struct loom_turns {
	struct loom_str text;      /* the input without a byte order mark */
	enum loom_turns_form form; /* PLAIN: no turns were found, and items is the whole text */
	struct loom_spoken *items;
	size_t count;
	struct loom_unseen *unseen;
	size_t unseen_count;
	int64_t unseen_other;
	bool bom;
};

/* Reads a transcript. `text` is borrowed and must outlive *out; the lists are in `arena`. Never
 * fails: an empty text gives no turns, a text without headers one PLAIN item with all its bytes. */
void loom_turns_read(struct loom_str text, struct loom_arena *arena, struct loom_turns *out);

#endif
