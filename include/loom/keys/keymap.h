/* Maps key sequences to commands. The default keys are the `keys` columns of verbs.def and
 * actions.def; the user's come from keys.json. A key only ever abbreviates a verb, an action or a
 * command line. */
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
	bool verb; /* a verb of the language, not an action of the screen */
	int view;  /* the view the command belongs to; -1: that of its keys */
};

/* id, name, the view it inherits keys from */
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
	enum tui_command
		command; /* NONE with a line runs that command line; NONE without one is unbound */
	char *line;
};

struct tui_keymap {
	struct tui_binding *bindings; /* within a view, later ones win */
	size_t count, cap;
};

/* The part of a sequence typed so far; zeroed when there is none. */
struct tui_chord {
	struct tui_key keys[TUI_CHORD_MAX];
	size_t n;
	int count; /* 0 when none was typed */
};

enum tui_chord_state {
	TUI_CHORD_NONE,    /* no such keys; the chord is empty again */
	TUI_CHORD_PENDING, /* more keys can follow */
	TUI_CHORD_CLEARED, /* Esc cleared the pending keys */
	TUI_CHORD_DONE,    /* *out is filled; the chord is empty again */
};

struct tui_match {
	const struct tui_binding *binding;
	int count;          /* 0 when none was typed */
	struct tui_key any; /* the key that matched <Any> */
};

/* How often to run the command: the count, or once. */
int tui_match_count(const struct tui_match *match);

/* One continuation of a pending chord. */
struct tui_way {
	struct tui_key key;
	const struct tui_binding *binding; /* one of the bindings, when `more` */
	bool more;                         /* more keys follow */
};

/* The row of a command, a static table entry. */
const struct tui_command_info *tui_command_info(enum tui_command command);
/* The view a command belongs to; for a verb, the first view with a key for it. */
enum tui_keyview tui_command_view(enum tui_command command);
/* The command of that name, or NONE. */
enum tui_command tui_command_find(struct loom_str name);
/* The name of a view of keys, as keys.json writes it. */
const char *tui_keyview_name(enum tui_keyview view);

/* Fills the map with the default keys. */
void tui_keymap_init(struct tui_keymap *map);
/* Frees the bindings of a keymap. */
void tui_keymap_fini(struct tui_keymap *map);
/* Loads a keys.json such as {"nav": {"<C-x>": "prune", "x": null}}. An invalid file changes
 * nothing. */
enum loom_status tui_keymap_load(struct tui_keymap *map, struct loom_str json,
				 struct loom_err *err) LOOM_MUST;
/* Appends a message about the first sequence that hides longer ones. False when there is none. */
bool tui_keymap_clash(const struct tui_keymap *map, struct loom_buf *out);

/* Finds a view of keys by its name. */
bool tui_keyview_find(struct loom_str name, enum tui_keyview *out);
/* Parses a sequence such as "g<Tab>" into the keys of `out`; false when it is malformed. */
bool tui_keys_parse(struct loom_str text, struct tui_binding *out);
/* Adds a binding; the map takes ownership of its line. */
void tui_keymap_add(struct tui_keymap *map, const struct tui_binding *binding);

/* Feeds one key to the chord. Digits before a sequence are its count, except in views where letters
 * are text. */
enum tui_chord_state tui_keymap_feed(const struct tui_keymap *map, enum tui_keyview view,
				     struct tui_chord *chord, struct tui_key key,
				     struct tui_match *out) LOOM_MUST;
/* The possible continuations of a chord, in table order. Writes at most `max` and returns how many
 * there are. */
size_t tui_keymap_ways(const struct tui_keymap *map, enum tui_keyview view,
		       const struct tui_chord *chord, struct tui_way *out, size_t max);
/* The binding of a complete sequence in a view, or NULL. */
const struct tui_binding *tui_keymap_exact(const struct tui_keymap *map, enum tui_keyview view,
					   const struct tui_key *keys, size_t n);
/* Appends a command's first keys in a view, as people read them. False when it has none. */
bool tui_keymap_spell(const struct tui_keymap *map, enum tui_keyview view, enum tui_command command,
		      struct loom_buf *out);
/* Appends a chord as people read it, such as "5z". */
void tui_chord_spell(const struct tui_chord *chord, struct loom_buf *out);

#endif
