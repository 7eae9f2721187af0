/* Shared by the files of continue. */
#ifndef ENGINE_CONTINUE_INSIDE_H
#define ENGINE_CONTINUE_INSIDE_H

#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/tree/lease.h>
#include <loom/work/stream.h>

/* --- who is asked (voices.c) --- */

/* Finds the voices that the call names, or none when it names nobody, in the generation's arena.
 * Refuses a wrong agent, then a wrong count, then a name that nobody bears. */
enum loom_status continue_voices_named(struct engine_run *run, struct engine_voice **out,
				       size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Finds the one voice that continues a tree unless somebody says otherwise. */
enum loom_status continue_voice_default(struct engine_run *run, int64_t tree,
					struct engine_voice **out, struct loom_err *err) LOOM_MUST;
/* Returns the line's sampling, as the configuration would have it. */
struct loom_str continue_line_sampling(const struct loom_call *call, struct loom_arena *arena);
/* Refuses more continuations than the acting agent may ask for at once. */
enum loom_status continue_check_count(const struct loom_engine *engine, int64_t n,
				      struct loom_err *err);

/* --- beginning (verb_continue.c) --- */

/* Appends "✓ generating 3 continuations from [a7x2]...". */
enum loom_status continue_head(struct engine_run *run, int64_t from, size_t count,
			       struct loom_err *err) LOOM_MUST;
/* The operation just ended is the batch's: what follows joins it. */
void continue_joins(struct engine_run *run, int64_t op);
/* Returns the size of what a model is given. */
size_t continue_request_bytes(const struct loom_generate_request *request);

/* --- levels (continue_levels.c) --- */

/* Prepares a request to each voice from each of `count` nodes. */
void continue_level(struct engine_generation *now, const int64_t *nodes, const size_t *parents,
		    size_t count);
/* Decides how many each voice writes, now that all are described, and gives each choice its place:
 * in the voices' order when there is one, else shuffled. Fails with LOOM_LIMIT when all levels
 * together make too many. */
enum loom_status continue_count(struct loom_engine *engine, const struct loom_voice_info *infos,
				struct loom_err *err) LOOM_MUST;
/* Returns whether what a level wrote is continued: the call wants it, and nobody stopped it. */
bool continue_goes_on(const struct engine_generation *now, const struct loom_generated *choices);
/* Prepares the next level, below what the last one made. */
void continue_deeper(struct engine_generation *now);
/* Prints a line for each node that has grown, what was written below another indented below it. */
void continue_show(const struct engine_generation *now, struct loom_buf *out);

#endif
