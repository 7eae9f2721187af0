/* Paths in a line, spelled as for a shell (\ '…' "…", ~/, file://). */
#ifndef TUI_PATHS_H
#define TUI_PATHS_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* Parses the paths of a line into the arena and returns their number; SIZE_MAX for an unclosed
 * quote. */
size_t tui_paths_read(struct loom_str line, struct loom_str home, struct loom_arena *arena,
		      const char ***out);
/* Appends a path in the spelling that tui_paths_read parses. */
void tui_path_spell(struct loom_str path, struct loom_buf *out);

#endif
