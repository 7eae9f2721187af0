/* The page to read: one branch of a tree, for whoever has its link, in any browser. */
#ifndef LOOM_PAGE_H
#define LOOM_PAGE_H

#include <loom/cli/open_grove.h>
#include <loom/server/server.h>

struct page_door;

/* Opens the door to the pages of a grove, as its person reads it; `grove` is borrowed. Free with
 * page_door_close. */
enum loom_status page_door_open(struct cli_grove *grove, struct page_door **out,
				struct loom_err *err) LOOM_MUST;
/* Closes the door, after the server and the grove's worker are; NULL is allowed. */
void page_door_close(struct page_door *door);

/* Returns whether a request is for a page, or for what pages need. */
bool page_door_is(const struct loom_exchange *exchange);
/* Judges the head of a request for a page: refuses it, or takes its body. */
void page_door_head(struct page_door *door, struct loom_exchange *exchange);
/* Answers a request for a page. */
void page_door_request(struct page_door *door, struct loom_exchange *exchange);

#endif
