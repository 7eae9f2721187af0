/* The contents of a disk after a power cut, from a log of what a program did to it.
 *
 * The model disk keeps what was synced. Of the rest it keeps any part: each write survives whole,
 * by sectors, or not at all; of the names made and removed in a folder since its last sync, the
 * first few survive. */
#ifndef LOOM_TESTS_FAULTS_REPLAY_H
#define LOOM_TESTS_FAULTS_REPLAY_H

#include <loom/base/str.h>

#include "support/prop.h"

struct replay;

/* How a cut treats what was not synced. */
enum replay_mode { REPLAY_KEEPS, REPLAY_LOSES, REPLAY_TEARS };

/* The folder as it is now, all of it taken for synced. */
struct replay *replay_begin(const char *folder);
/* The log of a run that began there; false when it cannot be read. `log` is kept, not copied. */
bool replay_log(struct replay *replay, struct loom_str log) LOOM_MUST;
/* How many entries it has. */
size_t replay_count(const struct replay *replay);
/* Writes into `folder`, which must be empty, what is left when the power goes after `cut` entries;
 * what had been acknowledged is appended to *acked. */
void replay_cut(const struct replay *replay, size_t cut, enum replay_mode mode, struct prop *prop,
		const char *folder, struct loom_buf *acked);
void replay_end(struct replay *replay);

#endif
