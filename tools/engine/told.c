/* From `.leslie/` to a run: the block, what changed since the agent was told last, and warnings.
 * Invariant: what was known is in the log, so that each change is told once. */
#include <loom/engine/told.h>

#include <loom/work/thread_log.h>

#define PATHS_TOLD 20 /* by name, of those that came or went at once */

enum loom_status loom_told_leslie(struct loom_store *store, const char *who,
				  struct loom_arena *arena, struct loom_leslie **out,
				  struct loom_err *err)
{
	struct loom_file_id *files = LOOM_ARENA_ARRAY(arena, LOOM_STORE_FILES, struct loom_file_id);
	const struct loom_leslie_opts opts = {
		.start = loom_arena_cstr(arena, loom_store_dir(store)),
		.env = loom_store_env(store),
		.operator_ = who,
		.refused = files,
		.refused_count = loom_store_files(loom_store_dir(store), files),
	};

	return loom_leslie_open(&opts, out, err);
}

bool loom_told_spawned(struct loom_store *store, struct loom_str name, struct loom_arena *arena)
{
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_thread thread;
	const bool spawned = loom_leslie_id_ok(name) &&
			     loom_told_leslie(store, "user", arena, &leslie, NULL) == LOOM_OK &&
			     loom_leslie_thread(leslie, name, arena, &thread, NULL) == LOOM_OK;

	loom_leslie_close(leslie);
	return spawned;
}

/* ---- what is there ---- */

static void put_refs(const struct loom_thread_context *context, struct loom_json *json)
{
	loom_json_key(json, "refs");
	loom_json_array(json);
	for (size_t i = 0; i < context->ref_count; i++) {
		const struct loom_context_ref *ref = &context->refs[i];

		loom_json_object(json);
		loom_json_put(json, "thread", ref->thread);
		loom_json_put(json, "copies", ref->copies);
		loom_json_key(json, "paths");
		loom_json_array(json);
		for (size_t k = 0; k < ref->assets.count; k++)
			loom_json_text(json, ref->assets.items[k].path);
		loom_json_end_array(json);
		if (ref->inside_whole)
			loom_json_put_texts(json, "inside", ref->inside, ref->inside_count);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

/* Where the files cannot be read, the agent still knows what it knew of them. */
static struct loom_str make_known(const struct loom_thread_context *context, struct loom_str before,
				  const struct loom_told *told, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str refs = loom_jval_get(before, "refs");
	struct loom_json json;
	struct loom_str known;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	if (told->block.n) {
		put_refs(context, &json);
	} else if (refs.p) {
		loom_json_key(&json, "refs");
		loom_json_raw(&json, refs);
	}
	loom_json_put_texts(&json, "warnings", told->warnings.items, told->warnings.count);
	loom_json_end_object(&json);
	known = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return known;
}

static void warn_of_damage(struct loom_arena *arena, const struct loom_leslie_err *why,
			   struct loom_leslie_warnings *warnings)
{
	const struct loom_str reason = why->reason.n ? why->reason : loom_str_of(why->err.hint);

	warnings->items = loom_arena_grow(arena, warnings->items, warnings->count, &warnings->cap,
					  sizeof *warnings->items);
	warnings->items[warnings->count++] =
		loom_arena_format(arena, "%s%s%s%s%.*s", why->code ? why->code : "",
				  why->code ? ": " : "", why->err.text, reason.n ? ": " : "",
				  LOOM_STR_ARG(reason));
}

static void look_up(struct loom_store *store, const struct loom_thread *thread,
		    struct loom_arena *arena, struct loom_thread_context *context,
		    struct loom_told *out)
{
	struct loom_leslie_err why = {.code = NULL};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_leslie *leslie = NULL;
	enum loom_status status = loom_told_leslie(store, "user", arena, &leslie, &why.err);

	if (status == LOOM_OK)
		status = loom_leslie_context(leslie, thread->name, LOOM_CONTEXT_LOAD, arena,
					     context, &out->warnings, &why);
	if (status == LOOM_OK)
		status = loom_thread_context_emit(context, &text, &why.err);
	if (status == LOOM_OK)
		out->block = loom_arena_buf(arena, &text);
	else
		warn_of_damage(arena, &why, &out->warnings);
	out->damaged = status != LOOM_OK;
	loom_leslie_close(leslie);
	loom_buf_fini(&text);
}

/* ---- what is new ---- */

struct news {
	struct loom_arena *arena;
	struct loom_str before;
	struct loom_str now;
	struct loom_buf text;
};

static void add_line(struct news *news, const char *format, ...) LOOM_PRINTF(2, 3);
static void add_line(struct news *news, const char *format, ...)
{
	va_list args;

	if (news->text.n)
		loom_buf_addc(&news->text, '\n');
	va_start(args, format);
	loom_buf_addfv(&news->text, format, args);
	va_end(args);
}

static bool lists(struct loom_str list, struct loom_str text)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item))
		if (loom_jval_says(item, text))
			return true;
	return false;
}

static struct loom_str ref_of(struct loom_str known, struct loom_str thread)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(known, "refs"));
	struct loom_str ref;

	while (loom_jwalk_next(&walk, NULL, &ref))
		if (loom_jval_says(loom_jval_get(ref, "thread"), thread))
			return ref;
	return loom_str_make(NULL, 0);
}

/* The paths that a reference gives: of its assets, and of the files in live folders. */
struct given {
	struct loom_str *paths; /* sorted, each once */
	size_t count;
};

static int by_text(const void *a, const void *b)
{
	const struct loom_str *x = a;
	const struct loom_str *y = b;

	return loom_str_cmp(*x, *y);
}

static struct given given_by(struct loom_str ref, bool inside, struct loom_arena *arena)
{
	const struct loom_str lists[] = {loom_jval_get(ref, "paths"),
					 inside ? loom_jval_get(ref, "inside") : LOOM_STR("[]")};
	const size_t most = loom_jval_count(lists[0]) + loom_jval_count(lists[1]);
	struct given given = {.paths = LOOM_ARENA_ARRAY(arena, most, struct loom_str)};
	struct loom_str item;
	size_t count = 0;

	for (size_t i = 0; i < LOOM_COUNT(lists); i++) {
		struct loom_jwalk walk = loom_jval_walk(lists[i]);

		while (loom_jwalk_next(&walk, NULL, &item))
			given.paths[count++] = loom_jval_text(item, arena);
	}
	if (count)
		qsort(given.paths, count, sizeof *given.paths, by_text);
	for (size_t i = 0; i < count; i++)
		if (!i || !loom_str_eq(given.paths[i], given.paths[i - 1]))
			given.paths[given.count++] = given.paths[i];
	return given;
}

/* Returns the paths that one gives and the other does not, with commas; of many the first ones. */
static struct loom_str paths_only_in(const struct given *given, const struct given *other,
				     struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str paths;
	size_t found = 0;

	for (size_t i = 0; i < given->count; i++) {
		if (other->count && bsearch(&given->paths[i], other->paths, other->count,
					    sizeof *other->paths, by_text))
			continue;
		if (found++ < PATHS_TOLD)
			loom_buf_addf(&text, "%s%.*s", text.n ? ", " : "",
				      LOOM_STR_ARG(given->paths[i]));
	}
	if (found > PATHS_TOLD)
		loom_buf_addf(&text, " and %zu more", found - PATHS_TOLD);
	paths = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return paths;
}

/* Whether a thread that is referenced could not be found. */
static bool is_lost(const struct news *news, struct loom_str known, struct loom_str thread)
{
	struct loom_leslie_warnings broken = {.items = NULL};

	loom_leslie_warn_broken(news->arena, &broken, thread);
	return lists(loom_jval_get(known, "warnings"), broken.items[0]);
}

static void compare_ref(struct news *news, struct loom_str thread, struct loom_str was,
			struct loom_str is)
{
	/* Earlier versions did not keep what is in folders. */
	const bool inside = loom_jval_get(was, "inside").p && loom_jval_get(is, "inside").p;
	const struct given had = given_by(was, inside, news->arena);
	const struct given has = given_by(is, inside, news->arena);
	const struct loom_str more = paths_only_in(&has, &had, news->arena);
	const struct loom_str less = paths_only_in(&had, &has, news->arena);

	if (more.n)
		add_line(news, "%.*s has more files: %.*s", LOOM_STR_ARG(thread),
			 LOOM_STR_ARG(more));
	if (less.n)
		add_line(news, "%.*s no longer has: %.*s", LOOM_STR_ARG(thread),
			 LOOM_STR_ARG(less));
	if (!more.n && !less.n &&
	    !loom_str_eq(loom_jval_get(was, "copies"), loom_jval_get(is, "copies")))
		add_line(news, "the copies of %.*s were refreshed", LOOM_STR_ARG(thread));
}

static struct loom_str all_of(struct loom_str ref, struct loom_arena *arena)
{
	const struct given given = given_by(ref, true, arena);

	return paths_only_in(&given, &(struct given){.count = 0}, arena);
}

static void compare_refs(struct news *news)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(news->now, "refs"));
	struct loom_str ref;

	while (loom_jwalk_next(&walk, NULL, &ref)) {
		struct loom_str thread = loom_jval_text(loom_jval_get(ref, "thread"), news->arena);
		struct loom_str was = ref_of(news->before, thread);

		if (was.p)
			compare_ref(news, thread, was, ref);
		else if (!is_lost(news, news->before, thread))
			add_line(news, "%.*s can be read now: %.*s", LOOM_STR_ARG(thread),
				 LOOM_STR_ARG(all_of(ref, news->arena)));
	}
	walk = loom_jval_walk(loom_jval_get(news->before, "refs"));
	while (loom_jwalk_next(&walk, NULL, &ref)) {
		struct loom_str thread = loom_jval_text(loom_jval_get(ref, "thread"), news->arena);

		if (!ref_of(news->now, thread).p && !is_lost(news, news->now, thread))
			add_line(news, "%.*s can no longer be read", LOOM_STR_ARG(thread));
	}
}

static void compare_warnings(struct news *news)
{
	const struct loom_str had = loom_jval_get(news->before, "warnings");
	const struct loom_str has = loom_jval_get(news->now, "warnings");
	struct loom_jwalk walk = loom_jval_walk(has);
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str text = loom_jval_text(item, news->arena);

		if (!lists(had, text))
			add_line(news, "%.*s", LOOM_STR_ARG(text));
	}
	walk = loom_jval_walk(had);
	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str text = loom_jval_text(item, news->arena);

		if (!lists(has, text))
			add_line(news, "mended: %.*s", LOOM_STR_ARG(text));
	}
}

static struct loom_str find_news(struct loom_str before, struct loom_str now,
				 struct loom_arena *arena)
{
	struct news news = {.arena = arena, .before = before, .now = now};
	struct loom_str text;

	if (!before.p)
		return LOOM_STR("");
	loom_buf_init(&news.text, LOOM_BUF_MAX);
	compare_refs(&news);
	compare_warnings(&news);
	text = loom_arena_buf(arena, &news.text);
	loom_buf_fini(&news.text);
	return text;
}

enum loom_status loom_told_now(struct loom_store *store, const struct loom_thread *thread,
			       const struct loom_log *log, struct loom_arena *arena,
			       struct loom_told *out, struct loom_err *err)
{
	struct loom_thread_context context = {.refs = NULL};
	struct loom_str before = {NULL, 0};
	enum loom_status status = LOOM_OK;

	*out = (struct loom_told){.block = LOOM_STR("")};
	if (thread->implicit || !thread->name.n)
		return LOOM_OK;
	if (log)
		status = loom_block_loaded(log, arena, &out->loaded, err);
	if (log && status == LOOM_OK)
		status = loom_block_known(log, arena, &before, err);
	if (status != LOOM_OK)
		return status;
	look_up(store, thread, arena, &context, out);
	out->known = make_known(&context, before, out, arena);
	out->changed = !loom_str_eq(before, out->known);
	out->news = find_news(before, out->known, arena);
	return LOOM_OK;
}

enum loom_status loom_told_of(struct loom_store *store, const struct loom_thread *thread,
			      struct loom_arena *arena, struct loom_told *out, struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status = LOOM_OK;

	if (!thread->id)
		return loom_told_now(store, thread, NULL, arena, out, err);
	status = loom_thread_log_open(store, thread->id, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_told_now(store, thread, &log, arena, out, err);
	loom_thread_log_close(keeper);
	return status;
}

/* ---- telling it ---- */

enum loom_status loom_told_assemble(struct loom_store *store, const struct loom_told *told,
				    struct loom_aware_opts *opts, struct loom_arena *arena,
				    struct loom_assembly *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	opts->block = LOOM_STR("");
	opts->news = told->news;
	status = loom_assemble_aware(store, opts, arena, out, err);
	if (status != LOOM_OK || !told->block.n ||
	    (!told->loaded && loom_str_eq(loom_assembly_block(out), told->block)))
		return status;
	opts->block = told->block;
	return loom_assemble_aware(store, opts, arena, out, err);
}

enum loom_status loom_told_warn(const struct loom_log *log, struct loom_str request,
				const struct loom_leslie_warnings *warnings,
				struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < warnings->count; i++)
		status = loom_block_warn_run(log, request, warnings->items[i], arena, err);
	return status;
}

static enum loom_status write_turn(struct loom_store *store, const struct loom_turn_said *said,
				   const struct loom_told *told, const struct loom_log *log,
				   struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_turn_said(store, said, err);
	if (status == LOOM_OK && told->changed)
		status = loom_block_tell(log, said->request, told->known, told->news, err);
	return loom_quiet_end(store, status, err);
}

enum loom_status loom_told_turn(struct loom_store *store, const struct loom_turn_said *said,
				struct loom_arena *arena, struct loom_told *out,
				struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_thread thread;
	struct loom_log log;
	enum loom_status status = loom_thread_get(store, said->thread, arena, &thread, err);

	if (status == LOOM_OK)
		status = loom_thread_log_open(store, thread.id, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_told_now(store, &thread, &log, arena, out, err);
	if (status == LOOM_OK && (out->changed || loom_turn_says(said->turn)))
		status = write_turn(store, said, out, &log, err);
	loom_thread_log_close(keeper);
	return status;
}

struct loom_str loom_told_frame(const struct loom_told *told, struct loom_arena *arena)
{
	return loom_news_frame(told->news, arena);
}

static bool is_warned(const struct loom_leslie_warnings *warnings, struct loom_str line)
{
	for (size_t i = 0; i < warnings->count; i++)
		if (loom_str_eq(warnings->items[i], line))
			return true;
	return false;
}

void loom_told_say(const struct loom_told *told, void (*say)(void *ctx, struct loom_str text),
		   void *ctx)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str news = told->news;
	struct loom_str line;

	for (size_t i = 0; i < told->warnings.count; i++)
		say(ctx, told->warnings.items[i]);
	while (loom_str_line(&news, &line)) {
		if (is_warned(&told->warnings, line))
			continue;
		loom_buf_clear(&text);
		loom_buf_addf(&text, "the agent sees: %.*s", LOOM_STR_ARG(line));
		say(ctx, loom_buf_str(&text));
	}
	loom_buf_fini(&text);
}

void loom_told_put(const struct loom_told *told, struct loom_message *message)
{
	if (!told->changed)
		return;
	message->known = told->known;
	message->news = told->news;
}
