/* Accounts and groups of this machine, by the names that people know them by. */
#ifndef LOOM_ACCOUNTS_H
#define LOOM_ACCOUNTS_H

#include <stdint.h>

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* "marie"; "uid1000" for one that has no name. In the arena, as all of these are. */
struct loom_str loom_account_name(int64_t user, struct loom_arena *arena);
/* "marie (uid 1000)"; "uid 1000" for one that has no name. */
struct loom_str loom_account_said(int64_t user, struct loom_arena *arena);
/* "lab"; its number as text where it has no name. */
struct loom_str loom_group_name(int64_t group, struct loom_arena *arena);
/* "the group lab"; "the group with number 50". */
struct loom_str loom_group_said(int64_t group, struct loom_arena *arena);
/* By name or number; -1: there is none. */
int64_t loom_group_find(struct loom_str name);
/* Whether this process acts with the rights of the group. */
bool loom_group_mine(int64_t group);
/* Whether nobody but this account is in it: the group of its own that many systems give a user. */
bool loom_group_alone(int64_t group);
/* The groups that this process is in, apart by commas, without the one that is its own alone. */
struct loom_str loom_groups_mine(struct loom_arena *arena);

#endif
