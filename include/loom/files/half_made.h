/* Making something under a name that is swept when its maker is killed.
 *
 * Such a name ends in 16 hex digits that were drawn (FILE.part-…, .new-…, .loom-…), and is held
 * under flock as long as its maker lives. What nobody holds is nobody's, and goes when the next one
 * makes something there; what a person called so alike has no such name. */
#ifndef MODEL_LEFTOVER_IMPL_H
#define MODEL_LEFTOVER_IMPL_H

#include <loom/files/path.h>

/* The digits behind ".part-", ".new-" or ".loom-". */
#define MODEL_PART_DIGITS 16
/* Room for `before` and as many digits and a NUL; false when there is no randomness. */
bool model_part_name(const char *before, char *out, size_t room);

/* Makes a file, which must not be there, and holds it: a descriptor to keep open until it has its
 * name. -1 and errno. */
int model_part_file(int folder, const char *name, unsigned mode);
/* A folder, likewise. */
int model_part_folder(int folder, const char *name, unsigned mode);
/* Holds what has no name yet. */
void model_part_hold(int fd);

/* Takes away what dead makers left in an open folder. */
void model_part_sweep(int folder);
/* Names what would be taken away, `where` before each. A folder that is not there has nothing. */
void model_part_list(const char *folder, const char *where, void (*each)(void *, struct loom_str),
		     void *ctx);

#endif
