/* Answers, each described once: the same calls produce text for a person or, with --json, one JSON
 * object. A command has no other way to write to standard output.
 *
 * How a command answers:
 *   1. Describe each value with its key, in the order of the keys. The outermost object opens by
 *      itself; it is closed and printed when the command succeeds and discarded when it fails.
 *        loom_answer_text(cli, "file", path);
 *        loom_answer_number(cli, "bytes", n);
 *   2. Beside it, say the line for a person; in a list, say each row's line beside its values.
 *        loom_answer_done(cli, "wrote %s (%s)", path, loom_answer_many(cli, n, "byte", "bytes"));
 *   3. Open lists and maps with their key (NULL inside a list) and close them with loom_answer_end;
 *      those still open at the end are closed for you.
 *        loom_answer_list(cli, "tags");
 *        for (…) {
 *                loom_answer_map(cli, NULL);
 *                loom_answer_text(cli, "name", tag->name);
 *                loom_answer_line(cli, "\"%.*s\"", LOOM_STR_ARG(tag->name));
 *                loom_answer_end(cli);
 *        }
 *   4. Use loom_answer_note for a note to a person ("there are no tags"), loom_answer_bytes for
 *      bytes that must not change, and loom_answer_many for plurals.
 *   5. Ask loom_answer_structured only if one form needs data that the other does not.
 * A command that only says lines and describes nothing answers {"text":"…"} with --json. */
#ifndef LOOM_ANSWERS_H
#define LOOM_ANSWERS_H

#include <stdio.h>

#include <loom/base/id.h>
#include <loom/base/json.h>
#include <loom/base/str.h>
#include <loom/cli/out.h>

struct loom_cli;

/* The state of an answer while a command describes it; starts zeroed. */
struct loom_answering {
	struct loom_json *json; /* NULL: nothing described yet, or a person reads */
	uint64_t lists;         /* one bit per level: set if the open container is a list */
	struct loom_buf said;   /* with --json: text that was said and not described */
};

/* Whether the answer is for a program: then described values are printed, and said lines are
 * not. */
bool loom_answer_structured(const struct loom_cli *cli);
/* Makes the rest of the answer JSON even without --json, for a command with its own --format. */
void loom_answer_as_json(struct loom_cli *cli);

/* --- described: appears only in JSON --- */

/* Opens an object as the value of `key`; NULL inside a list. */
void loom_answer_map(struct loom_cli *cli, const char *key);
/* Opens a list as the value of `key`; NULL inside a list. Its values have no keys. */
void loom_answer_list(struct loom_cli *cli, const char *key);
/* Closes the innermost object or list. */
void loom_answer_end(struct loom_cli *cli);
/* Adds a text as the value of `key`; NULL inside a list. */
void loom_answer_text(struct loom_cli *cli, const char *key, struct loom_str text);
/* Adds a text, or null if it is empty, as the value of `key`. */
void loom_answer_maybe(struct loom_cli *cli, const char *key, struct loom_str text);
/* Adds a list of texts as the value of `key`. */
void loom_answer_texts(struct loom_cli *cli, const char *key, const struct loom_str *texts,
		       size_t count);
/* Adds a whole number as the value of `key`. */
void loom_answer_number(struct loom_cli *cli, const char *key, int64_t number);
/* Adds a number, or null for 0, as the value of `key`. */
void loom_answer_id(struct loom_cli *cli, const char *key, int64_t id);
/* Adds true or false as the value of `key`. */
void loom_answer_flag(struct loom_cli *cli, const char *key, bool flag);
/* Adds a time, given in ms and written as RFC 3339, as the value of `key`. */
void loom_answer_time(struct loom_cli *cli, const char *key, int64_t ms);
/* Adds a ULID as the value of `key`. */
void loom_answer_ulid(struct loom_cli *cli, const char *key, const struct loom_ulid *ulid);
/* Adds the names of permissions (grant.h), as a list, as the value of `key`. */
void loom_answer_permissions(struct loom_cli *cli, const char *key, unsigned may);
/* Adds null as the value of `key`. */
void loom_answer_null(struct loom_cli *cli, const char *key);
/* Adds a value that is JSON already, unchanged, as the value of `key`. */
void loom_answer_json(struct loom_cli *cli, const char *key, struct loom_str value);
/* The writer, for a function of a lower room that writes a value under `key`, or with NULL members
 * of the open object. NULL if a person reads. */
struct loom_json *loom_answer_writer(struct loom_cli *cli, const char *key);

/* --- said: appears only in text, unless nothing was described --- */

/* Prints one line; line feeds and controls in it are made visible. */
void loom_answer_line(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* Prints one line that begins with "✓ ". */
void loom_answer_done(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* Prints a text of any number of lines, without ending the last one. */
void loom_answer_piece(struct loom_cli *cli, enum loom_style style, struct loom_str text);
/* Prints a text of any number of lines and ends the last one. */
void loom_answer_page(struct loom_cli *cli, struct loom_str text);
/* Prints a text byte for byte, as a file has it; a terminal gets it sanitised. */
void loom_answer_untouched(struct loom_cli *cli, struct loom_str text);
/* Prints a note to standard error, for a person only. */
void loom_answer_note(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* Prints a warning to standard error, for a person only: something to act on. */
void loom_answer_warn(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* "1 node" or "12,847 nodes", in the call's arena. */
const char *loom_answer_many(struct loom_cli *cli, int64_t count, const char *one,
			     const char *many);

/* --- output that is no answer --- */

/* Prints bytes for a program or a file unchanged, with or without --json; a terminal gets them
 * sanitised. */
void loom_answer_bytes(struct loom_cli *cli, struct loom_str bytes);
/* Standard output itself, for a conversation of lines such as `thread drive`. */
FILE *loom_answer_stream(void);
/* Closes and prints what was described so far, for a command with several answers. The frame does
 * this for the last one. */
void loom_answer_give(struct loom_cli *cli);
/* Discards and frees what was described and not printed, after a failure. */
void loom_answer_drop(struct loom_cli *cli);

#endif
