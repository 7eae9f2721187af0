/* Making something under a name that is swept when its maker is killed (leftover.h). */
#ifndef MODEL_LEFTOVER_IMPL_H
#define MODEL_LEFTOVER_IMPL_H

#include <loom/leftover.h>
#include <loom/path.h>

/* The digits behind ".part-", ".new-" or ".loom-". */
#define MODEL_PART_DIGITS 16
/* Room for `before` and as many digits and a NUL; false when there is no randomness. */
bool model_part_name(const char *before, char *out, size_t room);

/* Makes a file (a folder), which must not be there, and holds it: a descriptor to keep open until
 * it has its name. -1 and errno. */
int model_part_file(int folder, const char *name, unsigned mode);
int model_part_folder(int folder, const char *name, unsigned mode);
/* Holds what has no name yet. */
void model_part_hold(int fd);

/* Takes away what dead makers left in an open folder. */
void model_part_sweep(int folder);

#endif
