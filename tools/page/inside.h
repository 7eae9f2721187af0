/* Inside the page: the branch that a link opens, the window of it that is shown, its drawing, and
 * those who follow it. */
#ifndef PAGE_INSIDE_H
#define PAGE_INSIDE_H

#include <loom/grove/pass.h>
#include <loom/grove/watch.h>
#include <loom/page/page.h>
#include <loom/tree/say_node.h>

/* The longest comment and name, in bytes, and how many comments a link may bring. */
#define PAGE_COMMENT_MAX 4096
#define PAGE_NAME_MAX    80
#define PAGE_COMMENTS    200
/* Comments on a page of comments. */
#define PAGE_TALK 4
/* Comments remembered, so that none is taken twice. */
#define PAGE_RECENT 64
/* The length of a link's secret. */
#define PAGE_SECRET 43

struct page_listener;
struct page_kept;

struct page_door {
	struct loom_cli *cli;
	struct loom_loop *loop;
	struct cli_grove *home; /* whose worker writes */
	struct cli_grove grove; /* the same, on a connection of our own */
	struct loom_passes *passes;
	struct loom_watch *watch;
	uint64_t look; /* timer of the next look at changes */
	uint64_t tick; /* timer, while anybody follows */
	unsigned ticks;
	uint64_t now; /* counts changes of the grove */
	struct page_listener *listeners;
	size_t listener_count;
	struct page_kept *kept;               /* pages as they were drawn last, newest first */
	struct loom_hash recent[PAGE_RECENT]; /* comments taken last */
	size_t recent_count;
};

/* The files that a page needs, carried in the program (CMake writes them). */
extern const char page_css[];
extern const char page_js[];

/* ---- what is asked (requests.c) ---- */

/* The page that a URL asks for. */
struct page_wish {
	struct loom_str secret;
	struct loom_str at;   /* the node in whose place to read; p NULL: where its person is */
	struct loom_str fork; /* instead: all continuations of this node … */
	struct loom_str talk; /* … or all comments on this one */
	int64_t after;        /* of a list: behind this place */
	size_t from;          /* of the text of `at`: behind this byte */
	bool said;            /* a comment has just been taken */
	bool wrong;           /* there is an id that is none */
};
/* A comment that was refused, to be written again. */
struct page_refused {
	const char *why;
	struct loom_str name;
	struct loom_str text;
};

/* Returns whether a text is made like an id, so that it may stand in URLs and HTML as it is. */
bool page_is_id(struct loom_str text);
/* Appends a node's id in that form. */
void page_put_id(struct page_door *door, const struct loom_node *node, struct loom_buf *out);
/* Answers with a page that says no more than that there is none. */
void page_refuse(struct loom_exchange *exchange, unsigned status, const char *why);
/* Answers with a page. */
void page_answer(struct loom_exchange *exchange, unsigned status, struct loom_str html);

/* ---- the branch (branch.c) ---- */

struct page_branch {
	const struct loom_pass *pass;
	struct loom_tree tree;
	struct loom_node base; /* the node that the link names */
	int64_t thread;        /* whose versions are read; 0: as written */
	struct loom_node
		stands; /* where its person is, if that is in the branch, or else the base */
};
/* Finds the branch of a pass, in the grove's arena. LOOM_NOT_FOUND if it is gone or pruned. */
enum loom_status page_branch_find(struct page_door *door, const struct loom_pass *pass,
				  struct page_branch *out, struct loom_err *err) LOOM_MUST;
/* Finds a node of the branch, or of the way to it, by its id, as it is read. LOOM_NOT_FOUND for any
 * other. */
enum loom_status page_branch_node(struct page_door *door, const struct page_branch *branch,
				  struct loom_str id, struct loom_node *out,
				  struct loom_err *err) LOOM_MUST;
/* Returns whether a node is in the branch, and not merely on the way to it. */
bool page_branch_has(struct page_door *door, const struct page_branch *branch,
		     const struct loom_node *node);
/* Lists a page of continuations of a node as they are read, narrow. */
enum loom_status page_branch_below(struct page_door *door, const struct page_branch *branch,
				   const struct loom_node *node, int64_t after, size_t limit,
				   struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* Lists comments on a node that came by this link and were accepted, from number `after` on. */
enum loom_status page_branch_comments(struct page_door *door, const struct page_branch *branch,
				      const struct loom_node *node, int64_t after, size_t limit,
				      struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* Appends the origin of a claim that came by a pass. */
void page_origin(const struct loom_pass *pass, struct loom_buf *out);

/* ---- drawing (draw_page.c, draw_text.c) ---- */

struct page_draw {
	struct page_door *door;
	const struct page_branch *branch;
	const struct page_wish *wish;
	const struct page_refused *refused; /* NULL: none */
	struct loom_show show;
	struct loom_buf out;  /* what is between <main> and </main> … */
	struct loom_buf form; /* … but for the form at its end */
};
/* Draws a page into *out, in the arena of the grove; *out_seen is a hash of all that can change in
 * it. LOOM_NOT_FOUND for what is not in the branch. */
enum loom_status page_draw(struct page_door *door, const struct loom_pass *pass,
			   const struct page_wish *wish, const struct page_refused *refused,
			   struct loom_str *out, struct loom_hash *out_seen,
			   struct loom_err *err) LOOM_MUST;
/* Draws the window of the branch around a node. */
enum loom_status page_draw_text(struct page_draw *draw, const struct loom_node *at,
				struct loom_err *err) LOOM_MUST;
/* Draws comments on a node: the first words of some, or all of each and more of them. */
enum loom_status page_draw_comments(struct page_draw *draw, const struct loom_node *node,
				    int64_t after, bool whole, struct loom_buf *out,
				    struct loom_err *err) LOOM_MUST;
/* Draws a list of continuations; `current` is the group of the one that is shown. */
enum loom_status page_draw_fork(struct page_draw *draw, const struct loom_node *node,
				int64_t current, int64_t after, size_t most, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

/* ---- following (readers.c) ---- */

/* Returns the page of a wish as it is now, drawn once for all who ask; borrowed until the next
 * change. Fails as drawing does. */
enum loom_status page_now(struct page_door *door, const struct loom_pass *pass,
			  const struct page_wish *wish, struct loom_str *out_html,
			  struct loom_hash *out_seen, struct loom_err *err) LOOM_MUST;
/* Tells an exchange from now on whenever the page of a wish has become another than `seen`. */
void page_listen(struct page_door *door, const struct loom_pass *pass, const struct page_wish *wish,
		 struct loom_exchange *exchange);
/* Ends everything about following. */
void page_listen_close(struct page_door *door);

/* ---- comments (guest_comment.c) ---- */

/* Returns the hour of the clock, which the tokens of forms are made from. */
int64_t page_hour(const struct page_door *door);
/* Appends a token for a form about a node, which only we can make. */
void page_form_token(struct page_door *door, struct loom_str secret, const struct loom_node *node,
		     struct loom_buf *out);
/* Takes a comment, and answers when it is safe or refused. */
void page_comment(struct page_door *door, const struct loom_pass *pass,
		  const struct page_wish *wish, struct loom_exchange *exchange);

#endif
