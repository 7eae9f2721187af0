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

/* Names that earlier versions gave, which nobody holds: FILE.part-PID, .new- and 8 hex digits. Only
 * where such things were made, when they are no person's by what is in them, and when nobody has
 * touched them for an hour. */
enum model_old_parts { MODEL_OLD_NONE, MODEL_OLD_COPIES, MODEL_OLD_THREADS };

/* Takes away what dead makers left in an open folder. */
void model_part_sweep(int folder, enum model_old_parts old);
/* Names what would be taken away, `where` before each. A folder that is not there has nothing. */
struct model_part_place {
	const char *folder;
	const char *where;
	enum model_old_parts old;
};
void model_part_list(const struct model_part_place *place, void (*each)(void *, struct loom_str),
		     void *ctx);

#endif
