/* Paths as a line has them: as a shell would read it (\ '…' "…", ~/, file://). */
#ifndef TUI_PATHS_H
#define TUI_PATHS_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* The paths that a line names, in the arena; SIZE_MAX when a quote does not end. */
size_t tui_paths_read(struct loom_str line, struct loom_str home, struct loom_arena *arena,
		      const char ***out);
/* Appends a path as tui_paths_read reads it. */
void tui_path_spell(struct loom_str path, struct loom_buf *out);

#endif
