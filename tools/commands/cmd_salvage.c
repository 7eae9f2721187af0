/* `loom salvage`: recovers a damaged grove into a new one. It opens no grove, because this one
 * cannot be opened. */
#include <loom/cli/services.h>

#include <loom/salvage/salvage.h>
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

/* The default is NAME-salvaged in the current directory, after the project or the file. */
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

/* "log rows" as a JSON key: log_rows. */
static const char *key_of(struct loom_arena *arena, const char *what)
{
	char *key = loom_arena_cstr(arena, loom_str_of(what));

	for (char *p = key; *p; p++)
		if (*p == ' ')
			*p = '_';
	return key;
}

static void answer_counts(struct loom_cli *cli, const struct loom_salvage_report *report)
{
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++) {
		const struct loom_salvage_count *count = &report->counts[i];
		struct loom_buf line = LOOM_BUF_INIT(1000);

		loom_buf_addf(&line, "%s: %lld rescued", count->what, (long long)count->rescued);
		if (count->doubtful)
			loom_buf_addf(&line, ", %lld of them doubtful", (long long)count->doubtful);
		if (count->lost)
			loom_buf_addf(&line, ", %lld lost", (long long)count->lost);
		if (count->rescued || count->lost)
			loom_answer_line(cli, "%s", loom_buf_cstr(&line));
		loom_answer_map(cli, key_of(cli->arena, count->what));
		loom_answer_number(cli, "rescued", count->rescued);
		loom_answer_number(cli, "doubtful", count->doubtful);
		loom_answer_number(cli, "lost", count->lost);
		loom_answer_end(cli);
		loom_buf_fini(&line);
	}
}

static void answer_rest(struct loom_cli *cli, const struct loom_salvage_report *report)
{
	const struct {
		const char *key;
		int64_t count;
		const char *one; /* NULL: only in JSON */
		const char *many;
		const char *what;
	} rows[] = {
		{"loose_texts", report->loose_texts, "text", "texts",
		 "without a node: in the tree \"Salvaged texts\""},
		{"pages", report->pages, NULL, NULL, NULL},
		{"bad_pages", report->bad_pages, "page", "pages", "that cannot be read"},
		{"stray_pages", report->stray_pages, "page", "pages",
		 "that nothing refers to: their contents were recognised by shape"},
		{"short_pages", report->short_pages, "page", "pages",
		 "that nothing refers to and that have no known shape: of indexes, or with sources "
		 "of nodes, choices of versions, places visited"},
		{"bad_rows", report->bad_rows, "row", "rows",
		 "that cannot be read, on readable pages"},
		{"log_frames", report->frames, NULL, NULL, NULL},
		{"bad_log_frames", report->bad_frames, "page", "pages",
		 "of the log that cannot be read"},
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		loom_answer_number(cli, rows[i].key, rows[i].count);
		if (rows[i].one && rows[i].count)
			loom_answer_line(cli, "%s %s",
					 loom_answer_many(cli, rows[i].count, rows[i].one,
							  rows[i].many),
					 rows[i].what);
	}
}

static void answer(const struct salvaging *s)
{
	struct loom_cli *cli = s->cli;

	for (size_t i = 0; i < s->count; i++)
		loom_answer_line(cli, "%.*s", LOOM_STR_ARG(s->findings[i]));
	if ((int64_t)s->count < s->report.findings)
		loom_answer_line(cli, "and %lld more",
				 (long long)(s->report.findings - (int64_t)s->count));
	loom_answer_text(cli, "dir", loom_str_of(s->opts.dir));
	answer_counts(cli, &s->report);
	answer_rest(cli, &s->report);
	loom_answer_number(cli, "finding_count", s->report.findings);
	loom_answer_texts(cli, "findings", s->findings, s->count);
	loom_answer_done(cli, "the new grove is in %s; the damaged one is unchanged", s->opts.dir);
}

enum loom_status cmd_salvage(struct loom_cli *cli, struct loom_err *err)
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
	answer(&s);
	return LOOM_OK;
}
