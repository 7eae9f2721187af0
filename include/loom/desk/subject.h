/* The subject model that continues here, and its configuration. */
#ifndef TUI_SUBJECT_H
#define TUI_SUBJECT_H

#include <time.h>

#include <loom/desk/desk.h>
#include <loom/config/config.h>

struct tui_subject {
	struct loom_config *config; /* NULL until read */
	struct loom_err config_err; /* LOOM_OK when it matches the file */
	int64_t config_size;        /* size and time of the file it was read from */
	struct timespec config_time;
	struct loom_arena *config_arena;
	struct loom_buf text; /* for the title; starts with the name */
	size_t name;          /* length of the name in bytes */
	bool several;         /* it is a plan: several voices */
	int64_t n;            /* continuations at once without a count; 0 for the usual number */
	int64_t tokens;       /* length of each; 0 for the usual length */
	int64_t room;         /* context size in tokens; 0 when unknown */
	int held;             /* descriptor that keeps its server; 0 for none */
};

/* Determines which model continues here. */
void tui_subject_read(struct tui_app *app);
/* The configuration as it is now; NULL, with *err, when it is invalid. */
const struct loom_config *tui_config(struct tui_app *app, struct loom_err *err);

#endif
