/* Key sequences to commands. The default keys are the `keys` columns of verbs.def and
 * actions.def; a user's come from keys.json. A key is only ever an abbreviation of a verb, an
 * action, or a command line. */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <loom/base/err.h>

#include <loom/keys/keys.h>

#define TUI_CHORD_MAX   6
#define TUI_COUNT_MAX   9999
#define TUI_WHICHKEY_MS 300

enum tui_command {
	TUI_COMMAND_NONE,
#define LOOM_VERB(id, name) TUI_VERB_##id,
#include <loom/verb_ids.def>
#define LOOM_ACTION(id, view) TUI_ACTION_##id,
#include <loom/action_ids.def>
	TUI_COMMANDS
};

struct tui_command_info {
	const char *name;
	const char *keys; /* VIEW:KEYS pairs */
	const char *summary;
	bool verb; /* of the language; else the screen's own */
	int view;  /* whose command it is; -1: as its keys say */
};

/* id, name, the view whose keys it has too */
#define TUI_KEYVIEW_LIST(X)                                                                        \
	X(ALL, "*", ALL)                                                                           \
	X(NAV, "nav", ALL)                                                                         \
	X(LIST, "list", ALL)                                                                       \
	X(COMPARE, "compare", LIST)                                                                \
	X(INSPECTOR, "inspector", LIST)                                                            \
	X(PASTE, "paste", LIST)                                                                    \
	X(APPROVE, "approve", LIST)                                                                \
	X(MEMORY, "memory", LIST)                                                                  \
	X(LENS, "lens", NAV)                                                                       \
	X(THREAD, "thread", LIST)                                                                  \
	X(THREADS, "threads", LIST)                                                                \
	X(SHARE, "share", LIST)                                                                    \
	X(PAYLOAD, "payload", LIST)                                                                \
	X(TEXT, "text", TEXT)                                                                      \
	X(PROMPT, "prompt", PROMPT)

enum tui_keyview {
#define X(id, name, parent) TUI_KEYVIEW_##id,
	TUI_KEYVIEW_LIST(X)
#undef X
		TUI_KEYVIEWS
};

struct tui_binding {
	enum tui_keyview view;
	struct tui_key keys[TUI_CHORD_MAX];
	size_t n;
	enum tui_command command; /* NONE with a line: that command line; without: unbound */
	char *line;
};

struct tui_keymap {
	struct tui_binding *bindings; /* later ones come first in a view */
	size_t count, cap;
};

/* What was typed of a sequence so far; zero is nothing. */
struct tui_chord {
	struct tui_key keys[TUI_CHORD_MAX];
	size_t n;
	int count; /* 0: none typed */
};

enum tui_chord_state {
	TUI_CHORD_NONE,    /* no such keys; the chord is empty again */
	TUI_CHORD_PENDING, /* more keys can follow */
	TUI_CHORD_CLEARED, /* Esc took back what was pending */
	TUI_CHORD_DONE,    /* *out is filled; the chord is empty again */
};

struct tui_match {
	const struct tui_binding *binding;
	int count;          /* 0: none typed */
	struct tui_key any; /* what <Any> stood for */
};

/* How often: once, when no count was typed. */
int tui_match_count(const struct tui_match *match);

/* One way to go on from a pending chord. */
struct tui_way {
	struct tui_key key;
	const struct tui_binding *binding; /* one of them, when `more` */
	bool more;                         /* further keys follow */
};

/* The row of a command; lives for ever. */
const struct tui_command_info *tui_command_info(enum tui_command command);
/* The view whose command it is; of a verb the first that has a key for it. */
enum tui_keyview tui_command_view(enum tui_command command);
/* By name, or NONE. */
enum tui_command tui_command_find(struct loom_str name);
const char *tui_keyview_name(enum tui_keyview view);

/* With the default keys. */
void tui_keymap_init(struct tui_keymap *map);
void tui_keymap_fini(struct tui_keymap *map);
/* keys.json: {"nav": {"<C-x>": "prune", "x": null}}. All of it or nothing. */
enum loom_status tui_keymap_load(struct tui_keymap *map, struct loom_str json,
				 struct loom_err *err) LOOM_MUST;
/* Appends the first sequence that hides longer ones, and which; false when there is none. */
bool tui_keymap_clash(const struct tui_keymap *map, struct loom_buf *out);

/* For who fills a map: a view by its name; the keys of a binding from "g<Tab>"; a binding, whose
 * line the map owns from then on. */
bool tui_keyview_find(struct loom_str name, enum tui_keyview *out);
bool tui_keys_parse(struct loom_str text, struct tui_binding *out);
void tui_keymap_add(struct tui_keymap *map, const struct tui_binding *binding);

/* Takes one key. Digits before a sequence are its count, except where letters write. */
enum tui_chord_state tui_keymap_feed(const struct tui_keymap *map, enum tui_keyview view,
				     struct tui_chord *chord, struct tui_key key,
				     struct tui_match *out) LOOM_MUST;
/* The ways to go on, in the order of the table; returns how many there are (at most `max` are
 * written). */
size_t tui_keymap_ways(const struct tui_keymap *map, enum tui_keyview view,
		       const struct tui_chord *chord, struct tui_way *out, size_t max);
/* The binding that a whole sequence has in a view, or NULL. */
const struct tui_binding *tui_keymap_exact(const struct tui_keymap *map, enum tui_keyview view,
					   const struct tui_key *keys, size_t n);
/* Appends the spelling of the first keys of a command in a view; false when it has none. */
bool tui_keymap_spell(const struct tui_keymap *map, enum tui_keyview view, enum tui_command command,
		      struct loom_buf *out);
/* Appends the spelling of a chord: "5z". */
void tui_chord_spell(const struct tui_chord *chord, struct loom_buf *out);

#endif
