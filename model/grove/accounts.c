/* Accounts and groups, as the system knows them. Those without a name work as well. */
#include <loom/grove/accounts.h>

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define ROOM       16384
#define GROUPS_MAX 256

static bool find_user(int64_t user, struct passwd *row, char room[ROOM])
{
	struct passwd *found = NULL;

	return getpwuid_r((uid_t)user, row, room, ROOM, &found) == 0 && found;
}

static bool find_group(int64_t group, struct group *row, char room[ROOM])
{
	struct group *found = NULL;

	return getgrgid_r((gid_t)group, row, room, ROOM, &found) == 0 && found;
}

struct loom_str loom_account_name(int64_t user, struct loom_arena *arena)
{
	char room[ROOM];
	struct passwd row;

	if (find_user(user, &row, room))
		return loom_arena_str(arena, loom_str_of(row.pw_name));
	return loom_arena_format(arena, "uid%lld", (long long)user);
}

struct loom_str loom_account_said(int64_t user, struct loom_arena *arena)
{
	char room[ROOM];
	struct passwd row;

	if (find_user(user, &row, room))
		return loom_arena_format(arena, "%s (uid %lld)", row.pw_name, (long long)user);
	return loom_arena_format(arena, "uid %lld", (long long)user);
}

struct loom_str loom_group_name(int64_t group, struct loom_arena *arena)
{
	char room[ROOM];
	struct group row;

	if (find_group(group, &row, room))
		return loom_arena_str(arena, loom_str_of(row.gr_name));
	return loom_arena_format(arena, "%lld", (long long)group);
}

struct loom_str loom_group_said(int64_t group, struct loom_arena *arena)
{
	char room[ROOM];
	struct group row;

	if (find_group(group, &row, room))
		return loom_arena_format(arena, "the group %s", row.gr_name);
	return loom_arena_format(arena, "the group number %lld", (long long)group);
}

int64_t loom_group_find(struct loom_str name)
{
	char text[256];
	char room[ROOM];
	struct group row;
	struct group *found = NULL;
	uint64_t number = 0;

	if (!name.n || name.n >= sizeof text)
		return -1;
	snprintf(text, sizeof text, "%.*s", LOOM_STR_ARG(name));
	if (getgrnam_r(text, &row, room, sizeof room, &found) == 0 && found)
		return row.gr_gid;
	return loom_str_to_u64(name, &number) && number < UINT32_MAX ? (int64_t)number : -1;
}

/* Fills in the groups of this process, the effective one first; returns how many. */
static int list_groups(gid_t out[GROUPS_MAX + 1])
{
	int count = getgroups(GROUPS_MAX, out + 1);

	out[0] = getegid();
	return count < 0 ? 1 : count + 1;
}

bool loom_group_mine(int64_t group)
{
	gid_t groups[GROUPS_MAX + 1];
	const int count = list_groups(groups);

	for (int i = 0; i < count; i++)
		if ((int64_t)groups[i] == group)
			return true;
	return false;
}

bool loom_group_alone(int64_t group)
{
	char names[ROOM];
	char members[ROOM];
	struct passwd user;
	struct group row;

	if (!find_user(geteuid(), &user, names) || !find_group(group, &row, members))
		return false;
	return user.pw_gid == (gid_t)group && strcmp(user.pw_name, row.gr_name) == 0 &&
	       (!row.gr_mem[0] || (strcmp(row.gr_mem[0], user.pw_name) == 0 && !row.gr_mem[1]));
}

struct loom_str loom_groups_mine(struct loom_arena *arena)
{
	gid_t groups[GROUPS_MAX + 1];
	const int count = list_groups(groups);
	struct loom_str all = LOOM_STR("");

	for (int i = 0; i < count; i++) {
		const struct loom_str name = loom_group_name(groups[i], arena);

		if (loom_group_alone(groups[i]) || (i && groups[i] == groups[0]))
			continue;
		all = all.n ? loom_arena_format(arena, "%.*s, %.*s", LOOM_STR_ARG(all),
						LOOM_STR_ARG(name))
			    : name;
	}
	return all;
}
