/* Printing of results: for answers.h, and for conversations, which print while they are read.
 * Commands must not include this; tests/house/answers.sh checks. */
#ifndef LOOM_RESULTS_H
#define LOOM_RESULTS_H

#include <loom/base/json.h>
#include <loom/cli/out.h>

/* Prints a text as a result, sanitised (with `raw`: unchanged). */
void loom_out_text(struct loom_out *out, struct loom_str s);
/* Prints a C string as a result, sanitised (with `raw`: unchanged). */
void loom_out_texts(struct loom_out *out, const char *text);
/* Prints a text and a line feed as a result, sanitised (with `raw`: unchanged). */
void loom_out_line(struct loom_out *out, struct loom_str s);
/* Prints a text in a style, if colour is on. */
void loom_out_styled(struct loom_out *out, enum loom_style style, struct loom_str s);
/* Prints data for a program or a file unchanged; a terminal gets it sanitised. */
void loom_out_data(struct loom_out *out, struct loom_str s);

/* Begins a JSON document as the result: write into the emitter, then call loom_out_json_end. On a
 * terminal, invisible characters become \uXXXX, so it is still JSON. */
struct loom_json *loom_out_json_begin(struct loom_out *out);
/* Ends the JSON document with a line feed and prints it. */
void loom_out_json_end(struct loom_out *out);
/* Prints a JSON document that exists as text, under the rules of loom_out_json_begin. */
void loom_out_json_text(struct loom_out *out, struct loom_str document);

struct cli_grove;

#endif
