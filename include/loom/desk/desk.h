/* The inside of the program on the screen: one state, and what each file does with it. */
#ifndef TUI_APP_IMPL_H
#define TUI_APP_IMPL_H

#include <time.h>

#include <loom/actor/act.h>
#include <loom/tree/document.h>
#include <loom/grove/grant.h>
#include <loom/base/json.h>
#include <loom/grove/draft.h>
#include <loom/grove/presence.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/search/search.h>
#include <loom/work/thread.h>
#include <loom/base/utf8.h>
#include <loom/providers/voice.h>
#include <loom/grove/watch.h>
#include <loom/text/width.h>
#include <loom/loop/worker.h>

#include <loom/desk/app.h>
#include <loom/keys/keymap.h>
#include <loom/terminal/layout.h>
#include <loom/parts/lineedit.h>
#include <loom/parts/outline.h>
#include <loom/parts/people.h>
#include <loom/parts/reader.h>
#include <loom/parts/rows.h>

#define TUI_JUMPS    100
#define TUI_VISITED  512
#define TUI_UNSEEN   1024
#define TUI_MESSAGES 200
#define TUI_SAVE_MS  700 /* of quiet, before where one stands is kept */
#define TUI_SAY_MS   120 /* before others are told of it */

#define TUI_BEGINNING "the beginning of a tree, yours alone so far"

#define TUI_AHEAD  64 /* keys */
#define TUI_DRAFTS 64
struct tui_draft_row {
	char id[16];
	int64_t anchor; /* group */
	bool edit;      /* another version of it; else below it */
	bool begins;    /* a tree of its own: it hangs on nothing, and stands below the root here */
	bool pending;   /* its file is not written yet */
	char text[TUI_ROW_TEXT];
	uint8_t text_n;
};

struct tui_commit;
struct tui_finding;
struct tui_list;
struct tui_macros;
struct tui_pasted;
struct tui_importing;
struct tui_shell;
struct tui_talk;
struct tui_prompt;
struct tui_writing;

struct tui_message {
	enum tui_role role;
	int64_t at;
	char text[600];
};

/* The steps that lead to the position, the last of them at least. */
struct tui_step {
	int64_t group;
	size_t bytes;
	int64_t children;
};

struct tui_visit {
	int64_t group, child;
};

/* What a person has of a tree besides the tree: kept between two sittings. */
struct tui_jumps {
	int64_t groups[TUI_JUMPS];
	size_t count, at; /* at == count: not among them */
};

struct tui_app {
	/* the world */
	struct loom_env *env;
	struct loom_buf dir;
	struct loom_store *store; /* reads only */
	struct loom_arena *arena; /* of one event */
	struct loom_loop *loop;
	struct loom_worker *worker; /* NULL until something is written */
	struct loom_worker *looker; /* reads; NULL until something is looked at */
	struct loom_worker *filer;  /* keeps drafts; NULL until there is one */
	const char *program;        /* ours, NULL: commands of the command line are not here */
	struct tui_shell *shell;    /* one of them under way; NULL: none */
	struct loom_watch *watch;
	struct loom_session *session;
	struct tui_stage *stage; /* NULL without a terminal */
	bool over;
	bool ending;    /* what is under way is waited for, nothing is begun any more */
	bool closed;    /* no job is taken any more */
	bool replaced;  /* another grove stands where this one stood */
	int64_t unsure; /* since when (boot clock) somebody writes over its file; 0: nobody does */

	/* who and where */
	struct tui_people people;
	int64_t actor;
	struct loom_arena *tree_arena;
	struct loom_tree tree;
	int64_t thread;   /* the implicit one, 0 until something was written */
	int64_t position; /* group */
	int64_t member;   /* its version shown */
	int64_t k, n;     /* which of how many siblings */
	struct tui_step *path;
	size_t path_count, path_cap;
	bool path_whole; /* begins at the root */

	/* the panes */
	struct tui_rows rows;
	struct tui_outline outline;
	uint32_t cursor;                /* an item of the outline */
	struct tui_levelling levelling; /* under way; next 0: none is */
	uint64_t level_timer;
	uint64_t top; /* its first row in sight */
	int tree_height;
	struct tui_reader reader;
	int reader_height;
	int drawn_w, drawn_h; /* the screen, when the reader was last drawn */
	enum tui_pane focus;
	bool zoomed;
	struct tui_list *list; /* the view over everything, NULL: tree and reader */
	struct tui_list *side; /* in the side pane, NULL: it is not there */
	int64_t side_thread;   /* whose memory it shows, 0: mine, which is not there yet */
	struct tui_prompt *prompt;
	struct tui_writing *writing;
	struct tui_talk *talks;          /* conversations of this sitting */
	struct tui_pasted *pasted;       /* that nothing was done with yet; NULL: none */
	struct tui_importing *importing; /* NULL: none */

	/* keys */
	struct tui_keymap keymap;
	struct tui_chord chord;
	/* Typed while a view was still being looked up; done when it is there. */
	struct tui_key ahead[TUI_AHEAD];
	size_t ahead_count;
	bool which; /* show how a chord can go on */
	uint64_t which_timer;
	bool stuck;                /* the last key could not do anything */
	struct tui_macros *macros; /* NULL: none */

	/* memory of this sitting */
	struct tui_jumps jumps;
	int64_t marks[128];
	int64_t last_place;
	struct tui_visit visited[TUI_VISITED];
	struct loom_buf found;       /* what is searched for */
	struct tui_finding *finding; /* NULL: nothing is, just now */
	uint64_t find_timer;
	bool found_nothing;

	/* news */
	int64_t event_seq;
	int64_t newest; /* number of the last node that was looked at for news */
	int64_t unseen[TUI_UNSEEN];
	size_t unseen_count;
	struct loom_arena *live_arena;
	struct loom_presence *present;
	size_t present_count;
	char follow[64]; /* whose session; empty: nobody's */
	bool led;        /* a move that is made now is theirs */

	/* what is said */
	struct tui_message message; /* empty text: none */
	struct tui_message *messages;
	size_t message_count;      /* ever */
	size_t writes;             /* under way */
	uint64_t writes_timer;     /* looks whether another process holds them up; 0: none */
	char held_up[128];         /* what was said of that; empty: nothing */
	size_t looks;              /* the same */
	char source[65];           /* the thread that was marked to be shared; empty: none */
	int payload_scope;         /* the one that gets what is picked */
	char payload_session[256]; /* whose payload is looked at; empty: the newest */
	char payload_turn[24];
	uint64_t lists_opened;
	size_t asked_count; /* lists that wait for a person's leave */
	int64_t asked_last; /* the newest of them */
	/* What y would do now; NULL: nothing was asked. */
	void (*asked)(struct tui_app *app);
	struct tui_run *runs;
	struct tui_ghost *ghosts;
	size_t ghost_count;
	struct loom_buf ghost_shown; /* what the reader has of one */
	struct loom_config *config;  /* NULL until it is read */
	struct loom_err config_err;  /* LOOM_OK: it is what the file says */
	int64_t config_size;         /* of the file that it was read from, and its time */
	struct timespec config_time;
	struct loom_buf subject; /* who continues, for the title: first the name */
	size_t subject_name;     /* the bytes of it */
	int64_t subject_n;       /* how many at once, when no count is typed; 0: as many as usual */
	int64_t subject_tokens;  /* how long each of them; 0: as long as usual */
	int64_t subject_room;    /* tokens that its context may have; 0: not known */
	struct loom_arena *config_arena;
	struct loom_voices *voices; /* NULL until a model is asked */
	struct loom_buf *history;   /* of command lines */
	size_t history_count;
	int64_t selected[256]; /* groups picked for a command */
	size_t selected_count;
	int64_t retried;        /* the node whose siblings were asked for and have not begun */
	bool blind;             /* comparing hides who wrote what */
	struct loom_buf wanted; /* the words of the last search */
	struct loom_buf hits;   /* what it found, a line each */
	bool searching;
	struct loom_buf filter; /* of the tree; empty: none */
	bool filtering;         /* the worker has been asked */
	bool filter_again;      /* and is to be asked once more */
	size_t filter_hits;
	bool filter_more; /* there are more than are shown */
	struct tui_draft_row *drafts;
	size_t draft_count;
	int64_t drafts_asked; /* how often they were asked for */
	uint64_t drafts_timer;
	int64_t drafts_of;          /* in which tree; -1: nobody has asked yet */
	char draft_at[16];          /* the one under the cursor; empty: none is */
	struct loom_buf draft_text; /* all of it */
	struct tui_commit *commits; /* texts on their way into the tree */
	int64_t commit_number;
	uint64_t save_timer, say_timer;
	bool unsaved;
	struct loom_summarizer *sums; /* NULL until something waited to be summed up */
	uint64_t sums_timer;
	bool sums_refused;

	struct tui_theme theme;
	enum tui_background ground; /* of the terminal; TERMINAL: not known */
	bool ascii;
	bool no_mouse; /* it is the terminal's own */
};

/* app.c */
/* In colours for the ground of the terminal, as far as that is known. */
void tui_use_theme(struct tui_app *app, const struct tui_theme *theme);
void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...) LOOM_PRINTF(3, 4);
/* Says, dimly, why a key did nothing; a macro ends there. */
void tui_stuck(struct tui_app *app, const char *format, ...) LOOM_PRINTF(2, 3);
/* Says what went wrong; nothing for LOOM_OK. Returns whether it went well. */
bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err);
/* Whether who acts may do at once what this command of the command line does; says why not. */
bool tui_may(struct tui_app *app, const char *command);
enum tui_keyview tui_app_keyview(const struct tui_app *app);
void tui_app_command(struct tui_app *app, const struct tui_match *match);
/* A key, now. */
void tui_app_key(struct tui_app *app, struct tui_key key);
/* Whether the answer that keys wait for is near. */
bool tui_app_waits(const struct tui_app *app);
struct tui_layout tui_app_layout(const struct tui_app *app, int w, int h);
/* Does the keys that were typed ahead, soon. */
void tui_app_catch_up(struct tui_app *app);

/* enter_tree.c: into a tree, and out of one that is gone */
/* Drops what is pending and shows the tree whose number this is, where one stood in it. */
bool tui_app_tree(struct tui_app *app, int64_t tree);
/* The same where there is no tree: tree.id is 0 then. */
void tui_app_bare(struct tui_app *app);

/* no_tree.c: the desk of a grove without a tree */
/* True when there is no tree and the command was about one, or has begun one. */
bool tui_bare_command(struct tui_app *app, const struct tui_match *match);
/* Whether it does something there. */
bool tui_bare_takes(enum tui_command command);
/* That there is none, for what needs one. */
void tui_bare_say(struct tui_app *app);
/* What can be done, in one line. */
void tui_bare_text(const struct tui_app *app, struct loom_buf *out);
void tui_bare_draw(const struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);

/* position.c: where one stands */
enum tui_go {
	TUI_GO_STEP, /* as a step: not kept as a jump */
	TUI_GO_JUMP,
};
bool tui_go(struct tui_app *app, int64_t group, enum tui_go how);
/* Looks for the thread whose choices count here: the first thing that is done in a tree makes it.
 */
void tui_find_thread(struct tui_app *app);
/* Which node is read: of a prose with the focus the one under the caret, else where one stands. */
int64_t tui_read_group(const struct tui_app *app);
/* What one comes back to: a place that was left by more than a step. */
void tui_keep_jump(struct tui_app *app, int64_t group);
/* The cursor to an item; the position follows when it is a node. */
void tui_cursor_to(struct tui_app *app, uint32_t item);
int64_t tui_visited(struct tui_app *app, int64_t group);
/* The group of a node, and 0 when there is none. */
int64_t tui_group_of(struct tui_app *app, int64_t node);
/* Reads rows, path and reader anew after something changed; the row of the cursor stays. */
void tui_refresh(struct tui_app *app);
bool tui_on_path(const struct tui_app *app, int64_t group);
void tui_keep_in_sight(struct tui_app *app);

/* macro.c: keys recorded, and done again */
bool tui_macro_command(struct tui_app *app, const struct tui_match *match);
/* Keeps a key that was typed, while one records; true: it ended that. */
bool tui_macro_record(struct tui_app *app, struct tui_key key);
/* Goes on with what is played, as far as nothing is waited for. */
void tui_macro_go(struct tui_app *app);
bool tui_macro_plays(const struct tui_app *app);
/* False: none is played. */
bool tui_macro_stop(struct tui_app *app);
/* Whose name is being recorded; 0: none's. */
char tui_macro_recording(const struct tui_app *app);
void tui_macros_put(const struct tui_app *app, struct loom_json *json);
void tui_macros_take(struct tui_app *app, const cJSON *kept);
void tui_macros_free(struct tui_app *app);

/* mouse.c */
void tui_mouse(struct tui_app *app, const struct tui_mouse *mouse);

/* move.c, fold.c: true when the command was one of theirs */
bool tui_move_command(struct tui_app *app, const struct tui_match *match);
bool tui_fold_command(struct tui_app *app, const struct tui_match *match);
/* Whether something is being opened, a part at a time; goes on with it. */
bool tui_level_waits(const struct tui_app *app);
void tui_level_soon(struct tui_app *app);
/* What is being opened stays as it is by now. */
void tui_level_end(struct tui_app *app);
/* All of it, now: for who asks for its last row. */
void tui_level_finish(struct tui_app *app);
/* The rows in sight of the tree, down or up; the cursor stays. */
void tui_tree_scroll(struct tui_app *app, int lines);

/* draw_tree.c, bars.c */
void tui_tree_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
/* The row of a draft, where no tree is. */
void tui_draft_draw(const struct tui_draft_row *draft, struct tui_grid *grid, struct tui_rect row);
void tui_title_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_status_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_which_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect body);

/* others.c: what others do */
void tui_news_start(struct tui_app *app);
void tui_news_stop(struct tui_app *app);
void tui_news_seen(struct tui_app *app, int64_t group);
/* Pruned, or below what is, and not shown. */
bool tui_is_hidden(struct tui_app *app, int64_t group);
void tui_presence_say(struct tui_app *app, const char *doing);
/* Follows whoever else is here, or stops. */
void tui_follow(struct tui_app *app);
/* One has moved oneself. */
void tui_follow_end(struct tui_app *app);
/* The name of who is followed; empty: nobody is, or not here any more. */
struct loom_str tui_followed(const struct tui_app *app);
/* Asks the store now, without waiting for a notice. */
void tui_news_look(struct tui_app *app);

/* summaries.c: summaries in the background */
/* Something was written: a moment later what waits is made. */
void tui_sums_soon(struct tui_app *app);
/* Gives up what is under way; before the worker goes. */
void tui_sums_end(struct tui_app *app);
/* What waits, as rows of a list. */
enum loom_status tui_sums_rows(struct tui_app *app, struct tui_list *list, struct loom_err *err);

/* keep_place.c: what is written without being an operation, and the session between two sittings */
void tui_keep_position(struct tui_app *app);
void tui_keep_now(struct tui_app *app);
void tui_session_save(struct tui_app *app);
void tui_session_load(struct tui_app *app);

/* workers.c: the worker */
struct tui_job {
	struct tui_app *app;
	enum loom_status (*run)(struct loom_store *store, struct tui_job *job,
				struct loom_err *err);
	void (*done)(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err);
	int64_t a, b, c, d;
	void *own; /* of who made it, who also lets go of it */
	struct loom_buf text;
	struct loom_buf answer;
	/* What a look found: in an arena that ends with the job, unless `done` takes it. */
	struct loom_arena *arena;
	bool silent; /* nothing that a person waits for */
	bool look;
};
struct tui_job *tui_job_make(struct tui_app *app);
/* Ends one that was not posted. */
void tui_job_drop(struct tui_job *job);
/* Takes the job. */
void tui_job_post(struct tui_job *job);
/* A write began, or is behind: while one takes longer the screen says whom it waits for. */
void tui_write_begins(struct tui_app *app);
void tui_write_ends(struct tui_app *app);
/* The same on the worker that reads and writes files beside the store, so that it waits for no lock
 * of the store's: the store that `run` gets only reads. */
void tui_job_look(struct tui_job *job);
/* The same for drafts, which wait neither for a lock nor for a long look. */
void tui_job_file(struct tui_job *job);
struct loom_worker *tui_worker(struct tui_app *app);

/* unsent.c: texts that are not in the tree */
struct tui_unsent {
	char id[16];                    /* of its draft */
	char tree[LOOM_ULID_CHARS + 1]; /* whose number is */
	int64_t tree_id;
	char anchor[LOOM_LOCAL_MAX]; /* empty: of a tree to come, whose root it will be */
	bool editing;                /* another version of the anchor; else a new node below it */
};
/* A new draft's name, in this tree, hanging on nothing yet. */
void tui_unsent_make(const struct tui_app *app, struct tui_unsent *out);
/* Makes it the beginning of a tree to come. */
void tui_unsent_uproot(struct tui_unsent *what);
/* Keeps it as a draft; an empty text drops the draft. folds (may be NULL): those of the text. */
void tui_unsent_keep(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		     const struct tui_folds *folds);
/* Makes it a node, and the draft goes; what is refused is a draft. Then: 0 no more, else continues
 * with so many less one (0: as many as usual). */
void tui_unsent_commit(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		       int then);
/* Whether the draft of this name is on its way into the tree. */
/* The text on its way that stands where one is, as the reader shows it. */
void tui_unsent_extra(struct tui_app *app, struct tui_extra *extra);
bool tui_unsent_leaves(const struct tui_app *app, struct loom_str id);
/* What could not be told of any more stays a draft. */
void tui_unsent_close(struct tui_app *app);

/* do_line.c: command lines, done by an actor on the worker */
struct tui_run;
/* Who may be asked; made when first asked for. */
const struct loom_generator *tui_generator(struct tui_app *app);
/* What a line or calls are run for: how it goes on. */
struct tui_run_opts {
	bool quiet; /* nothing is said when it went well */
	bool stay;  /* the position does not follow what was made */
	/* Behind the last result; ok: all went well. May be NULL. */
	void (*done)(struct tui_app *app, int64_t number, bool ok);
	int64_t number; /* for done */
	/* A list that an agent proposed and a person has approved: whose, and where it acts. */
	int64_t agent; /* 0: the person's own */
	int64_t tree;
	int64_t thread;
	int64_t seq; /* of its log, that the calls came from; -1: none */
};
/* A line as one types it behind the colon. */
void tui_run_line(struct tui_app *app, struct loom_str line, const struct tui_run_opts *opts);
/* As many lines as one operation; each is printed and read as if it had been typed. */
void tui_run_calls(struct tui_app *app, const struct loom_call *calls, size_t count,
		   const struct tui_run_opts *opts);
/* Ends what is being generated, newest first; false when nothing is. */
bool tui_run_cancel(struct tui_app *app);
void tui_run_end_all(struct tui_app *app);
/* Asks for the label of a stash of this node. */
void tui_stash_ask(struct tui_app *app);
/* Continues from the position; 0: as many as usual. */
void tui_continue_here(struct tui_app *app, int count);
/* The keys that are short for command lines. */
bool tui_verb_command(struct tui_app *app, const struct tui_match *match);
/* Takes an operation back; 0: one's own last. */
void tui_undo(struct tui_app *app, int64_t op);
/* Gives a text to the terminal's clipboard and says so. */
void tui_copy(struct tui_app *app, struct loom_str text, const char *what);
bool tui_is_selected(const struct tui_app *app, int64_t group);
/* lists.c: a text to look at, its lines in a list. */
void tui_text_open(struct tui_app *app, struct loom_str title, struct loom_str text);

/* ghosts.c: nodes that are being written by a model, shown as siblings before they are any */
#define TUI_STREAMS 64
struct tui_ghost {
	struct tui_run *run;
	size_t choice;
	int64_t from; /* group */
	char id[LOOM_LOCAL_MAX];
	struct loom_buf text;
	uint32_t item; /* in the outline, 0: none */
	bool stopped;
};
void tui_stream_begin(struct tui_app *app, struct tui_run *run, int64_t from,
		      const char *const *ids, size_t count);
void tui_stream_chunk(struct tui_app *app, const struct tui_run *run, size_t choice,
		      struct loom_str text);
/* The nodes are there, or will never be: the cursor goes from a ghost to its node. */
void tui_stream_end(struct tui_app *app, const struct tui_run *run);
/* Puts them into the outline again. */
void tui_stream_show(struct tui_app *app);
/* The ghost of an item, or NULL. */
struct tui_ghost *tui_stream_at(struct tui_app *app, uint32_t item);
void tui_stream_select(struct tui_app *app, const struct tui_ghost *ghost);

/* command_line.c: one line at the bottom */
enum tui_prompt_kind { TUI_PROMPT_COMMAND, TUI_PROMPT_FIND, TUI_PROMPT_FILTER, TUI_PROMPT_LINE };
/* `text` stands in it already, with the caret at `caret` (SIZE_MAX: at its end). */
void tui_prompt_open(struct tui_app *app, enum tui_prompt_kind kind, struct loom_str text,
		     size_t caret);
/* A line for `take`, behind `sign` (which lives for ever); what is left with Esc is not taken. */
typedef void tui_take_fn(struct tui_app *app, struct loom_str line);
void tui_prompt_line(struct tui_app *app, const char *sign, struct loom_str text,
		     tui_take_fn *take);
/* The same for words that may have lines: what is pasted keeps its own. */
void tui_prompt_lines(struct tui_app *app, const char *sign, struct loom_str text,
		      tui_take_fn *take);
void tui_prompt_close(struct tui_app *app);
/* Back to where one stood when a search began. */
void tui_prompt_stand(struct tui_app *app);
void tui_prompt_command(struct tui_app *app, const struct tui_match *match);
/* A key that no binding took; false: not the line's. */
bool tui_prompt_key(struct tui_app *app, struct tui_key key);
/* The command that is half typed, and where the caret is in it; empty: none is. Borrowed until the
 * next key. */
struct loom_str tui_prompt_typed(const struct tui_app *app, size_t *out_caret);
void tui_prompt_paste(struct tui_app *app, struct loom_str text);
void tui_prompt_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect status,
		     struct tui_rect body);
/* colon.c: does what was typed behind the colon. */
void tui_colon(struct tui_app *app, struct loom_str line);
/* On the worker: a tree as one operation; without a title it gets a spare one. */
enum loom_status tui_tree_make(struct loom_store *store, const struct loom_tree_spec *wanted,
			       struct loom_arena *arena, int64_t *out_tree, struct loom_err *err);
/* One stands in a tree that was just made. */
void tui_say_new_tree(struct tui_app *app);
/* subject.c: who continues here. */
void tui_subject_read(struct tui_app *app);
/* The configuration as it is now; NULL: there is something wrong with it. */
const struct loom_config *tui_config(struct tui_app *app, struct loom_err *err);
/* shell.c: a command of the command line; false when the line is none. */
bool tui_shell_line(struct tui_app *app, struct loom_str line);
/* `new` with the options of the command line: to the tree that it makes. */
bool tui_shell_new(struct tui_app *app, struct loom_str rest);
/* False: none is under way. */
bool tui_shell_stop(struct tui_app *app);
/* find.c: searching in this tree: a byte of a node. */
struct tui_find_place {
	int64_t node;
	size_t at;
};
/* Where one stands, at the caret if it is there. */
struct tui_find_place tui_find_here(const struct tui_app *app);
/* From that place on, and around. */
void tui_find(struct tui_app *app, struct loom_str what, struct tui_find_place from);
void tui_find_next(struct tui_app *app, bool back);
/* Says that nothing was found, when that is so. */
void tui_find_say(struct tui_app *app);
/* How it stands, in a few words for the prompt. */
const char *tui_find_state(const struct tui_app *app);
/* Whether the answer is so near that keys wait for it. */
bool tui_find_waits(const struct tui_app *app);
/* False: nothing is looked for. */
bool tui_find_stop(struct tui_app *app);

/* complete.c: how a command line can go on */
struct tui_completion {
	struct loom_str text;  /* what replaces the word */
	struct loom_str about; /* its summary */
};
struct tui_completions {
	size_t from; /* where the word begins */
	struct tui_completion *items;
	size_t count;
};
void tui_complete(struct tui_app *app, struct loom_str line, size_t caret, struct loom_arena *arena,
		  struct tui_completions *out);

/* side.c: the memory of a thread, beside tree and reader */
/* Opens the memory of one's own thread and takes no focus. */
void tui_side_open(struct tui_app *app);
bool tui_side_command(struct tui_app *app, const struct tui_match *match);
void tui_side_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);
void tui_side_refresh(struct tui_app *app);
void tui_side_close(struct tui_app *app);
/* payload_view.c: what an agent of this project is given */
void tui_payload_open(struct tui_app *app);

/* filter.c: only the rows that a search lets through */
/* Empty: all rows again. The rows come when the worker has answered. */
void tui_filter_set(struct tui_app *app, struct loom_str text);
/* Something was changed: asks once more, if a filter is on. */
void tui_filter_again(struct tui_app *app);
/* Appends what is filtered for and how much is hidden. */
void tui_filter_count(const struct tui_app *app, struct loom_buf *out);
void tui_filter_say(const struct tui_app *app, struct loom_buf *out);

/* token_lens.c: the lens */
bool tui_token_command(struct tui_app *app, const struct tui_match *match);
/* How many rows of a reader of that height say what else the token could have been. */
int tui_token_rows(struct tui_app *app, int height);
void tui_token_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect);

/* inspector.c: what a model would be given, or was */
bool tui_inspect_command(struct tui_app *app, const struct tui_match *match);
void tui_inspect_diff_with(struct tui_app *app, struct loom_str name);
void tui_inspect_save(struct tui_app *app, struct loom_str path);

/* approve.c: what waits for a person's leave */
void tui_approve_open(struct tui_app *app);
/* The same; leaving leads back to the conversation. */
void tui_approve_beside(struct tui_app *app, struct tui_talk *talk);
/* The calls of the paste at hand; leaving leads back to it. */
void tui_approve_paste(struct tui_app *app);
/* Asks how many lists wait, and says a new one in a line. */
void tui_approve_news(struct tui_app *app);

/* compare.c */
void tui_compare_open(struct tui_app *app);
/* search_list.c: the grove's texts, as one types */
void tui_search_open(struct tui_app *app, struct loom_str words);

/* drafts.c */
/* Puts the rows that are known into the outline again. */
void tui_drafts_show(struct tui_app *app);
/* Reads them anew; the rows come when that is done. */
void tui_drafts_again(struct tui_app *app);
/* The file of this one is as it is meant. */
void tui_drafts_written(struct tui_app *app, const char *id);
/* Reads them anew when others have kept or dropped one since. */
void tui_drafts_look(struct tui_app *app);
const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item);
void tui_drafts_go(struct tui_app *app);
/* A text was left: its row is there at once, under the cursor. */
void tui_drafts_left(struct tui_app *app, const struct tui_unsent *what, struct loom_str text);
/* The cursor is on this row, or (NULL) on none of them. */
void tui_drafts_select(struct tui_app *app, const struct tui_draft_row *draft);
/* What the reader shows of the one under the cursor. */
void tui_drafts_extra(const struct tui_app *app, struct tui_extra *extra);
/* The last row of the drafts that hang on where one stands; 0: there are none. */
uint64_t tui_drafts_last_row(const struct tui_app *app);
/* The item of the draft under the cursor; 0: there is none. */
uint32_t tui_drafts_item(const struct tui_app *app);
/* What a key means on a draft; false: what it means elsewhere. */
bool tui_drafts_command(struct tui_app *app, const struct tui_match *match);

/* text_editor.c: a text being written */
bool tui_write_command(struct tui_app *app, const struct tui_match *match);
bool tui_write_key(struct tui_app *app, struct tui_key key);
void tui_write_paste(struct tui_app *app, struct loom_str text);
/* Opens a new text below the position, or the node for another version (at a byte of it). */
void tui_write_new(struct tui_app *app);
void tui_write_edit(struct tui_app *app, size_t at);
/* The same for the beginning of a tree. */
void tui_write_beginning(struct tui_app *app);
/* Keeps the draft, and leaves it. */
void tui_write_close(struct tui_app *app);
/* external.c: the text, or the node, in a person's own editor. */
void tui_external(struct tui_app *app);
/* Any text; *out is what the editor left. Says why when false: nothing else came back. */
bool tui_editor(struct tui_app *app, struct loom_str before, struct loom_buf *out);
/* The text being written, and another in its place. */
struct loom_str tui_write_text(const struct tui_app *app);
void tui_write_set(struct tui_app *app, struct loom_str text);
/* What of it the reader shows, and where its caret is in that. */
void tui_write_show(struct tui_app *app);
size_t tui_write_caret(const struct tui_app *app);
/* Whether Enter posts it; else it is a line break. */
bool tui_write_posts(const struct tui_app *app);
const char *tui_write_hint(const struct tui_app *app);

#endif
