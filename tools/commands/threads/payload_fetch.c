/* The URLs of `loom payload`: takes stored copies, asks the person before fetching the rest, and
 * stores what was fetched. */
#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>
#include "inside.h"

#include <loom/config/config.h>
#include <loom/cli/trust_ask.h>

/* The private hosts that the configuration allows; none without a configuration. */
static void read_hosts(struct loom_cli *cli, struct loom_http_opts *http)
{
	struct loom_config config;
	struct loom_err err;

	loom_config_init(&config, &cli->env, cli->arena);
	if (loom_config_load(&cli->env, cli->arena, &config, &err) != LOOM_OK)
		loom_out_warn(cli->out, "%s", err.text);
	http->private_hosts = config.private_hosts;
	http->private_count = config.private_host_count;
}

static enum loom_status recall(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct threads_fetching *fetching = ctx;

	(void)err;
	loom_fetch_recall(&fetching->fetch, grove->store, &fetching->lists);
	return LOOM_OK;
}

void threads_payload_recall(struct loom_cli *cli, const struct threads_project *project,
			    struct threads_fetching *fetching)
{
	struct loom_fetch_opts opts = {
		.place = {.project = loom_buf_str(&project->path),
			  .session = fetching->lists.session},
		.offline = fetching->offline,
		.http = {.task = &cli->task},
	};

	read_hosts(cli, &opts.http);
	loom_fetch_init(&fetching->fetch, &opts, cli->arena);
	/* If the grove cannot be read, everything is fetched. */
	if (loom_fetch_wanted(&fetching->fetch, &fetching->lists))
		(void)!cli_grove_with(cli, NULL, recall, fetching, NULL);
}

/* The entries whose URLs have no stored copy, each URL once. */
static size_t find_lacking(const struct threads_fetching *fetching, struct loom_arena *arena,
			   const struct loom_payload_entry ***out)
{
	const struct loom_payload_lists *lists = &fetching->lists;
	const struct loom_payload_entry **found =
		LOOM_ARENA_ARRAY(arena, lists->count, const struct loom_payload_entry *);
	size_t count = 0;

	for (size_t i = 0; i < lists->count; i++) {
		const struct loom_payload_entry *entry = &lists->entries[i];
		bool twice = false;

		for (size_t k = 0; k < count && !twice; k++)
			twice = loom_str_eq(found[k]->target, entry->target);
		if (entry->url && !twice && !loom_fetch_has(&fetching->fetch, entry->target))
			found[count++] = entry;
	}
	*out = found;
	return count;
}

void threads_payload_may_fetch(struct loom_cli *cli, const struct threads_project *project,
			       struct threads_fetching *fetching)
{
	const struct loom_payload_entry **lacking = NULL;
	const size_t count = find_lacking(fetching, cli->arena, &lacking);
	struct loom_str *urls = LOOM_ARENA_ARRAY(cli->arena, count, struct loom_str);
	const struct loom_trust_question question = {
		.env = &cli->env,
		.dir = loom_buf_str(&project->path),
		.about = LOOM_TRUST_FETCH,
		.details = urls,
		.detail_count = count,
		.person = !cli->agent,
	};

	if (!count || fetching->fetch.opts.offline)
		return;
	for (size_t i = 0; i < count; i++)
		urls[i] = lacking[i]->target;
	fetching->fetch.opts.trusted = loom_trust_settle(&question, NULL) == LOOM_OK;
}

static void answer_lacking(struct loom_cli *cli, const struct loom_payload_entry *const *lacking,
			   size_t count)
{
	loom_answer_list(cli, "fetch");
	for (size_t i = 0; i < count; i++) {
		const struct loom_payload_entry *entry = lacking[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "url", entry->target);
		loom_answer_text(cli, "scope", loom_str_of(loom_scope_name(entry->scope)));
		loom_answer_text(cli, "file", entry->file);
		loom_answer_number(cli, "line", (int64_t)entry->line);
		loom_answer_line(cli, "%.*s  (%.*s:%zu)", LOOM_STR_ARG(entry->target),
				 LOOM_STR_ARG(entry->file), entry->line);
		loom_answer_end(cli);
	}
}

enum loom_status threads_payload_foresee(struct loom_cli *cli,
					 const struct threads_project *project,
					 const struct threads_fetching *fetching,
					 struct loom_err *err)
{
	const struct loom_payload_entry **lacking = NULL;
	const size_t count = find_lacking(fetching, cli->arena, &lacking);
	struct loom_err refused = {.status = LOOM_OK};
	const enum loom_status status = loom_trust_check(&cli->env, loom_buf_str(&project->path),
							 LOOM_TRUST_FETCH, &refused);

	if (status != LOOM_OK && status != LOOM_REFUSED) {
		*err = refused;
		return status;
	}
	loom_answer_flag(cli, "trusted", status == LOOM_OK);
	answer_lacking(cli, lacking, count);
	if (!count)
		loom_answer_note(cli, "nothing would be fetched");
	else if (status != LOOM_OK)
		loom_answer_note(cli, "none of it before `%s`", refused.hint);
	return LOOM_OK;
}

static enum loom_status write_fetched(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return loom_fetch_keep(ctx, store, err);
}

static enum loom_status keep(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct threads_fetching *fetching = ctx;
	struct cli_write write = {.run = write_fetched, .ctx = &fetching->fetch};

	return cli_grove_write(grove, &write, err);
}

/* On failure it is fetched again next time. */
void threads_payload_keep(struct loom_cli *cli, struct threads_fetching *fetching)
{
	static const struct cli_need need = {.make = true};
	struct loom_err err = {.status = LOOM_OK};

	if (loom_fetch_is_new(&fetching->fetch) &&
	    cli_grove_with(cli, &need, keep, fetching, &err) != LOOM_OK)
		loom_out_note(cli->out, "the fetched copies could not be stored: %s", err.text);
}
