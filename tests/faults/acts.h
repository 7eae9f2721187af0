/* What test_statements.c does to a store while its calls fail: one row per action. */
#ifndef LOOM_TESTS_FAULTS_ACTS_H
#define LOOM_TESTS_FAULTS_ACTS_H

#include "support/grove.h"

enum act_how {
	ACT_AGAIN = 1,          /* a write that may be done any number of times */
	ACT_IN_PARTS = 2,       /* several transactions: what came before the failure is in */
	ACT_PASSES_OVER = 4,    /* some of its calls may fail without harm */
	ACT_SAYS_OTHERWISE = 8, /* the failure has another name than SQLite's */
	ACT_STAYS = 16,         /* opening the store anew would do it */
};

struct act {
	const char *name;
	void (*prepare)(void);
	enum loom_status (*run)(struct loom_err *err);
	unsigned how;
};

/* Ends with a row without a name. */
extern const struct act acts[];

struct grove *act_grove(void);
void act_set_up(const struct act *act);
/* Opens the store anew, with no statement at hand, and makes the next try another one. */
void act_fresh(const struct act *act);
void act_tear_down(void);

#endif
