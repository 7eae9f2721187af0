/* Bytes of a terminal to events. Pure: no descriptor, no clock; the caller feeds what it read,
 * takes events until there are none, and when an unfinished sequence has waited TUI_ESC_MS says
 * `flush`. A paste is one event however large, and never keys. */
#ifndef TUI_INPUT_H
#define TUI_INPUT_H

#include <loom/base/str.h>

#include <loom/keys/keys.h>

#define TUI_ESC_MS       25
#define TUI_PASTE_MAX    ((size_t)256 << 20)
#define TUI_BURST        800 /* so many bytes at once, looking like text, are a paste */
#define TUI_SEQUENCE_MAX 64
#define TUI_REPLY_MAX    4096

enum tui_event_kind {
	TUI_EVENT_NONE, /* a sequence that means nothing to us */
	TUI_EVENT_KEY,
	TUI_EVENT_PASTE,
	TUI_EVENT_MOUSE,
	TUI_EVENT_FOCUS,
	TUI_EVENT_REPLY, /* the terminal's answer to a question: text without ESC and terminator */
};

enum tui_mouse_kind { TUI_MOUSE_PRESS, TUI_MOUSE_RELEASE, TUI_MOUSE_DRAG, TUI_MOUSE_WHEEL };

struct tui_mouse {
	enum tui_mouse_kind kind;
	int button; /* 0 left, 1 middle, 2 right; wheel: -1 up, 1 down */
	int x, y;   /* from 0 */
	uint8_t mods;
};

struct tui_event {
	enum tui_event_kind kind;
	struct tui_key key;
	struct tui_mouse mouse;
	bool focused;
	/* Paste: line ends as LF, no other controls than tabs. Reply. Borrowed until the next call.
	 */
	struct loom_str text;
};

struct tui_input {
	struct loom_buf bytes;
	size_t at;         /* what is before was delivered */
	size_t burst_to;   /* up to here the bytes are a paste without brackets */
	size_t paste_scan; /* up to here no end of the paste was found */
	bool pasting;
};

void tui_input_init(struct tui_input *input);
void tui_input_fini(struct tui_input *input);
/* Takes a copy of the bytes of one read. */
void tui_input_feed(struct tui_input *input, struct loom_str bytes);
/* The next event; false when more bytes are needed first. With `flush` an unfinished sequence is
 * taken for what it is so far: ESC is the key Esc. */
bool tui_input_next(struct tui_input *input, bool flush, struct tui_event *out);
/* Whether something unfinished waits that a flush would resolve. */
bool tui_input_waiting(const struct tui_input *input);
/* Ends a paste whose end never came: the next event is what there is of it. */
void tui_input_abandon(struct tui_input *input);

#endif
