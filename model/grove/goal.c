/* Goals: one JSON object in the person's own state, a member for each tree that has one. */
#include <loom/grove/goal.h>

#include <limits.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/files/state_file.h>

enum { GOALS_MAX = 1 << 20 };

static enum loom_status goals_path(struct loom_store *store, struct loom_buf *out,
				   struct loom_err *err)
{
	enum loom_status status = model_own_dir(store, out, err);

	loom_buf_adds(out, "/goals.json");
	return status;
}

enum loom_status loom_goal_get(struct loom_store *store, const struct loom_ulid *tree,
			       struct loom_goal *out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	char ulid[LOOM_ULID_CHARS + 1];
	cJSON *all = NULL;
	const cJSON *goal;
	enum loom_status status = goals_path(store, &path, err);

	LOOM_ASSERT(tree && out);
	*out = (struct loom_goal){.text = 0};
	loom_ulid_text(tree, ulid);
	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&path), GOALS_MAX, &all, err);
	goal = status == LOOM_OK ? loom_json_get(all, ulid) : NULL;
	(void)loom_json_int(goal, "text", &out->text);
	(void)loom_json_int(goal, "session", &out->session);
	cJSON_Delete(all);
	loom_buf_fini(&path);
	return status;
}

static void put(cJSON *all, const char *ulid, const struct loom_goal *goal)
{
	cJSON *one;

	cJSON_DeleteItemFromObjectCaseSensitive(all, ulid);
	if (!goal->text && !goal->session)
		return;
	one = cJSON_AddObjectToObject(all, ulid);
	cJSON_AddNumberToObject(one, "text", (double)goal->text);
	cJSON_AddNumberToObject(one, "session", (double)goal->session);
}

enum loom_status loom_goal_set(struct loom_store *store, const struct loom_ulid *tree,
			       const struct loom_goal *goal, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	char ulid[LOOM_ULID_CHARS + 1];
	cJSON *all = NULL;
	int lock = -1;
	enum loom_status status = loom_store_own_dir(store, &path, err);

	LOOM_ASSERT(tree && goal && goal->text >= 0 && goal->session >= 0);
	loom_ulid_text(tree, ulid);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_buf_str(&path), MODEL_FOLDER_MODE, err);
	loom_buf_adds(&path, "/goals.json");
	if (status == LOOM_OK)
		status = model_file_lock(loom_buf_cstr(&path), &lock, err);
	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&path), GOALS_MAX, &all, err);
	if (status == LOOM_OK) {
		put(all, ulid, goal);
		status = model_json_save(loom_buf_cstr(&path), all, err);
	}
	if (lock >= 0)
		close(lock);
	cJSON_Delete(all);
	loom_buf_fini(&path);
	return status;
}
