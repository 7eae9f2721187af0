/* Comments: a form that a reader has sent becomes a proposal, which its person accepts or refuses.
 *
 * Until then it is in no tree, and no agent is told of it. Accepted, it is a note by a claim: a
 * name that came by a link and is nobody here. */
#include "inside.h"

#include <loom/actor/act.h>
#include <loom/base/utf8.h>
#include <loom/language/call.h>
#include <loom/text/deceiving_names.h>

/* How long a form may lie open. */
#define FORM_HOURS 48
#define HOUR_MS    3600000

/* ---- the token of a form ---- */

static void put_token(struct loom_str secret, const struct loom_node *node, int64_t hour,
		      struct loom_buf *out)
{
	char ulid[LOOM_ULID_CHARS + 1];
	char text[128];
	struct loom_hash mac;

	loom_ulid_text(&node->ulid, ulid);
	snprintf(text, sizeof text, "comment/%s/%lld", ulid, (long long)hour);
	mac = loom_hmac_sha256(secret, loom_str_of(text));
	loom_buf_addf(out, "%lld-", (long long)hour);
	loom_hex(mac.bytes, 16, out);
}

int64_t page_hour(const struct page_door *door)
{
	return loom_env_now(&door->cli->env) / HOUR_MS;
}

void page_form_token(struct page_door *door, struct loom_str secret, const struct loom_node *node,
		     struct loom_buf *out)
{
	put_token(secret, node, page_hour(door), out);
}

static bool is_token(struct loom_str token, struct loom_str secret, const struct loom_node *node,
		     int64_t now)
{
	struct loom_buf right = LOOM_BUF_INIT(128);
	struct loom_str first;
	struct loom_str rest = token;
	int64_t hour = 0;
	bool same = false;

	if (!loom_str_cut(&rest, '-', &first) || !loom_str_to_i64(first, &hour) || hour > now ||
	    hour < now - FORM_HOURS)
		return false;
	put_token(secret, node, hour, &right);
	same = loom_same_secret(token, loom_buf_str(&right));
	loom_buf_fini(&right);
	return same;
}

/* ---- the form ---- */

struct form {
	struct loom_node node;
	struct loom_str name;
	struct loom_str text;
};

/* Line ends as they are kept. */
static struct loom_str with_feeds(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str kept;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\r')
			loom_buf_addc(&out, text.p[i]);
		else if (i + 1 >= text.n || text.p[i + 1] != '\n')
			loom_buf_addc(&out, '\n');
	kept = loom_str_trim(loom_arena_buf(arena, &out));
	loom_buf_fini(&out);
	return kept;
}

static bool has_controls(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < 0x20 && text.p[i] != '\n' && text.p[i] != '\t')
			return true;
	return false;
}

/* Returns what is wrong with a form; NULL: nothing. */
static const char *judge(const struct form *form, struct loom_str token, struct loom_str secret,
			 int64_t now)
{
	if (!is_token(token, secret, &form->node, now))
		return "The form is too old, or another's. Please send it again.";
	if (!form->name.p || !form->text.p || !loom_utf8_valid(form->name, NULL) ||
	    !loom_utf8_valid(form->text, NULL) || has_controls(form->text))
		return "That is not text.";
	if (!form->name.n || form->name.n > PAGE_NAME_MAX ||
	    loom_label_check("a name", form->name, NULL) != LOOM_OK)
		return "Please give a name of one short line.";
	if (!form->text.n)
		return "Please write something.";
	return form->text.n > PAGE_COMMENT_MAX ? "A comment may have at most 4,096 bytes." : NULL;
}

/* ---- writing it down ---- */

struct guest_job {
	struct page_door *door;
	struct loom_exchange *exchange; /* NULL: its client has left */
	struct loom_arena *arena;
	struct loom_hash pass;
	struct loom_guest guest;
	struct loom_engine_opts engine;
	struct loom_call call;
	struct loom_str at; /* the node in URLs */
	struct loom_str secret;
	struct loom_proposal proposal;
};

static enum loom_status run_job(void *context, void *payload, struct loom_task *task,
				struct loom_err *err)
{
	struct guest_job *job = payload;
	const struct loom_act act = {.call = &job->call};
	struct loom_store *store = context;
	enum loom_status status = loom_pass_count(store, &job->pass, PAGE_COMMENTS, err);

	(void)task;
	job->engine.store = store;
	if (status == LOOM_OK)
		status = loom_acts_wait(&job->engine, &act, 1, job->arena, &job->proposal, err);
	return status;
}

static void give_thanks(struct guest_job *job)
{
	struct loom_str place = loom_arena_format(job->arena, "../%.*s?at=%.*s&said=1#main",
						  LOOM_STR_ARG(job->secret), LOOM_STR_ARG(job->at));

	loom_exchange_answer(job->exchange,
			     &(struct loom_http_answer){
				     .status = 303,
				     .headers = {{"Location", place},
						 {"Referrer-Policy", LOOM_STR_INIT("no-referrer")},
						 {"Cache-Control", LOOM_STR_INIT("no-store")}},
			     });
}

static void tell_person(struct guest_job *job)
{
	struct loom_buf name = LOOM_BUF_INIT(128);

	loom_proposal_name(&job->proposal, &name);
	loom_out_note(job->door->cli->out, "a comment waits: loom approve %s",
		      loom_buf_cstr(&name));
	(void)!loom_out_flush(job->door->cli->out, NULL);
	loom_buf_fini(&name);
}

static void on_done(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct guest_job *job = payload;

	(void)err;
	if (status == LOOM_OK)
		tell_person(job);
	if (job->exchange) {
		loom_exchange_follow(job->exchange, NULL, NULL);
		if (status == LOOM_OK)
			give_thanks(job);
		else if (status == LOOM_LIMIT)
			page_refuse(job->exchange, 429, "This link takes no more comments");
		else
			page_refuse(job->exchange, 503, "That could not be kept; please try again");
	}
	loom_arena_destroy(job->arena);
	free(job);
}

static void on_over(void *ctx)
{
	struct guest_job *job = ctx;

	job->exchange = NULL;
}

/* The same form sent twice, as by a browser that goes back, is one comment. */
static bool is_repeated(struct page_door *door, const struct loom_pass *pass,
			const struct form *form)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_hash hash;
	bool repeated = false;

	loom_hex(pass->hash.bytes, sizeof pass->hash.bytes, &text);
	loom_buf_addf(&text, "/%lld/", (long long)form->node.id);
	loom_buf_add(&text, form->name);
	loom_buf_addc(&text, '\n');
	loom_buf_add(&text, form->text);
	hash = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	for (size_t i = 0; i < PAGE_RECENT; i++)
		repeated |= loom_hash_eq(&door->recent[i], &hash);
	if (!repeated)
		door->recent[door->recent_count++ % PAGE_RECENT] = hash;
	return repeated;
}

static struct guest_job *create(struct page_door *door, const struct page_branch *branch,
				const struct form *form, struct loom_str secret)
{
	struct guest_job *job = loom_alloc(sizeof *job);
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf origin = LOOM_BUF_INIT(256);

	page_origin(branch->pass, &origin);
	*job = (struct guest_job){.door = door,
				  .arena = arena,
				  .pass = branch->pass->hash,
				  .call = loom_call_of(LOOM_VERB_ANNOTATE),
				  .secret = loom_arena_str(arena, secret)};
	job->guest = (struct loom_guest){loom_arena_str(arena, form->name),
					 loom_arena_buf(arena, &origin)};
	job->call.id = loom_arena_str(arena, cli_node_name(&door->grove, &form->node));
	job->call.content = loom_arena_str(arena, form->text);
	job->engine = (struct loom_engine_opts){.agent = door->home->actor.id,
						.tree = branch->tree.id,
						.guest = &job->guest,
						.local = true};
	loom_buf_fini(&origin);
	return job;
}

/* ---- a request ---- */

static void refuse(struct page_door *door, const struct loom_pass *pass,
		   const struct page_wish *wish, const struct page_refused *refused,
		   struct loom_exchange *exchange)
{
	struct loom_str html;
	struct loom_hash seen;
	struct loom_err err;

	if (page_draw(door, pass, wish, refused, &html, &seen, &err) == LOOM_OK)
		page_answer(exchange, 400, html);
	else
		page_refuse(exchange, 400, "That comment cannot be taken");
}

static void take(struct page_door *door, const struct page_branch *branch, const struct form *form,
		 struct loom_str secret, struct loom_exchange *exchange)
{
	struct loom_job work = {.run = run_job, .done = on_done};
	struct guest_job *job = create(door, branch, form, secret);
	struct loom_buf at = LOOM_BUF_INIT(128);

	page_put_id(door, &form->node, &at);
	job->at = loom_arena_buf(job->arena, &at);
	loom_buf_fini(&at);
	job->exchange = exchange;
	if (is_repeated(door, branch->pass, form)) {
		give_thanks(job);
		loom_arena_destroy(job->arena);
		free(job);
		return;
	}
	loom_exchange_follow(exchange, on_over, job);
	work.payload = job;
	loom_worker_post(cli_grove_worker(door->home), &work);
}

void page_comment(struct page_door *door, const struct loom_pass *pass,
		  const struct page_wish *from, struct loom_exchange *exchange)
{
	struct loom_arena *arena = door->grove.arena;
	const struct loom_str at = loom_exchange_field(exchange, "at", arena);
	const struct loom_str token = loom_exchange_field(exchange, "token", arena);
	struct form form = {.name = loom_exchange_field(exchange, "name", arena),
			    .text = loom_exchange_field(exchange, "text", arena)};
	struct page_wish wish = {.secret = from->secret, .at = at};
	struct page_refused refused = {NULL, form.name, form.text};
	struct page_branch branch;
	struct loom_err err;

	form.name = loom_str_trim(form.name);
	if (form.text.p)
		form.text = with_feeds(form.text, arena);
	if (!pass->comments || !page_is_id(at) ||
	    page_branch_find(door, pass, &branch, &err) != LOOM_OK ||
	    page_branch_node(door, &branch, at, &form.node, &err) != LOOM_OK ||
	    !page_branch_has(door, &branch, &form.node)) {
		page_refuse(exchange, 404, "There is nothing to comment on here");
		return;
	}
	refused.why = judge(&form, token, from->secret, page_hour(door));
	if (refused.why)
		refuse(door, pass, &wish, &refused, exchange);
	else
		take(door, &branch, &form, from->secret, exchange);
}
