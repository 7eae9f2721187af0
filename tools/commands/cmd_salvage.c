/* `loom salvage`: out of a damaged grove into a new one. Opens no grove of its own accord: the one
 * that is meant cannot be opened. */
#include <loom/cli/services.h>

#include <loom/salvage/salvage.h>
#include <loom/tree/say_node.h>
#include <loom/text/sanitise.h>
#include <loom/loop/worker.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

struct salvaging {
	struct loom_cli *cli;
	struct loom_arena *arena;
	struct loom_salvage_opts opts;
	struct loom_salvage_report report;
	struct loom_str *findings;
	size_t count;
	size_t cap;
};

static void on_finding(void *ctx, struct loom_str text)
{
	struct salvaging *s = ctx;

	s->findings =
		loom_arena_grow(s->arena, s->findings, s->count, &s->cap, sizeof *s->findings);
	s->findings[s->count++] = loom_arena_str(s->arena, text);
}

static enum loom_status run(void *context, void *payload, struct loom_task *task,
			    struct loom_err *err)
{
	struct salvaging *s = payload;

	(void)context;
	s->opts.task = task;
	return loom_salvage(&s->opts, &s->report, err);
}

/* NAME-salvaged here, after the project or the file. */
static const char *place_of(struct salvaging *s, const char *file)
{
	struct loom_str name = loom_str_of(file);
	struct loom_str tails[] = {LOOM_STR_INIT("/"), LOOM_STR_INIT("/.loom/grove.db"),
				   LOOM_STR_INIT("/.loom")};
	size_t slash = 0;

	for (size_t i = 0; i < LOOM_COUNT(tails); i++)
		if (name.n > tails[i].n && loom_str_ends(name, tails[i]))
			name = loom_str_sub(name, 0, name.n - tails[i].n);
	slash = name.n;
	while (slash && name.p[slash - 1] != '/')
		slash--;
	name = loom_str_sub(name, slash, SIZE_MAX);
	if (!name.n || loom_str_is(name, ".") || loom_str_is(name, "..") ||
	    loom_str_starts(name, LOOM_STR(".loom")))
		name = LOOM_STR("grove");
	return loom_arena_format(s->arena, "%.*s-salvaged", LOOM_STR_ARG(name)).p;
}

/* "log rows" as a key: log_rows. */
static void put_name(struct loom_json *json, const char *what)
{
	char name[40];

	snprintf(name, sizeof name, "%s", what);
	for (char *p = name; *p; p++)
		if (*p == ' ')
			*p = '_';
	loom_json_key(json, name);
}

static void say_json(const struct salvaging *s)
{
	const struct loom_salvage_report *report = &s->report;
	struct loom_json *json = loom_out_json_begin(s->cli->out);

	loom_json_object(json);
	loom_json_put(json, "dir", loom_str_of(s->opts.dir));
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++) {
		const struct loom_salvage_count *count = &report->counts[i];

		put_name(json, count->what);
		loom_json_object(json);
		loom_json_put_int(json, "rescued", count->rescued);
		loom_json_put_int(json, "doubtful", count->doubtful);
		loom_json_put_int(json, "lost", count->lost);
		loom_json_end_object(json);
	}
	loom_json_put_int(json, "loose_texts", report->loose_texts);
	loom_json_put_int(json, "pages", report->pages);
	loom_json_put_int(json, "bad_pages", report->bad_pages);
	loom_json_put_int(json, "stray_pages", report->stray_pages);
	loom_json_put_int(json, "short_pages", report->short_pages);
	loom_json_put_int(json, "bad_rows", report->bad_rows);
	loom_json_put_int(json, "log_frames", report->frames);
	loom_json_put_int(json, "bad_log_frames", report->bad_frames);
	loom_json_put_int(json, "finding_count", report->findings);
	loom_json_put_texts(json, "findings", s->findings, s->count);
	loom_json_end_object(json);
	loom_out_json_end(s->cli->out);
}

static void say_rest(const struct salvaging *s)
{
	const struct loom_salvage_report *report = &s->report;
	const struct {
		int64_t count;
		const char *one;
		const char *many;
		const char *what;
	} lines[] = {
		{report->loose_texts, "text", "texts",
		 "without a node: in the tree \"Salvaged texts\""},
		{report->bad_pages, "page", "pages", "that cannot be read"},
		{report->stray_pages, "page", "pages",
		 "that nothing leads to: what is on them was known by its shape"},
		{report->short_pages, "page", "pages",
		 "that nothing leads to and that no shape tells: of an index, or sources of nodes, "
		 "choices of versions, places visited"},
		{report->bad_rows, "row", "rows", "that cannot be read on pages that can"},
		{report->bad_frames, "page", "pages", "of the log that cannot be read"},
	};
	struct loom_buf line = LOOM_BUF_INIT(1000);

	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		if (!lines[i].count)
			continue;
		loom_buf_clear(&line);
		loom_show_many(lines[i].count, lines[i].one, lines[i].many, &line);
		loom_out_textf(s->cli->out, "%s %s\n", loom_buf_cstr(&line), lines[i].what);
	}
	loom_buf_fini(&line);
}

static void say_counts(const struct salvaging *s)
{
	struct loom_out *out = s->cli->out;
	const struct loom_salvage_report *report = &s->report;

	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++) {
		const struct loom_salvage_count *count = &report->counts[i];

		if (!count->rescued && !count->lost)
			continue;
		loom_out_textf(out, "%s: %lld rescued", count->what, (long long)count->rescued);
		if (count->doubtful)
			loom_out_textf(out, ", %lld of them doubtful", (long long)count->doubtful);
		if (count->lost)
			loom_out_textf(out, ", %lld lost", (long long)count->lost);
		loom_out_texts(out, "\n");
	}
	say_rest(s);
}

static void say_text(const struct salvaging *s)
{
	struct loom_out *out = s->cli->out;
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < s->count; i++) {
		loom_buf_clear(&line);
		loom_shown_line(&line, s->findings[i], 0);
		loom_out_line(out, loom_buf_str(&line));
	}
	if ((int64_t)s->count < s->report.findings)
		loom_out_textf(out, "and %lld more\n",
			       (long long)(s->report.findings - (int64_t)s->count));
	loom_buf_fini(&line);
	say_counts(s);
	loom_out_styled(out, LOOM_GOOD, LOOM_STR("✓"));
	loom_out_textf(out, " the new grove is in %s; the damaged one was left as it is\n",
		       s->opts.dir);
}

enum loom_status tool_cmd_salvage(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_worker_opts worker_opts = {.loop = loom_cli_loop(cli)};
	struct salvaging s = {.cli = cli, .arena = cli->arena};
	const struct loom_cli_work work = {.what = "salvaging",
					   .unit = "pages",
					   .run = run,
					   .payload = &s};
	struct loom_worker *worker = loom_worker_create(&worker_opts);
	const char *dir = args_of_salvage(cli)->dir.p;
	enum loom_status status = LOOM_OK;

	s.opts = (struct loom_salvage_opts){.env = &cli->env,
					    .file = args_of_salvage(cli)->file.p,
					    .finding = on_finding,
					    .ctx = &s};
	s.opts.dir = dir ? dir : place_of(&s, s.opts.file);
	status = loom_cli_work(cli, worker, &work, err);
	loom_worker_destroy(worker);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++)
		cli->found |= s.report.counts[i].lost > 0 || s.report.counts[i].doubtful > 0;
	cli->found |= s.report.findings > 0 || s.report.loose_texts > 0 || s.report.bad_frames > 0;
	if (cli->json)
		say_json(&s);
	else
		say_text(&s);
	return LOOM_OK;
}
