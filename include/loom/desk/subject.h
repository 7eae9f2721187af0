/* Who continues here, and the configuration that says so. */
#ifndef TUI_SUBJECT_H
#define TUI_SUBJECT_H

#include <time.h>

#include <loom/desk/desk.h>
#include <loom/config/config.h>

struct tui_subject {
	struct loom_config *config; /* NULL until it is read */
	struct loom_err config_err; /* LOOM_OK: it is what the file says */
	int64_t config_size;        /* of the file that it was read from, and its time */
	struct timespec config_time;
	struct loom_arena *config_arena;
	struct loom_buf text; /* for the title: first the name */
	size_t name;          /* the bytes of it */
	int64_t n;            /* how many at once, when no count is typed; 0: as many as usual */
	int64_t tokens;       /* how long each of them; 0: as long as usual */
	int64_t room;         /* tokens that its context may have; 0: not known */
};

/* Who continues here. */
void tui_subject_read(struct tui_app *app);
/* The configuration as it is now; NULL: there is something wrong with it. */
const struct loom_config *tui_config(struct tui_app *app, struct loom_err *err);

#endif
