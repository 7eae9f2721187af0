/* What prints results: for what answers are made of (answers.h), and for conversations, which go on
 * while they are read. A command has no business here: tests/house/answers.sh. */
#ifndef LOOM_RESULTS_H
#define LOOM_RESULTS_H

#include <loom/base/json.h>
#include <loom/cli/out.h>

/* Results, made visible (with `raw`: untouched). */
void loom_out_text(struct loom_out *out, struct loom_str s);
/* A C string … */
void loom_out_texts(struct loom_out *out, const char *text);
/* As loom_out_text, with a line feed behind. */
void loom_out_line(struct loom_out *out, struct loom_str s);
/* In a style, where there is colour. */
void loom_out_styled(struct loom_out *out, enum loom_style style, struct loom_str s);
/* Data for a program or a file: untouched, except that a terminal is shown it made visible. */
void loom_out_data(struct loom_out *out, struct loom_str s);

/* A JSON document of results: write into the emitter, then end it (adds a line feed). On a
 * terminal what is not visible leaves as \uXXXX, so that it is still JSON. */
struct loom_json *loom_out_json_begin(struct loom_out *out);
/* Ends and sends it. */
void loom_out_json_end(struct loom_out *out);
/* The same for a document that stands in a text already. */
void loom_out_json_text(struct loom_out *out, struct loom_str document);

struct cli_grove;

#endif
