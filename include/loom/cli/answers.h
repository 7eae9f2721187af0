/* Answers, each described once: text for a person, or with --json one JSON object, comes of the
 * same calls. A command has no other way to speak to standard output.
 *
 * To make a command speak this way:
 *   1. Where it built JSON, name each value with its key, in the order of the keys: no begin, no
 *      `if (json)`. The outermost object is there by itself, and is ended and given when the
 * command ends well; nothing of it is given when the command fails, so simply return.
 *        loom_answer_text(cli, "file", path);
 *        loom_answer_number(cli, "bytes", n);
 *   2. Next to it say the person's line; where a list has rows, each row's line beside its values.
 *        loom_answer_done(cli, "wrote %s (%s)", path, loom_answer_many(cli, n, "byte", "bytes"));
 *   3. Lists and maps: begin with their key (NULL inside a list), end with loom_answer_end; what is
 *      still open at the very end is ended for you.
 *        loom_answer_list(cli, "tags");
 *        for (…) {
 *                loom_answer_map(cli, NULL);
 *                loom_answer_text(cli, "name", tag->name);
 *                loom_answer_line(cli, "\"%.*s\"", LOOM_STR_ARG(tag->name));
 *                loom_answer_end(cli);
 *        }
 *   4. A note for the person alone ("there are no tags") is loom_answer_note, what a program or a
 *      file gets untouched loom_answer_bytes. Plurals are loom_answer_many.
 *   5. Ask loom_answer_structured only where one form needs reading that the other does not.
 * What is only said, and never described, is {"text":"…"} with --json. */
#ifndef LOOM_ANSWERS_H
#define LOOM_ANSWERS_H

#include <stdio.h>

#include <loom/base/id.h>
#include <loom/base/json.h>
#include <loom/base/str.h>
#include <loom/cli/out.h>

struct loom_cli;

/* The answer of a call while it is described; all zero at first. */
struct loom_answering {
	struct loom_json *json; /* NULL: nothing was described yet, or a person reads */
	uint64_t lists;         /* a bit a level: what is open there is a list */
	struct loom_buf said;   /* with --json: what was said and not described */
};

/* Whether the answer is for a program: described values count, and what is said does not. */
bool loom_answer_structured(const struct loom_cli *cli);
/* From here on it is, also without --json: the command's own --format asks for it. */
void loom_answer_as_json(struct loom_cli *cli);

/* --- described: nothing of it in text --- */

/* Containers, as the value of `key`, which is NULL in a list … */
void loom_answer_map(struct loom_cli *cli, const char *key);
/* … and, in the same way, whose values have no keys. */
void loom_answer_list(struct loom_cli *cli, const char *key);
/* Ends the innermost one. */
void loom_answer_end(struct loom_cli *cli);
/* Values: a text … */
void loom_answer_text(struct loom_cli *cli, const char *key, struct loom_str text);
/* … null for an empty one … */
void loom_answer_maybe(struct loom_cli *cli, const char *key, struct loom_str text);
/* … a list of texts … */
void loom_answer_texts(struct loom_cli *cli, const char *key, const struct loom_str *texts,
		       size_t count);
/* … a whole number … */
void loom_answer_number(struct loom_cli *cli, const char *key, int64_t number);
/* … null for 0 … */
void loom_answer_id(struct loom_cli *cli, const char *key, int64_t id);
/* … true or false … */
void loom_answer_flag(struct loom_cli *cli, const char *key, bool flag);
/* … a time in ms, as RFC 3339 … */
void loom_answer_time(struct loom_cli *cli, const char *key, int64_t ms);
/* … a ULID … */
void loom_answer_ulid(struct loom_cli *cli, const char *key, const struct loom_ulid *ulid);
/* … permissions (grant.h) by their names … */
void loom_answer_permissions(struct loom_cli *cli, const char *key, unsigned may);
/* … nothing … */
void loom_answer_null(struct loom_cli *cli, const char *key);
/* … and what is JSON already. */
void loom_answer_json(struct loom_cli *cli, const char *key, struct loom_str value);
/* For a function of a lower room that writes members or a value of its own: NULL when a person
 * reads. `key` as above, and NULL for members. */
struct loom_json *loom_answer_writer(struct loom_cli *cli, const char *key);

/* --- said: nothing of it in JSON that is described --- */

/* One line, whatever is in it. */
void loom_answer_line(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* "✓ …", one line too. */
void loom_answer_done(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* A text of any lines, as it is … */
void loom_answer_piece(struct loom_cli *cli, enum loom_style style, struct loom_str text);
/* … and with its last line ended. */
void loom_answer_page(struct loom_cli *cli, struct loom_str text);
/* … and untouched, as a file has it, but that a terminal is shown it made visible. */
void loom_answer_untouched(struct loom_cli *cli, struct loom_str text);
/* A note, which is no result, for a person alone. */
void loom_answer_note(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* The same for what a person should act upon. */
void loom_answer_warn(struct loom_cli *cli, const char *format, ...) LOOM_PRINTF(2, 3);
/* "1 node", "12,847 nodes", in the call's arena. */
const char *loom_answer_many(struct loom_cli *cli, int64_t count, const char *one,
			     const char *many);

/* --- leaving --- */

/* Bytes for a program or a file, with or without --json: untouched, but that a terminal is shown
 * them made visible. */
void loom_answer_bytes(struct loom_cli *cli, struct loom_str bytes);
/* Standard output itself, for a conversation of lines that is no answer: `thread drive`. */
FILE *loom_answer_stream(void);
/* Ends and gives what was described, now: for one of several answers. The frame does it for the
 * last. */
void loom_answer_give(struct loom_cli *cli);
/* Forgets what was not given: the command failed. Frees. */
void loom_answer_drop(struct loom_cli *cli);

#endif
