/* Creates things under temporary names that are swept if their maker is killed.
 *
 * Such a name ends in 16 random hex digits (FILE.part-…, .new-…, .loom-…), and its maker holds it
 * under flock. If nobody holds it, the next maker in the same folder removes it. A person's own
 * file with a similar name does not have this form. */
#ifndef MODEL_LEFTOVER_IMPL_H
#define MODEL_LEFTOVER_IMPL_H

#include <loom/files/path.h>

/* The digits after ".part-", ".new-" or ".loom-". */
#define MODEL_PART_DIGITS 16
/* Writes `before`, the digits and a NUL to `out`; false if there is no randomness. `room` must
 * suffice. */
bool model_part_name(const char *before, char *out, size_t room);

/* Creates a new file and locks it. Returns a descriptor to keep open until the file has its final
 * name; -1 with errno. */
int model_part_file(int folder, const char *name, unsigned mode);
/* Creates a new folder and locks it. Returns a descriptor to keep open until the folder has its
 * final name; -1 with errno. */
int model_part_folder(int folder, const char *name, unsigned mode);
/* Locks an open file that has no name yet. */
void model_part_hold(int fd);

/* Temporary names of earlier versions, which nobody holds: FILE.part-PID, .new- and 8 hex digits.
 * They are swept only where such things were made, if their contents show that they are not a
 * person's, and after an hour without a change. */
enum model_old_parts { MODEL_OLD_NONE, MODEL_OLD_COPIES, MODEL_OLD_THREADS };

/* Removes from an open folder what dead makers left behind. */
void model_part_sweep(int folder, enum model_old_parts old);
/* A folder to look for leftovers in. */
struct model_part_place {
	const char *folder;
	const char *where; /* comes before each name that is reported */
	enum model_old_parts old;
};
/* Reports what a sweep of a folder would remove; a missing folder has nothing. */
void model_part_list(const struct model_part_place *place, void (*each)(void *, struct loom_str),
		     void *ctx);

#endif
