/* What a thread keeps: pins, stashes. Inside an operation where they change. */
#ifndef LOOM_MEMORY_H
#define LOOM_MEMORY_H

#include <loom/work/thread.h>

enum loom_pin_kind { LOOM_PIN_NODE, LOOM_PIN_DOC, LOOM_PIN_RESULT };
struct loom_pin {
	int64_t id;
	enum loom_pin_kind kind;
	int64_t node;
	int64_t doc;
	struct loom_str section; /* of a document */
	struct loom_str result;  /* "res-4" */
	struct loom_str text;    /* a result's text */
};
struct loom_stash {
	int64_t id;
	struct loom_str label;
	struct loom_str text;
	bool summary;  /* made from summaries */
	bool recalled; /* in the context */
	int64_t created;
};

/* Inside an operation; what is so already changes nothing and says so. `id` of the pin is not
 * read. */
enum loom_status loom_pin_set(struct loom_store *store, int64_t thread, const struct loom_pin *pin,
			      bool on, bool *out_changed, struct loom_err *err) LOOM_MUST;
/* A thread's pins in the order of their making. */
enum loom_status loom_pin_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
			       struct loom_pin **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* LOOM_CONFLICT when the label is in use. */
enum loom_status loom_stash_create(struct loom_store *store, int64_t thread,
				   const struct loom_stash *spec, struct loom_err *err) LOOM_MUST;
/* By its exact label. LOOM_NOT_FOUND. */
enum loom_status loom_stash_find(struct loom_store *store, int64_t thread, struct loom_str label,
				 struct loom_arena *arena, struct loom_stash *out,
				 struct loom_err *err) LOOM_MUST;
/* A thread's stashes in the order of their making. */
enum loom_status loom_stash_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_stash **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Puts it into the context, or takes it out. Inside an operation. */
enum loom_status loom_stash_recall(struct loom_store *store, int64_t stash, bool on,
				   bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Inside an operation: undo brings it back. */
enum loom_status loom_stash_drop(struct loom_store *store, int64_t stash,
				 struct loom_err *err) LOOM_MUST;

#endif
