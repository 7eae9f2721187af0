/* What a thread keeps: pins and stashes. They change inside operations. */
#ifndef LOOM_MEMORY_H
#define LOOM_MEMORY_H

#include <loom/work/thread.h>

enum loom_pin_kind { LOOM_PIN_NODE, LOOM_PIN_DOC, LOOM_PIN_RESULT };
struct loom_pin {
	int64_t id;
	enum loom_pin_kind kind;
	int64_t node;
	int64_t doc;
	struct loom_str section; /* of the document */
	struct loom_str result;  /* "res-4" */
	struct loom_str text;    /* a result's text */
};
struct loom_stash {
	int64_t id;
	struct loom_str label;
	struct loom_str text;
	bool summary;  /* made from summaries */
	bool recalled; /* is in the context */
	int64_t created;
};

/* Inside an operation: adds or removes a pin; its `id` is ignored. *out_changed is false if that
 * was so already. LOOM_NOT_FOUND if the thing to pin does not exist. */
enum loom_status loom_pin_set(struct loom_store *store, int64_t thread, const struct loom_pin *pin,
			      bool on, bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Lists a thread's pins in order of creation, in the arena. */
enum loom_status loom_pin_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
			       struct loom_pin **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Inside an operation: creates a stash. LOOM_CONFLICT if the label is in use. */
enum loom_status loom_stash_create(struct loom_store *store, int64_t thread,
				   const struct loom_stash *spec, struct loom_err *err) LOOM_MUST;
/* Finds a stash by its exact label; texts go to the arena. LOOM_NOT_FOUND. */
enum loom_status loom_stash_find(struct loom_store *store, int64_t thread, struct loom_str label,
				 struct loom_arena *arena, struct loom_stash *out,
				 struct loom_err *err) LOOM_MUST;
/* Lists a thread's stashes in order of creation, in the arena. */
enum loom_status loom_stash_list(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_stash **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: puts a stash into the context or takes it out; *out_changed is false if that
 * was so already. */
enum loom_status loom_stash_recall(struct loom_store *store, int64_t stash, bool on,
				   bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Inside an operation: deletes a stash; undo restores it. */
enum loom_status loom_stash_drop(struct loom_store *store, int64_t stash,
				 struct loom_err *err) LOOM_MUST;

#endif
