/* Sessions and turns: makes their folders, and leaves in a turn's folder what happened in it.
 *
 * A turn's folder is complete when it appears: its list is written with it. Two who make a turn at
 * the same time make two turns, because one holds the project's lock while it counts. */
#include "lists.h"

#include <unistd.h>

#include <loom/base/env.h>
#include <loom/files/beneath.h>
#include <loom/files/state_file.h>

#define LIST_MAX  ((size_t)8 << 20)
#define LAST_TURN 99
#define SESSIONS  ".teddy/sessions"

static enum loom_status write_new(const struct loom_root *root, struct loom_str file,
				  struct loom_str text, struct loom_err *err)
{
	return loom_file_write(root, file, text,
			       &(struct loom_write_opts){.folders = true,
							 .fresh = true,
							 .mode = MODEL_LIST_MODE},
			       err);
}

/* Makes the turn's folder with its list in it. */
static enum loom_status make_turn(const struct loom_payload_place *place, struct loom_str session,
				  uint64_t number, struct loom_str list, struct loom_arena *arena,
				  struct loom_payload_made *out, struct loom_err *err)
{
	LOOM_ASSERT(number > 0 && number <= LAST_TURN);
	out->turn = loom_arena_format(arena, "%02llu", (unsigned long long)number);
	out->folder = model_folder_join(arena, session, out->turn);
	return write_new(place->root, loom_arena_format(arena, "%s/turn.context", out->folder.p),
			 list, err);
}

/* ---- a session ---- */

/* "20261120_093000": sessions called so are in the order of their names. */
static struct loom_str dated_name(int64_t now_ms, struct loom_arena *arena)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);
	struct loom_buf name = LOOM_BUF_INIT(64);
	struct loom_str out;

	loom_time_iso(now_ms, &iso);
	for (size_t i = 0; i < iso.n && iso.p[i] != '.' && iso.p[i] != 'Z'; i++)
		if (iso.p[i] == 'T')
			loom_buf_addc(&name, '_');
		else if (iso.p[i] != '-' && iso.p[i] != ':')
			loom_buf_addc(&name, iso.p[i]);
	out = loom_arena_buf(arena, &name);
	loom_buf_fini(&iso);
	loom_buf_fini(&name);
	return out;
}

static enum loom_status check_session(struct loom_str name, struct loom_err *err)
{
	if (!model_payload_is_session(name)) {
		loom_fail(err, LOOM_PATH, "a session cannot be called \"%.*s\"",
			  LOOM_STR_ARG(name));
		return loom_hint(err, LOOM_PATH, "take another name, for example login-form");
	}
	return loom_path_check_name(name, err);
}

/* The folder that a session's folder goes to: where the project has its others. */
static const char *base_of(const struct loom_root *root)
{
	struct loom_file_info info;

	return loom_path_info(root, LOOM_STR(SESSIONS), true, &info, NULL) == LOOM_OK &&
			       info.kind == LOOM_FILE_FOLDER
		       ? SESSIONS
		       : ".teddy";
}

static enum loom_status make_session(const struct loom_payload_place *place,
				     struct loom_arena *arena, struct loom_payload_made *out,
				     struct loom_err *err)
{
	const struct loom_payload_place named = {.root = place->root, .session = out->session};
	struct model_places there;
	struct loom_str folder =
		loom_arena_format(arena, "%s/%s", base_of(place->root), out->session.p);
	enum loom_status status = LOOM_OK;

	if (model_payload_places(&named, arena, &there, NULL) == LOOM_OK) {
		loom_fail(err, LOOM_CONFLICT, "there is a session \"%s\" already: %s",
			  out->session.p, there.session_dir.p);
		return loom_hint(err, LOOM_CONFLICT, "loom payload turn new --session %s",
				 out->session.p);
	}
	status = write_new(place->root, loom_arena_format(arena, "%s/session.context", folder.p),
			   LOOM_STR(""), err);
	return status == LOOM_OK ? make_turn(place, folder, 1, LOOM_STR(""), arena, out, err)
				 : status;
}

enum loom_status loom_payload_session_new(const struct loom_payload_place *place, int64_t now_ms,
					  struct loom_arena *arena, struct loom_payload_made *out,
					  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	int lock = -1;

	*out = (struct loom_payload_made){.session = place->session.n
							     ? loom_arena_str(arena, place->session)
							     : dated_name(now_ms, arena)};
	status = check_session(out->session, err);
	if (status == LOOM_OK)
		status = model_payload_lock(place, &lock, err);
	if (status != LOOM_OK)
		return status;
	status = make_session(place, arena, out, err);
	close(lock);
	return status;
}

/* ---- a turn ---- */

static enum loom_status next_turn(const struct loom_payload_place *place, struct loom_arena *arena,
				  struct loom_payload_made *out, struct loom_err *err)
{
	struct loom_buf list = LOOM_BUF_INIT(LIST_MAX);
	struct model_places last;
	uint64_t number = 0;
	enum loom_status status = model_payload_places(place, arena, &last, err);

	if (status != LOOM_OK)
		return status;
	out->session = last.session;
	if (!last.session.n) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no session for a turn");
		return loom_hint(err, LOOM_NOT_FOUND, "loom payload session new makes one");
	}
	if (last.turn.n && (!loom_str_to_u64(last.turn, &number) || number >= LAST_TURN)) {
		loom_fail(err, LOOM_LIMIT, "turn %s is the last of session %s", last.turn.p,
			  last.session.p);
		return loom_hint(err, LOOM_LIMIT, "loom payload session new begins another");
	}
	if (last.turn.n)
		status = loom_file_read(place->root, last.files[LOOM_SCOPE_TURN],
					&(struct loom_read_opts){.single = true, .max = LIST_MAX},
					&list, err);
	if (status == LOOM_OK || status == LOOM_NOT_FOUND)
		status = make_turn(place, last.session_dir, number + 1, loom_buf_str(&list), arena,
				   out, err);
	loom_buf_fini(&list);
	return status;
}

enum loom_status loom_payload_turn_new(const struct loom_payload_place *place,
				       struct loom_arena *arena, struct loom_payload_made *out,
				       struct loom_err *err)
{
	struct loom_payload_place newest = *place;
	enum loom_status status = LOOM_OK;
	int lock = -1;

	*out = (struct loom_payload_made){.folder = LOOM_STR("")};
	newest.turn = LOOM_STR("");
	status = model_payload_lock(place, &lock, err);
	if (status != LOOM_OK)
		return status;
	status = next_turn(&newest, arena, out, err);
	close(lock);
	return status;
}

/* ---- what is left in it ---- */

void loom_payload_turn_of(const struct loom_payload_lists *lists, struct loom_arena *arena,
			  struct loom_payload_made *out)
{
	static const size_t tail = sizeof "/turn.context" - 1;
	struct loom_str list = lists->files[LOOM_SCOPE_TURN];

	LOOM_ASSERT(!list.n || list.n > tail);
	*out = (struct loom_payload_made){
		.session = loom_arena_str(arena, lists->session),
		.turn = loom_arena_str(arena, lists->turn),
		.folder = loom_arena_str(arena, loom_str_sub(list, 0, list.n ? list.n - tail : 0))};
}

enum loom_status loom_payload_report_put(const struct loom_root *root,
					 const struct loom_payload_made *turn, struct loom_str text,
					 struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (!turn->folder.n)
		return LOOM_OK;
	loom_buf_addf(&path, "%.*s/report.md", LOOM_STR_ARG(turn->folder));
	status = loom_file_write(root, loom_buf_str(&path), text,
				 &(struct loom_write_opts){.any_name = true}, err);
	loom_buf_fini(&path);
	return status;
}
