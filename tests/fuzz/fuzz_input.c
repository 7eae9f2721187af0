/* The decoder of terminal input: any bytes, cut anywhere, come to an end; a paste carries no
 * control but tabs and line feeds; no key is a control. */
#include <loom/terminal/input.h>
#include "tests/fuzz/fuzz.h"

static void check_paste(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		must(c >= 0x20 || c == '\n' || c == '\t');
		must(c != 0x7f);
	}
}

static void take(struct tui_input *input, bool flush)
{
	struct tui_event event;

	while (tui_input_next(input, flush, &event)) {
		if (event.kind == TUI_EVENT_KEY)
			must(event.key.code >= 0x20 && event.key.code != 0x7f);
		if (event.kind == TUI_EVENT_PASTE)
			check_paste(event.text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tui_input input;
	size_t step = size ? 1 + data[0] % 37 : 1;

	tui_input_init(&input);
	for (size_t at = 0; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;

		tui_input_feed(&input, loom_str_make((const char *)data + at, n));
		take(&input, false);
	}
	take(&input, true);
	tui_input_abandon(&input);
	take(&input, true);
	must(input.at == input.bytes.n);
	tui_input_fini(&input);
	return 0;
}
