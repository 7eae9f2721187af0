/* Shared by the files of this room: warnings, sets of texts, and the document's parts in order. */
#ifndef MODEL_PAYLOAD_IMPL_H
#define MODEL_PAYLOAD_IMPL_H

#include <loom/payload/payload.h>
#include <loom/text/markdown.h>

/* A growing list of warnings, in an arena. */
struct model_notes {
	struct loom_arena *arena;
	struct loom_str *items;
	size_t count;
	size_t cap;
};
/* Adds a warning, formatted like printf. */
void model_note(struct model_notes *notes, const char *format, ...) LOOM_PRINTF(2, 3);

/* A set of texts, in an arena. */
struct model_set {
	struct loom_arena *arena;
	struct loom_str *slots;
	size_t count;
	size_t cap;
};
/* Adds a borrowed text; true if it was not in the set yet. */
bool model_set_add(struct model_set *set, struct loom_str text);

/* Returns the info string for a file name, or for a content type. May point into a copy of the
 * argument in the arena. */
struct loom_str model_info_of_path(struct loom_str path, struct loom_arena *arena);
struct loom_str model_info_of_type(struct loom_str type, struct loom_arena *arena);
/* Returns what kind of file these bytes are, "PNG image" or "binary data", or NULL if they are
 * text. Static. */
const char *model_binary_kind(struct loom_str bytes);

/* Appends as UTF-8 a text in an encoding that is certain: UTF-16 with its mark, or one that the
 * content type of a page, or the text itself, declares. False if there is none or it does not fit
 * it. */
bool model_decode(struct loom_str bytes, struct loom_str type, struct loom_buf *out);

/* Writes section 2: the tree of visible files. */
enum loom_status model_payload_tree(const struct loom_payload_opts *opts, struct loom_buf *out,
				    struct model_notes *notes, struct loom_err *err);

/* The entries with folders replaced by their visible files, each target once per scope. */
struct model_resource {
	enum loom_scope scope;
	const struct loom_payload_entry *entry;
	struct loom_str target;
	struct loom_str source; /* where to read it */
	bool empty_folder;
};
struct model_resources {
	struct loom_arena *arena;
	struct model_resource *items;
	size_t count;
	size_t cap;
};
/* Expands entries to one resource per file, scope by scope, without repeats; oddities become
 * notes. */
void model_payload_expand(const struct loom_payload_opts *opts,
			  const struct loom_payload_entry *entries, size_t count,
			  struct model_resources *out, struct model_notes *notes);
/* Appends a resource's fence: its contents, or one line that says why not. */
void model_payload_contents(const struct loom_payload_opts *opts,
			    const struct model_resource *resource, struct loom_buf *out,
			    struct model_notes *notes);

#endif
