/* Finding who said what in a transcript: text in, turns out. No effects and no store; the same
 * bytes give the same turns, in time linear in them.
 *
 * Understood are `Human:`, `**You**`, `### User`, `You said:`, a name alone on its line, our own
 * context layout (`[a7x2] human · 3m ago`), its frames (`=== Loom Context ===`) and
 * <thread_context> blocks. One text has one way of writing its headers: the one that comes first
 * and has both sides. What looks like a header of another way, stands inside code, or inside a
 * block, is what somebody said. */
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

/* "unknown", "human", "model", "system", "tool". */
const char *loom_speaker_name(enum loom_speaker speaker);
/* What a role or a name says of who speaks, whatever its case: "assistant", "You", "GPT-4o". */
enum loom_speaker loom_speaker_of(struct loom_str name);

/* How the header of a turn is written. */
enum loom_turns_form {
	LOOM_TURNS_PLAIN,   /* none: the text before, between or without turns */
	LOOM_TURNS_COLON,   /* Human: text */
	LOOM_TURNS_BOLD,    /* **You** */
	LOOM_TURNS_HEADING, /* ### User */
	LOOM_TURNS_COPY,    /* ChatGPT said: */
	LOOM_TURNS_BARE,    /* ChatGPT */
	LOOM_TURNS_NODE,  /* [a7x2] human · 3m ago, a line of ties, ---; as a heading without these
			   */
	LOOM_TURNS_BLOCK, /* a <thread_context> block begins it */
	/* What the loom itself says between turns, never a node. With an id: what follows hangs on
	 * that node, and not on the turn before. */
	LOOM_TURNS_FRAME,
	LOOM_TURNS_FORMS
};

/* "plain", "colon", "bold", "heading", "copy", "bare", "node", "block", "frame". */
const char *loom_turns_form_name(enum loom_turns_form form);

/* One turn. All slices lie in the text that was read; `text` may lie in the arena. */
struct loom_spoken {
	enum loom_speaker speaker;
	enum loom_turns_form form;
	int64_t line;           /* of its header, from 1 */
	size_t begin;           /* of all of it, header too */
	size_t end;             /* where the next one begins */
	struct loom_str author; /* as the header has it: ChatGPT, model; may be empty */
	struct loom_str name;   /* of a node's header: what stands in quotes behind the author */
	struct loom_str id;     /* of a node's header or a branch's, without brackets */
	struct loom_str when;   /* as the header has it: 3m ago; may be empty */
	struct loom_str block;  /* the <thread_context> at its head */
	struct loom_str raw;    /* what stands there, blank lines at both ends left out */
	struct loom_str text;   /* what was said: the same, what our own forms quote unquoted */
	struct loom_str notes;  /* of our own export: the notes below it, as they stand there */
};

/* What a reader of the text could not see: a control, a joiner, an override, a bad byte. */
struct loom_unseen {
	char name[96]; /* as it is shown: <U+200B>, <RLO>, ^[ */
	int64_t count;
	int64_t line; /* of the first, from 1 */
	size_t at;
};

/* Kinds that are told apart; further ones are counted in unseen_other. */
#define LOOM_UNSEEN_MAX 32

struct loom_turns {
	struct loom_str text;      /* what was read, without a byte order mark */
	enum loom_turns_form form; /* PLAIN: no turns were found, and items is the whole text */
	struct loom_spoken *items;
	size_t count;
	struct loom_unseen *unseen;
	size_t unseen_count;
	int64_t unseen_other;
	bool bom;
};

/* Reads a transcript. `text` is borrowed and must outlive *out; lists land in `arena`. Any bytes
 * give turns: an empty text none, a text without headers one PLAIN item with all its bytes. */
void loom_turns_read(struct loom_str text, struct loom_arena *arena, struct loom_turns *out);

#endif
