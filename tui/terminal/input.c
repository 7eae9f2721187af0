/* The decoder of terminal input. Invariant: exactly one event consumes every byte fed, unless the
 * byte belongs to a meaningless sequence, which is dropped; an unfinished sequence keeps its bytes.
 * Both spellings of the arrows are known, so keypad mode is never turned on. */
#include <loom/terminal/input.h>

#include <loom/base/utf8.h>

#define ESC         '\x1b'
#define PASTE_START LOOM_STR("\x1b[200~")
#define PASTE_END   LOOM_STR("\x1b[201~")

void tui_input_init(struct tui_input *input)
{
	*input = (struct tui_input){.pasting = false};
	loom_buf_init(&input->bytes, TUI_PASTE_MAX);
}

void tui_input_fini(struct tui_input *input)
{
	loom_buf_fini(&input->bytes);
}

/* True when one read looks like text pasted into a terminal without bracketed paste: long, with
 * blanks, many different characters and no escape sequence. */
static bool looks_pasted(struct loom_str bytes)
{
	bool seen[256] = {false};
	int different = 0;
	bool blanks = false;

	if (bytes.n <= TUI_BURST || memchr(bytes.p, ESC, bytes.n))
		return false;
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];
		different += !seen[c];
		seen[c] = true;
		blanks = blanks || c == ' ' || c == '\r' || c == '\n';
	}
	return blanks && different >= 10;
}

void tui_input_feed(struct tui_input *input, struct loom_str bytes)
{
	if (input->at == input->bytes.n) {
		loom_buf_clear(&input->bytes);
		input->at = 0;
		input->paste_scan = 0;
		input->burst_to = 0;
	}
	loom_buf_add(&input->bytes, bytes);
	if (!input->pasting && input->at + bytes.n == input->bytes.n && looks_pasted(bytes))
		input->burst_to = input->bytes.n;
}

/* --- sequences --- */

static void key_event(struct tui_event *out, uint32_t code, unsigned mods)
{
	out->kind = TUI_EVENT_KEY;
	out->key = (struct tui_key){.code = code, .mods = (uint8_t)mods};
}

static void control_event(struct tui_event *out, unsigned char c)
{
	if (c == '\r')
		key_event(out, TUI_KEY_ENTER, 0);
	else if (c == '\t')
		key_event(out, TUI_KEY_TAB, 0);
	else if (c == 0x7f || c == '\b')
		key_event(out, TUI_KEY_BACKSPACE, 0);
	else if (c == 0)
		key_event(out, ' ', TUI_KEY_CTRL);
	else if (c == ESC)
		key_event(out, TUI_KEY_ESC, 0);
	else
		key_event(out, c <= 26 ? (uint32_t)(c + 'a' - 1) : (uint32_t)(c + '@'),
			  TUI_KEY_CTRL);
}

/* A parsed CSI sequence. */
struct csi {
	char mark;  /* < = > ? before the parameters */
	char inter; /* the last intermediate byte */
	char final;
	int args[8];
	size_t count;
};

/* modifyOtherKeys and kitty encode modifiers as 1 + (1 shift, 2 alt, 4 ctrl). */
static unsigned mods_of(int arg)
{
	unsigned bits = arg > 1 && arg <= 16 ? (unsigned)(arg - 1) : 0;

	return (bits & 1 ? TUI_KEY_SHIFT : 0U) | (bits & 2 ? TUI_KEY_ALT : 0U) |
	       (bits & 4 ? TUI_KEY_CTRL : 0U);
}

static uint32_t letter_key(char final)
{
	static const struct {
		char final;
		uint32_t code;
	} keys[] = {
		{'A', TUI_KEY_UP},   {'B', TUI_KEY_DOWN}, {'C', TUI_KEY_RIGHT},
		{'D', TUI_KEY_LEFT}, {'H', TUI_KEY_HOME}, {'F', TUI_KEY_END},
		{'P', TUI_KEY_F1},   {'Q', TUI_KEY_F2},   {'R', TUI_KEY_F3},
		{'S', TUI_KEY_F4},   {'Z', TUI_KEY_TAB},  {'M', TUI_KEY_ENTER},
	};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		if (keys[i].final == final)
			return keys[i].code;
	}
	return TUI_KEY_NONE;
}

static uint32_t number_key(int number)
{
	static const uint32_t keys[] = {
		[1] = TUI_KEY_HOME, [2] = TUI_KEY_INSERT,  [3] = TUI_KEY_DELETE,
		[4] = TUI_KEY_END,  [5] = TUI_KEY_PAGE_UP, [6] = TUI_KEY_PAGE_DOWN,
		[7] = TUI_KEY_HOME, [8] = TUI_KEY_END,     [11] = TUI_KEY_F1,
		[12] = TUI_KEY_F2,  [13] = TUI_KEY_F3,     [14] = TUI_KEY_F4,
		[15] = TUI_KEY_F5,  [17] = TUI_KEY_F6,     [18] = TUI_KEY_F7,
		[19] = TUI_KEY_F8,  [20] = TUI_KEY_F9,     [21] = TUI_KEY_F10,
		[23] = TUI_KEY_F11, [24] = TUI_KEY_F12,
	};
	uint32_t code = number > 0 && (size_t)number < LOOM_COUNT(keys) ? keys[number] : 0;

	return code ? code : TUI_KEY_NONE;
}

/* A key that a newer protocol sends as a number; ordinary controls keep their usual names. */
static void coded_key(struct tui_event *out, int code, unsigned mods)
{
	if (code <= 0 || code >= TUI_KEY_NONE || (code >= 0xd800 && code < 0xe000))
		return;
	if (code < 0x20 || code == 0x7f) {
		control_event(out, (unsigned char)code);
		out->key.mods = (uint8_t)mods;
		return;
	}
	if (mods & TUI_KEY_CTRL && code >= 'A' && code <= 'Z')
		code += 'a' - 'A';
	key_event(out, (uint32_t)code, mods & ~(unsigned)TUI_KEY_SHIFT);
}

static void mouse_event(struct tui_event *out, const struct csi *csi)
{
	int code = csi->args[0];
	bool release = csi->final == 'm';

	if (csi->count < 3 || code < 0 || csi->args[1] < 1 || csi->args[2] < 1)
		return;
	out->kind = TUI_EVENT_MOUSE;
	out->mouse = (struct tui_mouse){
		.kind = release     ? TUI_MOUSE_RELEASE
			: code & 32 ? TUI_MOUSE_DRAG
				    : TUI_MOUSE_PRESS,
		.button = code & 3,
		.x = csi->args[1] - 1,
		.y = csi->args[2] - 1,
		.mods = (uint8_t)((code & 4 ? TUI_KEY_SHIFT : 0) | (code & 8 ? TUI_KEY_ALT : 0) |
				  (code & 16 ? TUI_KEY_CTRL : 0)),
	};
	if (code & 64 && release) { /* the wheel has no button */
		out->kind = TUI_EVENT_NONE;
	} else if (code & 64) {
		out->mouse.kind = TUI_MOUSE_WHEEL;
		out->mouse.button = (code & 3) == 0 ? -1 : (code & 3) == 1 ? 1 : 0;
	}
}

static void tilde_event(struct tui_event *out, const struct csi *csi)
{
	if (csi->args[0] == 27 && csi->count >= 3) {
		coded_key(out, csi->args[2], mods_of(csi->args[1]));
		return;
	}
	if (number_key(csi->args[0]) != TUI_KEY_NONE)
		key_event(out, number_key(csi->args[0]), mods_of(csi->args[1]));
}

/* CSI sequences that are not keys. */
static bool report_event(struct tui_event *out, const struct csi *csi, struct loom_str body)
{
	bool position = csi->final == 'R' && (csi->args[0] != 1 || csi->args[1] > 16);

	if (!csi->mark && !csi->inter && (csi->final == 'I' || csi->final == 'O')) {
		out->kind = TUI_EVENT_FOCUS;
		out->focused = csi->final == 'I';
		return true;
	}
	if (csi->mark == '<' && (csi->final == 'M' || csi->final == 'm')) {
		mouse_event(out, csi);
		return true;
	}
	if (csi->mark || csi->inter || position || csi->final == 'c' || csi->final == 't' ||
	    csi->final == 'n') {
		out->kind = TUI_EVENT_REPLY;
		out->text = body;
		return true;
	}
	return false;
}

static void csi_event(struct tui_event *out, const struct csi *csi, struct loom_str body)
{
	unsigned mods = mods_of(csi->args[1]);

	if (report_event(out, csi, body))
		return;
	if (csi->final == '~')
		tilde_event(out, csi);
	else if (csi->final == 'u')
		coded_key(out, csi->args[0], mods);
	else if (csi->final == 'Z')
		key_event(out, TUI_KEY_TAB, TUI_KEY_SHIFT);
	else if (letter_key(csi->final) != TUI_KEY_NONE)
		key_event(out, letter_key(csi->final), mods);
}

static void csi_byte(struct csi *csi, char c)
{
	int *arg = &csi->args[csi->count ? csi->count - 1 : 0];

	if (c >= '0' && c <= '9') {
		csi->count = csi->count ? csi->count : 1;
		*arg = *arg < 1000000 ? *arg * 10 + (c - '0') : *arg;
	} else if (c == ';' || c == ':') {
		csi->count = csi->count ? csi->count : 1;
		if (csi->count < LOOM_COUNT(csi->args))
			csi->count++;
	} else if (c >= '<' && c <= '?') {
		csi->mark = c;
	} else {
		csi->inter = c;
	}
}

/* `s` starts after "ESC [". Returns the number of bytes used, 0 when the sequence is unfinished. */
static size_t csi_decode(struct loom_str s, struct tui_event *out)
{
	struct csi csi = {.mark = 0};

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c >= 0x40 && c < 0x7f) {
			csi.final = c;
			if (c == 'M' && i == 0) /* the old mouse report: three more bytes */
				return s.n >= 4 ? 4 : 0;
			csi_event(out, &csi, loom_str_sub(s, 0, i + 1));
			return i + 1;
		}
		if (c < 0x20 || c > 0x3f || i >= TUI_SEQUENCE_MAX)
			return i > 0 ? i : 1;
		csi_byte(&csi, c);
	}
	return 0;
}

/* A string sequence (OSC, DCS, APC …) up to BEL or ST. `s` starts after the introducer. */
static size_t string_decode(struct loom_str s, bool reply, struct tui_event *out)
{
	for (size_t i = 0; i < s.n; i++) {
		bool st = s.p[i] == ESC && i + 1 < s.n && s.p[i + 1] == '\\';
		if (s.p[i] == '\a' || st) {
			out->kind = reply ? TUI_EVENT_REPLY : TUI_EVENT_NONE;
			out->text = loom_str_sub(s, 0, i);
			return i + (st ? 2 : 1);
		}
		if (i >= TUI_REPLY_MAX || (s.p[i] == ESC && i + 1 < s.n))
			return i;
	}
	return 0;
}

static size_t plain_decode(struct loom_str s, bool flush, struct tui_event *out)
{
	size_t used = 0;
	unsigned char c = (unsigned char)s.p[0];
	uint32_t cp;

	if (c < 0x20 || c == 0x7f) {
		control_event(out, c);
		return 1;
	}
	if (!flush && loom_utf8_partial_tail(s) == s.n)
		return 0;
	cp = loom_utf8_next(s, &used);
	key_event(out, cp == LOOM_CP_BAD ? 0xfffd : cp, 0);
	return used;
}

static size_t alt_decode(struct loom_str s, bool flush, struct tui_event *out)
{
	size_t used = plain_decode(s, flush, out);

	if (used > 0)
		out->key.mods |= TUI_KEY_ALT;
	return used;
}

static size_t ss3_decode(struct loom_str s, struct tui_event *out)
{
	if (s.n == 0)
		return 0;
	if (letter_key(s.p[0]) != TUI_KEY_NONE)
		key_event(out, letter_key(s.p[0]), 0);
	else if (s.p[0] >= 'j' && s.p[0] <= 'y') /* the keypad */
		key_event(out, (uint32_t) "*+,-./0123456789"[s.p[0] - 'j'], 0);
	return 1;
}

/* `s` starts after an ESC and is not empty. */
static size_t escape_decode(struct loom_str s, bool flush, struct tui_event *out)
{
	struct loom_str rest = loom_str_make(s.p + 1, s.n - 1);
	size_t used;

	if (s.p[0] == '[')
		used = csi_decode(rest, out);
	else if (s.p[0] == 'O')
		used = ss3_decode(rest, out);
	else if (strchr("]P_^X", s.p[0]) && s.p[0])
		used = string_decode(rest, s.p[0] == ']' || s.p[0] == 'P', out);
	else
		return alt_decode(s, flush, out);
	if (used > 0)
		return used + 1;
	if (!flush)
		return 0;
	if (rest.n > 0) /* the rest never arrived */
		return s.n;
	return alt_decode(s, flush, out);
}

/* ESC ESC: Alt with a sequence, as some terminals send it; otherwise the key Esc, and the rest is
 * decoded by itself. */
static size_t double_escape(struct loom_str s, bool flush, struct tui_event *out)
{
	size_t used;

	if (s.n > 2 && (s.p[2] == '[' || s.p[2] == 'O')) {
		used = escape_decode(loom_str_sub(s, 2, s.n), flush, out);
		if (used > 0 && out->kind == TUI_EVENT_KEY)
			out->key.mods |= TUI_KEY_ALT;
		return used > 0 ? used + 2 : 0;
	}
	if (s.n == 2 && !flush)
		return 0;
	control_event(out, ESC);
	return 1;
}

static size_t decode(struct loom_str s, bool flush, struct tui_event *out)
{
	size_t used;

	if (s.p[0] != ESC)
		return plain_decode(s, flush, out);
	if (s.n == 1) {
		if (flush)
			control_event(out, ESC);
		return flush ? 1 : 0;
	}
	if (s.p[1] == ESC)
		return double_escape(s, flush, out);
	used = escape_decode(loom_str_sub(s, 1, s.n), flush, out);
	return used > 0 ? used + 1 : 0;
}

/* --- pastes --- */

/* The length of the control at s.p[i] that a paste must not carry; 0 if there is none. */
static size_t unwanted(struct loom_str s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];
	struct loom_str rest = loom_str_sub(s, i, 6);

	if (c == ESC && (loom_str_eq(rest, PASTE_START) || loom_str_eq(rest, PASTE_END)))
		return 6;
	if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
		return 1;
	if (c == 0xc2 && rest.n > 1 && (unsigned char)rest.p[1] >= 0x80 &&
	    (unsigned char)rest.p[1] < 0xa0)
		return 2;
	return 0;
}

/* Cleans [from, to) in place: line ends become LF, all other controls but tabs are removed. */
static struct loom_str clean(struct tui_input *input, size_t from, size_t to)
{
	char *p = input->bytes.p;
	struct loom_str s = loom_str_make(p, to);
	size_t end = from;

	for (size_t i = from; i < to;) {
		size_t skip = unwanted(s, i);
		if (skip > 0) {
			i += skip;
			continue;
		}
		if (p[i] == '\r' && i + 1 < to && p[i + 1] == '\n')
			i++;
		p[end++] = p[i] == '\r' ? '\n' : p[i];
		i++;
	}
	return loom_str_make(p + from, end - from);
}

static void paste_event(struct tui_input *input, size_t to, size_t next, struct tui_event *out)
{
	*out = (struct tui_event){.kind = TUI_EVENT_PASTE, .text = clean(input, input->at, to)};
	input->at = next;
	input->pasting = false;
}

/* The end of the paste: the last end marker before another start marker, since text that contains
 * an end marker must not turn what follows it into keys. SIZE_MAX when it has not arrived. */
static size_t paste_end(const struct tui_input *input)
{
	struct loom_str s = loom_buf_str(&input->bytes);
	size_t end = loom_str_find(s, PASTE_END, input->paste_scan);
	size_t start, later;

	if (end == SIZE_MAX)
		return end;
	start = loom_str_find(s, PASTE_START, end);
	while ((later = loom_str_find(s, PASTE_END, end + 6)) < start)
		end = later;
	return end;
}

static bool paste_next(struct tui_input *input, struct tui_event *out)
{
	size_t end = paste_end(input);

	if (end == SIZE_MAX) {
		input->paste_scan = input->bytes.n > input->at + 6 ? input->bytes.n - 6 : input->at;
		return false;
	}
	paste_event(input, end, end + 6, out);
	return true;
}

bool tui_input_next(struct tui_input *input, bool flush, struct tui_event *out)
{
	struct loom_str s = loom_str_sub(loom_buf_str(&input->bytes), input->at, SIZE_MAX);
	size_t used;

	*out = (struct tui_event){.kind = TUI_EVENT_NONE};
	if (!input->pasting && input->burst_to > input->at) {
		paste_event(input, input->burst_to, input->burst_to, out);
		return true;
	}
	if (!input->pasting && loom_str_starts(s, PASTE_START)) {
		input->pasting = true;
		input->at += 6;
		input->paste_scan = input->at;
	}
	if (input->pasting)
		return paste_next(input, out);
	if (s.n == 0)
		return false;
	used = decode(s, flush, out);
	input->at += used;
	return used > 0;
}

bool tui_input_waiting(const struct tui_input *input)
{
	return !input->pasting && input->at < input->bytes.n;
}

void tui_input_abandon(struct tui_input *input)
{
	if (input->pasting)
		loom_buf_add(&input->bytes, PASTE_END);
}
