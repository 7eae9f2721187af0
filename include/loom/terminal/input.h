/* Decodes the bytes of a terminal into events. Pure: no descriptor, no clock. The caller feeds what
 * it read and takes events until there are none; when an unfinished sequence has waited for
 * TUI_ESC_MS, it passes `flush`. A paste is one event however large, and never keys. */
#ifndef TUI_INPUT_H
#define TUI_INPUT_H

#include <loom/base/str.h>

#include <loom/keys/keys.h>

#define TUI_ESC_MS       25
#define TUI_PASTE_MAX    ((size_t)256 << 20)
#define TUI_BURST        800 /* this many bytes at once that look like text are a paste */
#define TUI_SEQUENCE_MAX 64
#define TUI_REPLY_MAX    4096

enum tui_event_kind {
	TUI_EVENT_NONE, /* a sequence without meaning here */
	TUI_EVENT_KEY,
	TUI_EVENT_PASTE,
	TUI_EVENT_MOUSE,
	TUI_EVENT_FOCUS,
	TUI_EVENT_REPLY, /* a reply of the terminal, without ESC and terminator */
};

enum tui_mouse_kind { TUI_MOUSE_PRESS, TUI_MOUSE_RELEASE, TUI_MOUSE_DRAG, TUI_MOUSE_WHEEL };

#define TUI_MOUSE_RIGHT 2 /* the button */

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
	/* A paste (line ends are LF, no controls but tabs) or a reply. Borrowed until the next
	 * call. */
	struct loom_str text;
};

struct tui_input {
	struct loom_buf bytes;
	size_t at;         /* bytes before this are delivered */
	size_t burst_to;   /* bytes up to here are an unbracketed paste */
	size_t paste_scan; /* no end of the paste up to here */
	bool pasting;
};

/* Starts with nothing pending. */
void tui_input_init(struct tui_input *input);
/* Frees bytes that are still pending. */
void tui_input_fini(struct tui_input *input);
/* Copies the bytes of one read. */
void tui_input_feed(struct tui_input *input, struct loom_str bytes);
/* Takes the next event. False when it needs more bytes first. With `flush` an unfinished sequence
 * is taken as it is: ESC becomes the key Esc. */
bool tui_input_next(struct tui_input *input, bool flush, struct tui_event *out);
/* Whether something unfinished is pending that a flush would resolve. */
bool tui_input_waiting(const struct tui_input *input);
/* Ends a paste whose end marker never came: the next event is the part that arrived. */
void tui_input_abandon(struct tui_input *input);

#endif
