/* Trials: how a chat model is best asked to continue a text. Each strategy that it can be asked
 * with is tried on texts of several registers, the answers are judged by their seams (mend.h), and
 * the best is kept with what was learned of the model. */
#ifndef LOOM_TRIAL_H
#define LOOM_TRIAL_H

#include <loom/base/task.h>
#include <loom/providers/voice.h>
#include <loom/text/mend.h>

#define LOOM_TRIAL_TEXTS 4

/* One strategy. */
struct loom_trial {
	enum loom_way way;
	size_t arrived;
	size_t clean; /* nothing but blanks had to be mended */
	double score; /* 0 … 1, the mean over all texts; what did not arrive is 0 */
	size_t faults[LOOM_FAULT_COUNT]; /* how many answers have them */
	struct loom_err err;             /* why the first that did not arrive did not */
};
struct loom_trials {
	struct loom_trial *items; /* the best first, in the arena */
	size_t count;
	int64_t in; /* tokens that were told and written, as the server counts them */
	int64_t out;
	struct loom_str why; /* of the best */
};

/* Tries a model of the configuration, runs the loop until all have answered or the task is
 * cancelled, and keeps the best. Fails with LOOM_MODEL when there is nothing to choose, because the
 * model continues texts by itself, and when no answer arrived; LOOM_CANCELLED. */
enum loom_status loom_trial_run(struct loom_voices *voices, struct loom_str alias,
				struct loom_task *task, struct loom_arena *arena,
				struct loom_trials *out, struct loom_err *err) LOOM_MUST;

/* How a model is asked to continue texts, and why. */
struct loom_way_known {
	enum loom_way way;   /* UNSAID: nobody has said or tried it */
	bool configured;     /* said in the configuration */
	struct loom_str why; /* of a trial */
	int64_t at;          /* ms */
};
/* Returns what is known. Texts live as long as the voices. */
struct loom_way_known loom_trial_known(struct loom_voices *voices, const struct loom_model *model);

#endif
