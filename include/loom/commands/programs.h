/* The programs of the user's configuration as commands: `loom shout a7x2` is `loom pipe shout
 * a7x2`. Only a person runs one, and the agents that its entry names. */
#ifndef LOOM_PROGRAMS_H
#define LOOM_PROGRAMS_H

#include <loom/base/arena.h>
#include <loom/config/config.h>

/* Whether no command, verb, action or word of ours has the name. */
bool loom_program_is_free(struct loom_str name);
/* The program with that name, or NULL. What has a name of ours is nobody's. `config` may be NULL.
 */
const struct loom_program *loom_program_find(const struct loom_config *config,
					     struct loom_str name);
/* The program at `index` of those that can be run, or NULL after the last. `config` may be NULL. */
const struct loom_program *loom_program_at(const struct loom_config *config, size_t index);
/* Returns what the program does, in a line: what its entry says, or its command. In the arena. */
struct loom_str loom_program_about(struct loom_arena *arena, const struct loom_program *program);
/* Appends its page of help. */
void loom_program_page(struct loom_arena *arena, const struct loom_program *program,
		       struct loom_buf *out);

#endif
