/* `loom trust`: records that a person trusts a project that others can write to; lists and revokes
 * that. */
#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

#include <loom/payload/payload.h>
#include <loom/grove/trust.h>

#include <limits.h>

#include <loom/commands/args_of.def>
#include <loom/commands/grove.def>

/* The directories that one call trusts: the one given, else the current grove's and the current
 * project's, which are usually the same. */
struct giving {
	struct loom_str dirs[2];
	size_t count;
};

/* A missing directory has no real path and keeps the one that was given. */
static struct loom_str real_path(struct loom_cli *cli, struct loom_str dir)
{
	char real[PATH_MAX];

	return realpath(loom_arena_cstr(cli->arena, dir), real)
		       ? loom_arena_str(cli->arena, loom_str_of(real))
		       : dir;
}

static void put_dir(struct giving *giving, struct loom_str dir)
{
	if (dir.n && (!giving->count || !loom_str_eq(giving->dirs[0], dir)))
		giving->dirs[giving->count++] = dir;
}

static enum loom_status find_here(struct loom_cli *cli, struct giving *giving, struct loom_err *err)
{
	const char *start = cli->grove ? cli->grove : ".";
	char here[PATH_MAX];
	bool personal = false;
	struct loom_buf grove = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf root = LOOM_BUF_INIT(PATH_MAX);

	if (!realpath(start, here))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %s", start);
	if (loom_grove_find(&cli->env, loom_str_of(here), &grove, &personal, NULL) != LOOM_OK ||
	    personal)
		loom_buf_clear(&grove);
	loom_payload_root(loom_str_of(here), loom_buf_str(&grove), &root);
	put_dir(giving, loom_arena_buf(cli->arena, &grove));
	put_dir(giving, loom_arena_buf(cli->arena, &root));
	loom_buf_fini(&grove);
	loom_buf_fini(&root);
	return LOOM_OK;
}

static void answer_given(struct loom_cli *cli, struct loom_str dir,
			 const struct loom_trust_needs *needs)
{
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "path", dir);
	loom_answer_done(cli, "trusted %.*s", LOOM_STR_ARG(dir));
	loom_answer_list(cli, "what");
	for (size_t i = 0; i < needs->count; i++) {
		loom_answer_text(cli, NULL, needs->items[i].word);
		loom_answer_line(cli, "  %.*s", LOOM_STR_ARG(needs->items[i].said));
	}
	loom_answer_end(cli);
	loom_answer_end(cli);
}

static enum loom_status give(struct loom_cli *cli, struct loom_err *err)
{
	const unsigned all = LOOM_TRUST_GROVE | LOOM_TRUST_FETCH;
	struct loom_trust_needs needs[2] = {{NULL, 0}};
	struct giving giving = {.count = 0};
	enum loom_status status = LOOM_OK;

	if (args_of_trust(cli)->dir.p)
		put_dir(&giving, real_path(cli, args_of_trust(cli)->dir));
	else
		status = find_here(cli, &giving, err);
	for (size_t i = 0; !status && i < giving.count; i++) {
		status = loom_trust_needs(giving.dirs[i], all, cli->arena, &needs[i], err);
		if (!status)
			status = loom_trust_give(&cli->env, giving.dirs[i], all, err);
	}
	if (status)
		return status;
	loom_answer_list(cli, "trusted");
	for (size_t i = 0; i < giving.count; i++)
		answer_given(cli, giving.dirs[i], &needs[i]);
	return LOOM_OK;
}

static void answer_trusted(struct loom_cli *cli, const struct loom_trusted *item)
{
	struct loom_buf words = LOOM_BUF_INIT(1 << 16);

	for (size_t i = 0; i < item->word_count; i++)
		loom_buf_addf(&words, "%s %.*s", i ? "," : "", LOOM_STR_ARG(item->words[i]));
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "path", item->path);
	loom_answer_texts(cli, "what", item->words, item->word_count);
	loom_answer_time(cli, "since", item->since);
	loom_answer_flag(cli, "stands", item->stands);
	loom_answer_line(cli, "%.*s:%.*s%s", LOOM_STR_ARG(item->path),
			 LOOM_STR_ARG(loom_buf_str(&words)),
			 item->stands ? "" : " · replaced since");
	loom_answer_end(cli);
	loom_buf_fini(&words);
}

static enum loom_status list(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_trusted *items = NULL;
	size_t count = 0;
	enum loom_status status = loom_trust_list(&cli->env, cli->arena, &items, &count, err);

	loom_answer_list(cli, "trusted");
	for (size_t i = 0; !status && i < count; i++)
		answer_trusted(cli, &items[i]);
	return status;
}

static enum loom_status drop(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str dir = real_path(cli, args_of_trust(cli)->drop);
	enum loom_status status = loom_trust_drop(&cli->env, dir, err);

	if (status)
		return status;
	loom_answer_done(cli, "%.*s is no longer trusted", LOOM_STR_ARG(dir));
	loom_answer_text(cli, "dropped", dir);
	return LOOM_OK;
}

enum loom_status cmd_trust(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_trust *args = args_of_trust(cli);
	const bool list_only = args->list;

	if (args->dir.p && (list_only || args->drop.p)) {
		loom_fail(err, LOOM_USAGE,
			  "loom trust: DIR cannot be combined with --list or --drop");
		return loom_hint(err, LOOM_USAGE, "loom help trust");
	}
	if (list_only)
		return list(cli, err);
	return args->drop.p ? drop(cli, err) : give(cli, err);
}
