/* Links to pages: made, listed and revoked by a person. A link is shown once; the hash of its
 * secret alone is kept. */
#include <loom/cli/services.h>
#include <loom/grove/pass.h>

#include "inside.h"

#include <loom/commands/args_of.def>
#include <loom/commands/doors.def>

/* --- making --- */

static enum loom_status find_base(struct cli_grove *grove, struct cli_spot *out,
				  struct loom_err *err)
{
	enum loom_status status = cli_grove_node(grove, args_of_page_link(grove->cli)->node,
						 LOOM_NODE_NARROW, out, err);
	bool visible = false;

	if (!status && out->node.kind != LOOM_CONTINUATION)
		return loom_fail(err, LOOM_REFUSED, "[%s] is a note, and a page shows a text",
				 out->name);
	if (!status)
		status = loom_group_visible(grove->store, out->node.group, &visible, NULL, err);
	if (status || visible)
		return status;
	loom_fail(err, LOOM_REFUSED, "[%s] is pruned", out->name);
	return loom_hint(err, LOOM_REFUSED, "loom do restore %s", out->name);
}

static void say_link(struct loom_cli *cli, const struct cli_spot *spot,
		     const struct loom_pass *pass, struct loom_str url)
{
	char name[LOOM_PASS_NAME + 1];

	loom_pass_name(pass, name);
	loom_answer_text(cli, "link", url);
	loom_answer_text(cli, "name", loom_str_of(name));
	loom_answer_text(cli, "node", loom_str_of(spot->name));
	loom_answer_flag(cli, "comments", pass->comments);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(url));
	loom_answer_note(cli,
			 "whoever has it can read [%s], what leads to it and what continues "
			 "from it, while `loom mcp --http` runs; `loom page revoke %s` ends that",
			 spot->name, name);
	if (url.n && url.p[0] == '/')
		loom_answer_note(cli, "no server ran here yet; put its address before the link");
}

static enum loom_status run_link(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_pass pass = {.kind = LOOM_PASS_PAGE,
				 .comments = args_of_page_link(cli)->comment};
	struct loom_buf secret = LOOM_BUF_INIT(256);
	struct loom_buf url = LOOM_BUF_INIT(8192);
	struct cli_spot spot;
	enum loom_status status = find_base(grove, &spot, err);

	if (!status)
		status = loom_pass_address(grove->store, &url, err);
	pass.opens = spot.node.ulid;
	if (!status)
		status = loom_pass_make(grove->store, &pass, &secret, err);
	if (!status) {
		loom_buf_addf(&url, "/page/%s", loom_buf_cstr(&secret));
		say_link(cli, &spot, &pass, loom_buf_str(&url));
		explicit_bzero(secret.p, secret.n);
		explicit_bzero(url.p, url.n);
	}
	loom_buf_fini(&secret);
	loom_buf_fini(&url);
	return status;
}

/* --- looking --- */

static void say_page(struct cli_grove *grove, const struct loom_pass *pass)
{
	struct loom_cli *cli = grove->cli;
	struct loom_buf where = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct cli_spot spot;
	char name[LOOM_PASS_NAME + 1];
	char ulid[LOOM_ULID_CHARS + 1];
	bool there;

	loom_pass_name(pass, name);
	loom_ulid_text(&pass->opens, ulid);
	there = cli_grove_node(grove, loom_str_of(ulid), LOOM_NODE_NARROW, &spot, NULL) == LOOM_OK;
	if (there)
		loom_buf_addf(&where, "[%s] of \"%.*s\"", spot.name, LOOM_STR_ARG(spot.tree.title));
	else
		loom_buf_adds(&where, "a node that is gone");
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "name", loom_str_of(name));
	loom_answer_maybe(cli, "node", there ? loom_str_of(spot.name) : LOOM_STR(""));
	loom_answer_text(cli, "ulid", loom_str_of(ulid));
	loom_answer_flag(cli, "comments", pass->comments);
	loom_answer_number(cli, "commented", pass->commented);
	loom_answer_time(cli, "made", pass->made);
	loom_answer_line(cli, "%s · %s · %s · made %.*s", name, loom_buf_cstr(&where),
			 pass->comments
				 ? loom_answer_many(cli, pass->commented, "comment", "comments")
				 : "to read",
			 LOOM_STR_ARG(cli_ago(grove, pass->made)));
	loom_answer_end(cli);
	loom_buf_fini(&where);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_passes *passes = NULL;
	const struct loom_pass *items = NULL;
	size_t count = 0;
	size_t said = 0;
	enum loom_status status = loom_passes_open(grove->store, &passes, err);

	if (status)
		return status;
	items = loom_passes_list(passes, &count);
	loom_answer_list(grove->cli, "pages");
	for (size_t i = 0; i < count; i++) {
		if (items[i].kind != LOOM_PASS_PAGE)
			continue;
		say_page(grove, &items[i]);
		said++;
	}
	if (!said)
		loom_answer_note(grove->cli, "there are no links; `loom page link NODE` makes one");
	loom_passes_close(passes);
	return LOOM_OK;
}

/* --- revoking --- */

static enum loom_status run_revoke(struct cli_grove *grove, struct loom_err *err)
{
	const struct loom_str text = args_of_page_revoke(grove->cli)->link;
	struct loom_pass_which which = {.kind = LOOM_PASS_PAGE, .name = text};
	struct loom_buf hash = LOOM_BUF_INIT(128);
	struct cli_spot spot;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_pass_hash(text, &hash);
	if (hash.n)
		which.name = loom_arena_buf(grove->arena, &hash);
	loom_buf_fini(&hash);
	status = loom_pass_revoke(grove->store, &which, &count, err);
	if (!status && !count &&
	    cli_grove_node(grove, text, LOOM_NODE_NARROW, &spot, NULL) == LOOM_OK) {
		which.opens = &spot.node.ulid;
		status = loom_pass_revoke(grove->store, &which, &count, err);
	}
	if (!status && !count) {
		loom_fail(err, LOOM_NOT_FOUND,
			  "no link is called \"%.*s\", nor is there one to a "
			  "node of that name",
			  LOOM_STR_ARG(text));
		return loom_hint(err, LOOM_NOT_FOUND, "`loom page list` shows them");
	}
	if (status)
		return status;
	loom_answer_number(grove->cli, "revoked", (int64_t)count);
	loom_answer_done(grove->cli, "revoked %s",
			 loom_answer_many(grove->cli, (int64_t)count, "link", "links"));
	return LOOM_OK;
}

enum loom_status cmd_page_link(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_link, err);
}

enum loom_status cmd_page_list(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_list, err);
}

enum loom_status cmd_page_revoke(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_revoke, err);
}
