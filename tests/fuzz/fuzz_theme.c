/* Theme files and keys.json: any bytes are read or refused, and what was read has a look for every
 * role at every depth. */
#include <loom/keys/keymap.h>
#include <loom/keys/theme.h>
#include "tests/fuzz/fuzz.h"

static void check_looks(const struct tui_theme *theme)
{
	for (int role = 0; role < TUI_ROLES; role++) {
		for (int depth = 0; depth <= TUI_DEPTH_TRUE; depth++) {
			struct tui_ink ink = {(uint8_t)role, TUI_ROLE_CURSOR, 0};
			struct tui_style style = tui_theme_style(theme, (enum tui_depth)depth, ink);

			must(style.fg >= TUI_COLOUR_DEFAULT && style.bg >= TUI_COLOUR_DEFAULT);
			must(depth != TUI_DEPTH_16 || (style.fg < 16 && style.bg < 16));
			must(depth != TUI_DEPTH_256 || (style.fg < 256 && style.bg < 256));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct tui_theme theme;
	struct tui_keymap map;
	size_t before;

	if (tui_theme_parse(text, &theme, NULL) == LOOM_OK)
		check_looks(&theme);
	tui_keymap_init(&map);
	before = map.count;
	if (tui_keymap_load(&map, text, NULL) != LOOM_OK)
		must(map.count == before);
	tui_keymap_fini(&map);
	return 0;
}
