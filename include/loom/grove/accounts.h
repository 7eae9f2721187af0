/* Accounts and groups of this machine, by their names. */
#ifndef LOOM_ACCOUNTS_H
#define LOOM_ACCOUNTS_H

#include <stdint.h>

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* Returns "marie", or "uid1000" for an account without a name. In the arena, like all of these. */
struct loom_str loom_account_name(int64_t user, struct loom_arena *arena);
/* Returns "marie (uid 1000)", or "uid 1000" for an account without a name. */
struct loom_str loom_account_said(int64_t user, struct loom_arena *arena);
/* Returns "lab", or the number of a group without a name. */
struct loom_str loom_group_name(int64_t group, struct loom_arena *arena);
/* Returns "the group lab", or "the group number 50" for one without a name. */
struct loom_str loom_group_said(int64_t group, struct loom_arena *arena);
/* Finds a group by name or number; -1 if there is none. */
int64_t loom_group_find(struct loom_str name);
/* Returns whether this process has the rights of the group. */
bool loom_group_mine(int64_t group);
/* Returns whether the group has only this account in it, like the private group that many systems
 * give each user. */
bool loom_group_alone(int64_t group);
/* Returns the names of this process's groups, separated by commas, without its private group. */
struct loom_str loom_groups_mine(struct loom_arena *arena);

#endif
