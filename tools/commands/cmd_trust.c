/* `loom trust`: what a person agrees to before a project is used that somebody else may have had a
 * hand in; lists it and takes it back. */
#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

#include <loom/payload/payload.h>
#include <loom/grove/trust.h>

#include <limits.h>

#include <loom/commands/args_of.def>
#include <loom/commands/grove.def>

/* What is trusted by one call: the directory that was named; else the grove that one stands in and
 * the project whose lists are read there, which are mostly the same. */
struct giving {
	struct loom_str dirs[2];
	size_t count;
};

/* What is gone has none, and stays as it was said. */
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

static void say_given(struct loom_cli *cli, struct loom_str dir,
		      const struct loom_trust_needs *needs)
{
	loom_out_styled(cli->out, LOOM_GOOD, LOOM_STR("✓"));
	loom_out_textf(cli->out, " trusted %.*s\n", LOOM_STR_ARG(dir));
	for (size_t i = 0; i < needs->count; i++)
		loom_out_textf(cli->out, "  %.*s\n", LOOM_STR_ARG(needs->items[i].said));
}

static void put_given(struct loom_json *json, struct loom_str dir,
		      const struct loom_trust_needs *needs)
{
	loom_json_object(json);
	loom_json_put(json, "path", dir);
	loom_json_key(json, "what");
	loom_json_array(json);
	for (size_t i = 0; i < needs->count; i++)
		loom_json_text(json, needs->items[i].word);
	loom_json_end_array(json);
	loom_json_end_object(json);
}

static enum loom_status give(struct loom_cli *cli, struct loom_err *err)
{
	const unsigned all = LOOM_TRUST_GROVE | LOOM_TRUST_FETCH;
	struct loom_trust_needs needs[2] = {{NULL, 0}};
	struct giving giving = {.count = 0};
	struct loom_json *json = NULL;
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
	if (cli->json) {
		json = loom_out_json_begin(cli->out);
		loom_json_object(json);
		loom_json_key(json, "trusted");
		loom_json_array(json);
	}
	for (size_t i = 0; i < giving.count; i++)
		if (cli->json)
			put_given(json, giving.dirs[i], &needs[i]);
		else
			say_given(cli, giving.dirs[i], &needs[i]);
	if (cli->json) {
		loom_json_end_array(json);
		loom_json_end_object(json);
		loom_out_json_end(cli->out);
	}
	return LOOM_OK;
}

static void list_json(struct loom_cli *cli, const struct loom_trusted *items, size_t count)
{
	struct loom_json *json = loom_out_json_begin(cli->out);

	loom_json_object(json);
	loom_json_key(json, "trusted");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		loom_json_object(json);
		loom_json_put(json, "path", items[i].path);
		loom_json_put_texts(json, "what", items[i].words, items[i].word_count);
		tool_json_time(json, "since", items[i].since);
		loom_json_put_bool(json, "stands", items[i].stands);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
}

static void say_trusted(struct loom_cli *cli, const struct loom_trusted *item)
{
	loom_out_textf(cli->out, "%.*s:", LOOM_STR_ARG(item->path));
	for (size_t i = 0; i < item->word_count; i++)
		loom_out_textf(cli->out, "%s %.*s", i ? "," : "", LOOM_STR_ARG(item->words[i]));
	if (!item->stands)
		loom_out_texts(cli->out, " · not what stands there now");
	loom_out_texts(cli->out, "\n");
}

static enum loom_status list(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_trusted *items = NULL;
	size_t count = 0;
	enum loom_status status = loom_trust_list(&cli->env, cli->arena, &items, &count, err);

	if (!status && cli->json)
		list_json(cli, items, count);
	for (size_t i = 0; !status && !cli->json && i < count; i++)
		say_trusted(cli, &items[i]);
	return status;
}

static enum loom_status drop(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str dir = real_path(cli, args_of_trust(cli)->drop);
	enum loom_status status = loom_trust_drop(&cli->env, dir, err);
	struct loom_json *json = NULL;

	if (status)
		return status;
	if (!cli->json) {
		loom_out_styled(cli->out, LOOM_GOOD, LOOM_STR("✓"));
		loom_out_textf(cli->out, " %.*s is trusted no more\n", LOOM_STR_ARG(dir));
		return LOOM_OK;
	}
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	loom_json_put(json, "dropped", dir);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_trust(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_trust *args = args_of_trust(cli);
	const bool list_only = args->list;

	if (args->dir.p && (list_only || args->drop.p)) {
		loom_fail(err, LOOM_USAGE, "loom trust: DIR is for what is to be trusted");
		return loom_hint(err, LOOM_USAGE, "loom help trust");
	}
	if (list_only)
		return list(cli, err);
	return args->drop.p ? drop(cli, err) : give(cli, err);
}
