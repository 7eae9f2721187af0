/* Context lists: where they are, which session and turn to use, and how to read their lines.
 *
 *   .teddy/global.context   .teddy/<session>/session.context   .teddy/<session>/<NN>/turn.context
 *
 * Sessions may also be below .teddy/sessions/. Without any session every .teddy/X.context counts as
 * global. Reading never writes. */
#include "lists.h"

#define LIST_MAX ((size_t)8 << 20)

const char *loom_scope_name(enum loom_scope scope)
{
	static const char *const names[LOOM_SCOPES] = {"turn", "session", "global"};

	LOOM_ASSERT((size_t)scope < LOOM_SCOPES);
	return names[scope];
}

bool loom_scope_parse(struct loom_str name, enum loom_scope *out)
{
	for (int i = 0; i < LOOM_SCOPES; i++) {
		if (loom_str_is(name, loom_scope_name((enum loom_scope)i))) {
			*out = (enum loom_scope)i;
			return true;
		}
	}
	return false;
}

/* Accepts "01" … "99", and longer ones. */
bool model_payload_is_turn(struct loom_str name, uint64_t *number)
{
	return name.n >= 2 && name.n <= 9 && loom_str_to_u64(name, number);
}

bool model_payload_is_session(struct loom_str name)
{
	LOOM_ASSERT(name.n > 0);
	return name.p[0] != '.' && !loom_str_is(name, "sessions");
}

/* A session, and what decides whether it is the newest. */
struct session {
	struct loom_str dir; /* relative to the root */
	struct loom_str name;
	int64_t touched_ns;
	bool dated; /* its name begins with a date and a time */
};

static int64_t touched(const struct loom_root *root, struct loom_str path)
{
	struct loom_file_info info;

	return loom_path_info(root, path, true, &info, NULL) == LOOM_OK ? info.modified_ns : 0;
}

static bool is_dated(struct loom_str name)
{
	static const char shape[] = "00000000_000000";

	if (name.n < sizeof shape - 1)
		return false;
	for (size_t i = 0; i < sizeof shape - 1; i++)
		if (shape[i] == '0' ? name.p[i] < '0' || name.p[i] > '9' : name.p[i] != shape[i])
			return false;
	return true;
}

/* Examines a folder that may be a session; true if it has a list or a turn. */
static bool look_at_session(const struct loom_root *root, struct loom_arena *arena,
			    struct session *session)
{
	struct loom_folder_item *items = NULL;
	struct loom_str list = loom_arena_format(arena, "%s/session.context", session->dir.p);
	int64_t newest = touched(root, list);
	bool found = newest != 0;
	size_t count = 0;
	uint64_t number = 0;

	LOOM_ASSERT(session->dir.n > 0);
	if (loom_folder_list(root, session->dir, arena, &items, &count, NULL) != LOOM_OK)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct loom_str turn;
		int64_t when = 0;

		if (!model_payload_is_turn(items[i].name, &number) ||
		    items[i].kind != LOOM_FILE_FOLDER)
			continue;
		found = true;
		turn = loom_arena_format(arena, "%s/%s", session->dir.p, items[i].name.p);
		when = touched(root, turn);
		newest = when > newest ? when : newest;
		when = touched(root, loom_arena_format(arena, "%s/turn.context", turn.p));
		newest = when > newest ? when : newest;
	}
	session->touched_ns = touched(root, session->dir);
	session->touched_ns = newest > session->touched_ns ? newest : session->touched_ns;
	session->dated = is_dated(session->name);
	return found;
}

static bool is_newer(const struct session *a, const struct session *b)
{
	LOOM_ASSERT(a->dir.n > 0);
	if (!b->dir.n)
		return true;
	if (a->dated && b->dated)
		return loom_str_cmp(a->name, b->name) > 0;
	if (a->touched_ns != b->touched_ns)
		return a->touched_ns > b->touched_ns;
	return loom_str_cmp(a->name, b->name) > 0;
}

static void find_newest(const struct loom_root *root, struct loom_arena *arena, const char *base,
			struct session *best)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(root, loom_str_of(base), arena, &items, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		struct session one = {.name = items[i].name};

		if (items[i].kind != LOOM_FILE_FOLDER || !model_payload_is_session(one.name))
			continue;
		one.dir = loom_arena_format(arena, "%s/%s", base, one.name.p);
		if (look_at_session(root, arena, &one) && is_newer(&one, best))
			*best = one;
	}
}

static bool is_folder(const struct loom_root *root, struct loom_str path)
{
	struct loom_file_info info;

	return loom_path_info(root, path, true, &info, NULL) == LOOM_OK &&
	       info.kind == LOOM_FILE_FOLDER;
}

static enum loom_status find_named(const struct loom_payload_place *place, struct loom_arena *arena,
				   struct session *out, struct loom_err *err)
{
	static const char *const bases[] = {".teddy", ".teddy/sessions"};
	struct loom_str name = loom_arena_str(arena, place->session);

	LOOM_ASSERT(place->session.n > 0);
	for (size_t i = 0; i < LOOM_COUNT(bases) && !memchr(name.p, '/', name.n); i++) {
		struct loom_str dir = loom_arena_format(arena, "%s/%s", bases[i], name.p);

		if (model_payload_is_session(name) && is_folder(place->root, dir)) {
			*out = (struct session){.dir = dir, .name = name};
			return LOOM_OK;
		}
	}
	loom_fail(err, LOOM_NOT_FOUND, "no session \"%s\"", name.p);
	return loom_hint(err, LOOM_NOT_FOUND, "sessions are folders below .teddy");
}

/* Finds the folder of the turn; empty if none was named and there is none. */
static enum loom_status find_turn(const struct loom_payload_place *place, struct loom_arena *arena,
				  struct model_places *places, struct loom_err *err)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;
	uint64_t wanted = 0;
	uint64_t best = 0;

	if (place->turn.n && !loom_str_to_u64(place->turn, &wanted))
		return loom_fail(err, LOOM_SYNTAX, "\"%.*s\" is not a turn number",
				 LOOM_STR_ARG(place->turn));
	if (places->session_dir.n && loom_folder_list(place->root, places->session_dir, arena,
						      &items, &count, err) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t number = 0;

		if (!model_payload_is_turn(items[i].name, &number) ||
		    items[i].kind != LOOM_FILE_FOLDER)
			continue;
		if (place->turn.n ? number == wanted : number >= best) {
			best = number;
			places->turn = items[i].name;
		}
	}
	if (place->turn.n && !places->turn.n)
		places->turn = loom_arena_format(arena, "%02llu", (unsigned long long)wanted);
	return LOOM_OK;
}

enum loom_status model_payload_places(const struct loom_payload_place *place,
				      struct loom_arena *arena, struct model_places *out,
				      struct loom_err *err)
{
	struct session session = {0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out);
	*out = (struct model_places){0};
	if (place->session.n) {
		status = find_named(place, arena, &session, err);
	} else {
		find_newest(place->root, arena, ".teddy", &session);
		find_newest(place->root, arena, ".teddy/sessions", &session);
	}
	if (status == LOOM_OK && place->turn.n && !session.dir.n) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no session, so there is no turn");
		status = loom_hint(err, LOOM_NOT_FOUND, "loom payload session new makes one");
	}
	out->session = session.name;
	out->session_dir = session.dir;
	if (status == LOOM_OK)
		status = find_turn(place, arena, out, err);
	out->files[LOOM_SCOPE_GLOBAL] = LOOM_STR(".teddy/global.context");
	if (out->session_dir.n)
		out->files[LOOM_SCOPE_SESSION] =
			loom_arena_format(arena, "%s/session.context", session.dir.p);
	if (out->turn.n)
		out->files[LOOM_SCOPE_TURN] =
			loom_arena_format(arena, "%s/%s/turn.context", session.dir.p, out->turn.p);
	return status;
}

bool model_list_line(struct loom_str line, struct loom_str *out)
{
	*out = loom_str_trim(line);
	return out->n && out->p[0] != '#';
}

bool model_list_next(struct loom_str text, size_t *at, struct loom_str *line)
{
	size_t end = 0;

	if (*at == 0 && loom_str_starts(text, LOOM_STR("\xEF\xBB\xBF")))
		*at = 3;
	if (*at >= text.n)
		return false;
	end = loom_str_find_char(text, '\n', *at);
	end = end == SIZE_MAX ? text.n : end + 1;
	*line = loom_str_sub(text, *at, end - *at);
	*at = end;
	return true;
}

static bool is_url(struct loom_str text)
{
	return loom_str_eq_fold(loom_str_sub(text, 0, 7), LOOM_STR("http://")) ||
	       loom_str_eq_fold(loom_str_sub(text, 0, 8), LOOM_STR("https://"));
}

/* A URL with its scheme in small letters. */
static struct loom_str url_of(struct loom_str text, struct loom_arena *arena)
{
	char *p = loom_arena_cstr(arena, text);

	for (size_t i = 0; i < text.n && p[i] != ':'; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] + ('a' - 'A'));
	return loom_str_make(p, text.n);
}

/* Makes an absolute path below the root relative; any other stays relative to the root. */
static struct loom_str without_root(struct loom_str path, struct loom_str root)
{
	if (root.n > 1 && loom_str_starts(path, root) &&
	    (path.n == root.n || path.p[root.n] == '/'))
		return loom_str_sub(path, root.n, path.n);
	return path;
}

struct loom_payload_entry loom_payload_entry_make(const struct loom_payload_place *place,
						  enum loom_scope scope, struct loom_str text,
						  struct loom_arena *arena)
{
	struct loom_payload_entry entry = {.scope = scope, .url = is_url(text)};
	struct loom_buf normal = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str path = without_root(text, place->root_path);

	if (entry.url) {
		entry.target = url_of(text, arena);
	} else if (loom_path_normal(path, &normal, NULL) == LOOM_OK) {
		entry.target = loom_arena_buf(arena, &normal);
	} else {
		while (path.n && path.p[0] == '/')
			path = loom_str_sub(path, 1, path.n);
		entry.target = loom_arena_str(arena, path);
		entry.outside = true;
	}
	loom_buf_fini(&normal);
	return entry;
}

struct reading {
	const struct loom_payload_place *place;
	struct loom_arena *arena;
	struct loom_payload_lists *out;
	size_t cap;
	struct model_notes notes;
};

static void read_list(struct reading *reading, enum loom_scope scope, struct loom_str file)
{
	struct loom_buf text = LOOM_BUF_INIT(LIST_MAX);
	struct loom_payload_lists *out = reading->out;
	struct loom_str line;
	struct loom_str item;
	struct loom_err err;
	size_t at = 0;
	enum loom_status status = loom_file_read(reading->place->root, file,
						 &(struct loom_read_opts){.links = true,
									  .single = true,
									  .max = LIST_MAX},
						 &text, &err);

	if (status != LOOM_OK && status != LOOM_NOT_FOUND)
		model_note(&reading->notes, "%s", err.text);
	for (size_t number = 1;
	     status == LOOM_OK && model_list_next(loom_buf_str(&text), &at, &line); number++) {
		struct loom_payload_entry *entry = NULL;

		if (!model_list_line(line, &item))
			continue;
		out->entries = loom_arena_grow(reading->arena, out->entries, out->count,
					       &reading->cap, sizeof *out->entries);
		entry = &out->entries[out->count++];
		*entry = loom_payload_entry_make(reading->place, scope, item, reading->arena);
		entry->file = file;
		entry->line = number;
	}
	loom_buf_fini(&text);
}

/* Without sessions, every list directly in .teddy is global. */
static void read_all_global(struct reading *reading)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(reading->place->root, LOOM_STR(".teddy"), reading->arena, &items,
			     &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		if (items[i].kind != LOOM_FILE_FOLDER &&
		    loom_str_ends(items[i].name, LOOM_STR(".context")))
			read_list(reading, LOOM_SCOPE_GLOBAL,
				  loom_arena_format(reading->arena, ".teddy/%s", items[i].name.p));
}

enum loom_status loom_payload_lists_read(const struct loom_payload_place *place,
					 struct loom_arena *arena, struct loom_payload_lists *out,
					 struct loom_err *err)
{
	struct reading reading = {.place = place,
				  .arena = arena,
				  .out = out,
				  .notes = {.arena = arena}};
	struct model_places places;
	enum loom_status status = model_payload_places(place, arena, &places, err);

	*out = (struct loom_payload_lists){0};
	if (status != LOOM_OK)
		return status;
	out->session = places.session;
	out->turn = places.turn;
	memcpy(out->files, places.files, sizeof out->files);
	if (place->turn.n && !model_payload_has_turn(place, &places, arena)) {
		loom_fail(err, LOOM_NOT_FOUND, "session \"%s\" has no turn %s", places.session.p,
			  places.turn.p);
		return loom_hint(err, LOOM_NOT_FOUND,
				 "turns are folders of the session, 01 to 99; without --turn it is "
				 "the newest");
	}
	for (int scope = 0; scope < LOOM_SCOPES; scope++) {
		if (scope == LOOM_SCOPE_GLOBAL && !places.session.n)
			read_all_global(&reading);
		else if (places.files[scope].n)
			read_list(&reading, (enum loom_scope)scope, places.files[scope]);
	}
	out->warnings = reading.notes.items;
	out->warning_count = reading.notes.count;
	return LOOM_OK;
}

bool model_payload_has_turn(const struct loom_payload_place *place,
			    const struct model_places *places, struct loom_arena *arena)
{
	return is_folder(place->root,
			 loom_arena_format(arena, "%s/%s", places->session_dir.p, places->turn.p));
}
