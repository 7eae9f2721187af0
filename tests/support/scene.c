#include "support/scene.h"

#include <loom/leslie/leslie.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#define T ".leslie/threads/"

static void must(enum loom_status status, const struct loom_leslie_err *err)
{
	if (status == LOOM_OK)
		return;
	fprintf(stderr, "scene: %s\n", err->err.text);
	exit(1);
}

static void spawn(struct loom_leslie *leslie, struct loom_arena *arena, const char *id,
		  const char *title)
{
	struct loom_leslie_spawn opts = {.objective = LOOM_STR("obj-auth"),
					 .intent = loom_str_of(title),
					 .id = loom_str_of(id)};
	struct loom_leslie_warnings warnings = {0};
	struct loom_leslie_err err = {0};
	struct loom_str made;

	must(loom_leslie_spawn(leslie, &opts, arena, &made, &warnings, &err), &err);
}

static void refer(struct loom_leslie *leslie, struct loom_arena *arena, const char *from,
		  const char *target, enum loom_leslie_binding binding)
{
	struct loom_leslie_ref ref = {.from = loom_str_of(from), .binding = binding};
	struct loom_leslie_ref_result result;
	struct loom_leslie_err err = {0};

	must(loom_leslie_target_parse(loom_str_of(target), arena, &ref.target, &err), &err);
	must(loom_leslie_ref(leslie, &ref, arena, &result, &err), &err);
}

void scene_threads(const struct temp *temp, struct loom_env *env)
{
	const struct loom_leslie_opts opts = {.start = temp->path, .env = env};
	struct loom_arena *arena = loom_arena_create();
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err err = {0};
	struct loom_str id;

	must(loom_leslie_open(&opts, &leslie, &err.err), &err);
	must(loom_objective_new(leslie, LOOM_STR("A login that people trust"), LOOM_STR("obj-auth"),
				arena, &id, &err),
	     &err);
	spawn(leslie, arena, "thread-api", "Sessions and tokens");
	spawn(leslie, arena, "thread-ui", "The login page");
	spawn(leslie, arena, "thread-review", "Read it all once more");
	temp_write(temp, T "thread-api/plan.md", LOOM_STR("# Plan\n\n1. sessions\n2. tokens\n"));
	temp_write(temp, T "thread-api/design/api.md", LOOM_STR("# API\n\nPOST /login\n"));
	temp_write(temp, T "thread-api/design/schema.sql", LOOM_STR("create table session;\n"));
	temp_write(temp, T "thread-api/artifacts/learnings.md", LOOM_STR("Rotate the keys.\n"));
	temp_write(temp, T "thread-ui/plan.md", LOOM_STR("# One page, two fields\n"));
	refer(leslie, arena, "thread-ui", "thread-api:design", LOOM_LESLIE_BINDING_FROZEN);
	refer(leslie, arena, "thread-review", "thread-ui", LOOM_LESLIE_BINDING_LIVE);
	refer(leslie, arena, "thread-review", "thread-gone", LOOM_LESLIE_BINDING_FROZEN);
	loom_leslie_close(leslie);
	loom_arena_destroy(arena);
}

/* Kind and payload, in their order. */
static const char *const said[][2] = {
	{"ai_message", "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":"
		       "\"What could she find in the hall?\"}"},
	{"ai_message", "{\"context_ref\":\"default\",\"role\":\"assistant\",\"thinking\":"
		       "\"Nothing is said of the hall yet. A letter would ask for an answer.\","
		       "\"content\":\"Nothing has been said of the hall. Let me try a letter.\"}"},
	{"tool_action", "{\"line\":\"→ respond r001 \\\"There was a letter on the stairs.\\\"\","
			"\"call\":\"respond r001\",\"status\":\"ok\",\"result\":"
			"\"✓ created [a7x2] as continuation from [r001]\",\"number\":1}"},
	{"tool_result", "{\"res\":\"res-1\",\"number\":1,\"text\":\"→ respond r001 …\\n✓ created "
			"[a7x2] as continuation from [r001]\\n  switched to [a7x2]\"}"},
	{"tool_action", "{\"line\":\"→ prune zz99\",\"call\":\"prune zz99\",\"status\":\"error\","
			"\"result\":\"✗ NOT_FOUND: no node zz99\",\"number\":2}"},
	{"ai_message",
	 "{\"context_ref\":\"default\",\"role\":\"assistant\",\"content\":"
	 "\"It is addressed to the house, not to her. That gives her a reason to read "
	 "it aloud:\\n\\n- to the house, because it is the house's\\n- to herself, "
	 "because nobody else is there\"}"},
	{"ai_message", "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":"
		       "\"Good. Go on from there.\"}"},
};

static int64_t make_claude(struct grove *grove, int64_t tree)
{
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .model = LOOM_STR("m"),
				  .aware = true};
	struct loom_err err;
	struct loom_agent there;
	int64_t agent = 0;
	int64_t thread = 0;

	grove_begin(grove, "agent");
	if (loom_agent_find(grove->store, spec.name, grove->arena, &there, NULL) == LOOM_OK)
		agent = there.id;
	else
		grove_must(loom_agent_create(grove->store, &spec, &agent, &err), &err, "agent");
	grove_must(loom_thread_create(grove->store, LOOM_STR("thread-ui"), agent, tree, &thread,
				      &err),
		   &err, "thread");
	grove_commit(grove);
	return thread;
}

void scene_talk(struct grove *grove, int64_t tree)
{
	int64_t thread = make_claude(grove, tree);
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	struct loom_err err;
	enum loom_status status = LOOM_OK;

	grove_must(loom_thread_log_open(grove->store, thread, NULL, &keeper, &err), &err, "log");
	log = loom_thread_log_face(keeper);
	for (size_t i = 0; i < LOOM_COUNT(said) && status == LOOM_OK; i++) {
		/* Long ago: shown as a date, whenever it is looked at. */
		struct loom_log_row row = {.at_ms = 1700000000000,
					   .kind = loom_str_of(said[i][0]),
					   .payload = loom_str_of(said[i][1])};
		int64_t seq = 0;

		grove_must(loom_quiet_begin(grove->store, &err), &err, "begin");
		status = loom_log_append(&log, &row, &seq, &err);
		grove_must(loom_quiet_end(grove->store, status, &err), &err, said[i][1]);
	}
	loom_thread_log_close(keeper);
}

void scene_payload(const struct temp *temp)
{
	temp_write(temp, ".teddy/memos.yaml", LOOM_STR("- the door sticks\n"));
	temp_write(temp, ".teddy/global.context", LOOM_STR("README.md\n"));
	temp_write(temp, ".teddy/marie/session.context",
		   LOOM_STR("# the story\nchapters/one.md\nnotes/gone.md\n"));
	temp_write(temp, ".teddy/marie/01/turn.context", LOOM_STR("chapters/two.md\n"));
	temp_write(temp, "README.md", LOOM_STR("# The house at the end of the lane\n"));
	temp_write(temp, "chapters/one.md", LOOM_STR("Marie had not been back.\n"));
	temp_write(temp, "chapters/two.md", LOOM_STR("There was a letter on the stairs.\n"));
	temp_write(temp, "chapters/three.md", LOOM_STR("A dog was asleep in the hall.\n"));
	temp_write(temp, "build/out.bin", LOOM_STR("x"));
	temp_write(temp, ".gitignore", LOOM_STR("build/\n"));
}
