/* A grove in a shared log: remote, remote add, remote drop, clone, sync. */
#include <loom/cli/services.h>

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/cli/open_grove.h>
#include <loom/grove/draft.h>
#include <loom/remote/remote.h>
#include <loom/salvage/heal.h>
#include <loom/tree/open_store.h>
#include <loom/tree/op.h>
#include <loom/tree/person.h>

#include <loom/commands/args_of.def>
#include <loom/commands/team.def>

/* --- the grove's folder --- */

static enum loom_status find_dir(struct loom_cli *cli, struct loom_buf *dir, struct loom_err *err)
{
	char real[PATH_MAX];
	bool personal = false;
	enum loom_status status = LOOM_OK;

	if (cli->grove)
		loom_buf_adds(dir, realpath(cli->grove, real) ? real : cli->grove);
	else
		status = loom_grove_find(&cli->env, LOOM_STR(""), dir, &personal, err);
	return status ? status : cli_grove_trust(cli, loom_buf_str(dir), true, err);
}

static enum loom_status refuse_local(struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "this grove stands in no shared log");
	return loom_hint(err, LOOM_NOT_FOUND, "`loom remote add URL` puts it into one");
}

/* --- remote --- */

/* The log's own answer; `away` says why there is none. */
struct asking {
	struct loom_arena *arena;
	struct loom_remote_said said;
	struct loom_err away;
};

static enum loom_status ask(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct asking *asking = ctx;

	(void)err;
	return loom_remote_ask(store, asking->arena, &asking->said, &asking->away);
}

static const char *rights_of(int may)
{
	return may == LOOM_MEMBER_ADMIN ? "admin" : may == LOOM_MEMBER_WRITER ? "writer" : "reader";
}

static void say_log(struct loom_cli *cli, const struct loom_remote_place *place,
		    const struct loom_remote_said *said)
{
	const struct model_log_facts *facts = &said->facts;
	const int64_t behind = said->head.seq > place->seq ? said->head.seq - place->seq : 0;

	loom_answer_number(cli, "behind", behind);
	if (behind)
		loom_answer_line(cli, "  %s behind the log",
				 loom_answer_many(cli, behind, "entry", "entries"));
	if (facts->server) {
		loom_answer_text(cli, "role", loom_str_of(facts->role));
		loom_answer_text(cli, "may", loom_str_of(rights_of(facts->may)));
		loom_answer_flag(cli, "kept_twice", facts->kept_twice);
		loom_answer_line(cli, "  as the role %s, %s %s", facts->role,
				 facts->may == LOOM_MEMBER_ADMIN ? "an" : "a",
				 rights_of(facts->may));
		loom_answer_line(cli, "  acknowledged when %s has it",
				 facts->kept_twice ? "a second server" : "the server");
	} else {
		loom_answer_line(cli, "  acknowledged when the file has it");
	}
	loom_answer_list(cli, "copies");
	for (size_t i = 0; i < said->copy_count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "path", said->copies[i].path);
		loom_answer_number(cli, "beyond", said->copies[i].beyond);
		loom_answer_line(
			cli,
			"  a conflict copy of the log, with %s that the log does not have: %.*s",
			loom_answer_many(cli, said->copies[i].beyond, "entry", "entries"),
			LOOM_STR_ARG(said->copies[i].path));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	if (said->copy_count)
		loom_answer_line(
			cli, "  `loom sync --wait` on the machine that wrote them makes drafts of "
			     "them; then delete the copy");
}

static enum loom_status count_waiting(struct cli_grove *grove, int64_t *out, struct loom_err *err)
{
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	enum loom_status status = loom_draft_list(grove->store, grove->arena, &drafts, &count, err);

	*out = 0;
	for (size_t i = 0; i < count; i++)
		*out += loom_str_is(drafts[i].why, LOOM_DRAFT_WAITS);
	return status;
}

static enum loom_status say_drafts(struct cli_grove *grove, struct loom_err *err)
{
	int64_t waiting = 0;
	enum loom_status status = count_waiting(grove, &waiting, err);

	loom_answer_number(grove->cli, "drafts", waiting);
	if (waiting)
		loom_answer_line(grove->cli, "  %s: loom drafts send",
				 loom_answer_many(grove->cli, waiting, "draft waits",
						  "drafts wait"));
	return status;
}

static void say_rows(struct loom_cli *cli, const struct loom_remote_place *place)
{
	if (place->rides)
		loom_answer_line(cli, "  %s with the next entry",
				 loom_answer_many(cli, place->rides, "position or choice goes",
						  "positions and choices go"));
	if (place->voids)
		loom_answer_line(cli, "  %s broke a rule and %s void everywhere",
				 loom_answer_many(cli, place->voids, "entry", "entries"),
				 loom_plural(place->voids, "is", "are"));
	loom_answer_number(cli, "waiting", place->rides);
	loom_answer_number(cli, "void", place->voids);
}

static enum loom_status run_remote(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_remote_place place;
	struct asking asking = {.arena = grove->arena};
	struct cli_work work = {.what = "asking the log",
				.access = LOOM_WRITE,
				.run = ask,
				.ctx = &asking};
	enum loom_status status = loom_remote_where(grove->store, grove->arena, &place, err);

	if (status)
		return status;
	if (place.url.n)
		loom_answer_line(cli, "%.*s", LOOM_STR_ARG(place.url));
	else
		loom_answer_line(cli, "this grove stands in no shared log");
	loom_answer_text(cli, "url", place.url);
	loom_answer_number(cli, "entries", place.seq);
	say_rows(cli, &place);
	if (!place.url.n)
		return LOOM_OK;
	loom_answer_line(cli, "  %s here", loom_answer_many(cli, place.seq, "entry", "entries"));
	if (!cli->offline && cli_grove_work(grove, &work, NULL) == LOOM_OK)
		say_log(cli, &place, &asking.said);
	else
		loom_answer_line(cli, "  offline: %s",
				 cli->offline ? "not asked" : asking.away.text);
	loom_answer_flag(cli, "offline", cli->offline || asking.away.status != LOOM_OK);
	return say_drafts(grove, err);
}

enum loom_status cmd_remote(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_remote, err);
}

enum loom_status cmd_remote_show(struct loom_cli *cli, struct loom_err *err)
{
	return cmd_remote(cli, err);
}

/* --- in and out --- */

enum loom_status cmd_remote_add(struct loom_cli *cli, struct loom_err *err)
{
	const struct loom_str url = args_of_remote_add(cli)->url;
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct model_log_facts facts;
	enum loom_status status = find_dir(cli, &dir, err);

	if (!status)
		status = loom_remote_add(&cli->env, loom_buf_str(&dir), url, &facts, err);
	if (!status)
		status = cli_say_log(cli, loom_buf_str(&dir), &facts, err);
	loom_buf_fini(&dir);
	return status;
}

enum loom_status cmd_remote_drop(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = find_dir(cli, &dir, err);

	if (!status)
		status = loom_remote_drop(&cli->env, loom_buf_str(&dir), err);
	if (!status)
		loom_answer_done(cli, "this grove is local; its log stays where it is");
	loom_buf_fini(&dir);
	return status;
}

/* --- clone --- */

/* A grove's name as it stands in an address, unless it could lead elsewhere. */
static struct loom_str plain_name(struct loom_str name, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(512);
	bool good = true;

	for (size_t i = 0; good && i < name.n; i++) {
		uint8_t byte = (uint8_t)name.p[i];

		if (name.p[i] == '%') {
			good = loom_unhex(loom_str_sub(name, i + 1, 2), &byte, 1);
			i += 2;
		}
		good = good && byte > ' ' - 1 && byte != '/' && byte != 0x7f;
		loom_buf_addc(&out, (char)byte);
	}
	if (good && out.n && out.p[0] != '.')
		name = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return name;
}

/* "novel" for file:///media/stick/novel.loomlog and postgresql://db.lab/loom/novel. */
static struct loom_str name_of(struct loom_str url, struct loom_arena *arena)
{
	const size_t ask = loom_str_find_char(url, '?', 0);
	struct loom_str rest = loom_str_sub(url, 0, ask == SIZE_MAX ? url.n : ask);
	struct loom_str last = url;

	while (loom_str_cut(&rest, '/', &last))
		continue;
	if (!loom_str_starts(url, LOOM_STR("file://")))
		return plain_name(last, arena);
	for (size_t i = last.n; i-- > 1;)
		if (last.p[i] == '.')
			return loom_str_sub(last, 0, i);
	return last;
}

static enum loom_status open_and_follow(struct loom_cli *cli, struct loom_str dir,
					struct loom_remote_place *out, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_WRITE, &store, err);

	if (!status)
		status = loom_remote_follow(store, err);
	if (!status)
		status = loom_remote_where(store, cli->arena, out, err);
	loom_store_close(store);
	return status;
}

enum loom_status cmd_clone(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_clone *args = args_of_clone(cli);
	const struct loom_str dir = args->dir.n ? args->dir : name_of(args->url, cli->arena);
	struct loom_remote_place place = {.seq = 0};
	enum loom_status status = cli_grove_trust(cli, dir, true, err);

	if (!status)
		status = loom_remote_clone(&cli->env, dir, args->url, err);
	if (!status)
		status = open_and_follow(cli, dir, &place, err);
	if (status)
		return status;
	loom_answer_done(cli, "cloned the grove into %.*s", LOOM_STR_ARG(dir));
	loom_answer_line(cli, "  %s followed",
			 loom_answer_many(cli, place.seq, "entry", "entries"));
	loom_answer_line(cli, "  " CLI_SAYS_GIT);
	loom_answer_text(cli, "dir", dir);
	loom_answer_text(cli, "url", args->url);
	loom_answer_number(cli, "entries", place.seq);
	return LOOM_OK;
}

/* --- sync --- */

/* Entries after which a log that keeps later states gets one, so that clones are quick. */
enum { STATE_EVERY = 20000 };

static enum loom_status send_waiting(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status)
		return status;
	model_remote_flush(store);
	return loom_quiet_end(store, LOOM_OK, err);
}

/* Sets *out_fork if the log and the grove have gone different ways. */
static enum loom_status follow_once(struct loom_cli *cli, struct loom_str dir,
				    struct loom_remote_place *out, bool *out_fork,
				    struct loom_err *err)
{
	struct loom_store *store = NULL;
	bool kept = false;
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_WRITE, &store, err);

	if (!status)
		status = loom_remote_where(store, cli->arena, out, err);
	if (!status && !out->url.n)
		status = refuse_local(err);
	if (!status) {
		status = loom_remote_follow(store, err);
		*out_fork = loom_remote_is_forked(store);
	}
	if (!status && args_of_sync(cli)->wait)
		status = send_waiting(store, err);
	/* Nothing is amiss without a later state: clones only take longer. */
	if (!status && args_of_sync(cli)->wait)
		(void)!loom_remote_keep(store, STATE_EVERY, &kept, NULL);
	if (!status)
		status = loom_remote_where(store, cli->arena, out, err);
	loom_store_close(store);
	return status;
}

static void say_healed(struct loom_cli *cli, const struct loom_healed *healed)
{
	loom_answer_done(cli, "this grove had gone another way than its log, and follows it again");
	for (size_t i = 0; i < healed->count; i++)
		loom_answer_line(cli, "  only here: %.*s", LOOM_STR_ARG(healed->lines[i]));
	if (healed->drafts)
		loom_answer_line(cli, "  %s in `loom drafts`",
				 loom_answer_many(cli, (int64_t)healed->drafts, "text is",
						  "texts are"));
	loom_answer_line(cli, "  the old grove is in %s", healed->kept);
	loom_answer_texts(cli, "beyond", healed->lines, healed->count);
	loom_answer_number(cli, "drafts", (int64_t)healed->drafts);
	loom_answer_text(cli, "kept", loom_str_of(healed->kept));
}

enum loom_status cmd_sync(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct loom_remote_place place = {.seq = 0};
	struct loom_healed healed;
	bool fork = false;
	enum loom_status status = find_dir(cli, &dir, err);

	if (!status)
		status = follow_once(cli, loom_buf_str(&dir), &place, &fork, err);
	if (fork && args_of_sync(cli)->wait) {
		status = loom_heal_fork(&cli->env, loom_buf_str(&dir), place.url, cli->arena,
					&healed, err);
		if (!status)
			say_healed(cli, &healed);
		if (!status)
			status = open_and_follow(cli, loom_buf_str(&dir), &place, err);
	}
	if (!status) {
		loom_answer_line(cli, "%s here",
				 loom_answer_many(cli, place.seq, "entry is", "entries are"));
		loom_answer_number(cli, "entries", place.seq);
	}
	loom_buf_fini(&dir);
	return status;
}
