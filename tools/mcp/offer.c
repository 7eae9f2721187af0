/* Describes the server and its offer: versions, tools, prompts, templates. It is the same for every
 * client, always in the same order, and opens nothing; only the permissions in the addendum come
 * from a grove. */
#include <loom/mcp/mcp.h>
#include <loom/language/registry.h>

/* ---- versions ---- */

/* Versions with a handshake, newest first. */
static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
/* The only version in which a client may send several messages as a list. */
static const char with_batches[] = "2025-03-26";

bool mcp_is_legacy(struct loom_str version)
{
	size_t i = 0;

	while (i < LOOM_COUNT(legacy) && !loom_str_is(version, legacy[i]))
		i++;
	return i < LOOM_COUNT(legacy);
}

static const char instructions[] =
	"loom holds trees of branching text that people and models write together. The tool `loom` "
	"runs commands that begin with → on a line of their own, such as → tree, → view a7x2 or "
	"→ help; several lines run in order. The tool `loom_context` gives what the thread knows: "
	"its memory, the path it stands on, who is here. Nothing is lost: what was done can be "
	"undone with → undo.";

static void put_capabilities(struct loom_json *json)
{
	loom_json_key(json, "capabilities");
	loom_json_object(json);
	loom_json_key(json, "tools");
	loom_json_raw(json, LOOM_STR("{}"));
	loom_json_key(json, "resources");
	loom_json_raw(json, LOOM_STR("{\"subscribe\":true}"));
	loom_json_key(json, "prompts");
	loom_json_raw(json, LOOM_STR("{}"));
	loom_json_key(json, "completions");
	loom_json_raw(json, LOOM_STR("{}"));
	loom_json_end_object(json);
}

static void put_server(struct loom_json *json, const char *key)
{
	loom_json_key(json, key);
	loom_json_object(json);
	loom_json_put(json, "name", LOOM_STR("loom"));
	loom_json_put(json, "version", LOOM_STR(LOOM_VERSION));
	loom_json_end_object(json);
}

void mcp_initialize(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str asked =
		loom_jval_text(loom_jval_get(request->params, "protocolVersion"), request->arena);
	const char *version = legacy[0];
	struct loom_json *json = NULL;

	if (!asked.p) {
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("\"protocolVersion\" is missing"));
		return;
	}
	for (size_t i = 0; i < LOOM_COUNT(legacy); i++)
		if (loom_str_is(asked, legacy[i]))
			version = legacy[i];
	mcp->greeted = true;
	mcp->batches = !strcmp(version, with_batches);
	mcp->primes = !strcmp(version, legacy[0]);
	json = mcp_begin(mcp, request);
	loom_json_put(json, "protocolVersion", loom_str_of(version));
	put_capabilities(json);
	put_server(json, "serverInfo");
	loom_json_put(json, "instructions", LOOM_STR(instructions));
	mcp_end(mcp);
}

void mcp_discover(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "supportedVersions");
	loom_json_array(json);
	loom_json_text(json, LOOM_STR(MCP_MODERN));
	loom_json_end_array(json);
	put_capabilities(json);
	loom_json_put(json, "instructions", LOOM_STR(instructions));
	mcp_cache(mcp, request);
	loom_json_key(json, "_meta");
	loom_json_object(json);
	put_server(json, "io.modelcontextprotocol/serverInfo");
	loom_json_end_object(json);
	mcp_end(mcp);
}

/* ---- tools ---- */

struct property {
	const char *name;
	const char *type;
	const char *meaning;
	const char *choices; /* a JSON array, or NULL */
};

static const struct property text_property = {
	"text", "string", "Lines that begin with →; anything else in the text is not run.", NULL};
static const struct property op_property = {
	"op", "string",
	"An id of your own (a ULID, 32 hex digits, a UUID): a call repeated with the same id is "
	"done once and answered the same way.",
	NULL};
static const struct property places[] = {
	{"thread", "string",
	 "A thread of this agent's, by name; without it the agent's own in the tree.", NULL},
	{"tree", "string", "A tree, by id, prefix of its id, or title; without it the current one.",
	 NULL},
	{"node", "string", "The node to start from, by id: a7x2, TREE/a7x2 or a ULID.", NULL},
};
static const struct property contexts[] = {
	{"format", "string", "The form of the answer.", "[\"text\",\"messages\",\"json\"]"},
	{"budget", "integer", "The most tokens it may take (20,000).", NULL},
};

static void put_property(struct loom_json *json, const struct property *property)
{
	loom_json_key(json, property->name);
	loom_json_object(json);
	loom_json_put(json, "type", loom_str_of(property->type));
	loom_json_put(json, "description", loom_str_of(property->meaning));
	if (property->choices) {
		loom_json_key(json, "enum");
		loom_json_raw(json, loom_str_of(property->choices));
	}
	loom_json_end_object(json);
}

static void begin_tool(struct loom_json *json, const char *name, const char *title,
		       struct loom_str meaning)
{
	loom_json_object(json);
	loom_json_put(json, "name", loom_str_of(name));
	loom_json_put(json, "title", loom_str_of(title));
	loom_json_put(json, "description", meaning);
	loom_json_key(json, "inputSchema");
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("object"));
	loom_json_key(json, "properties");
	loom_json_object(json);
}

static void end_tool(struct loom_json *json, const char *required, const char *annotations)
{
	for (size_t i = 0; i < LOOM_COUNT(places); i++)
		put_property(json, &places[i]);
	loom_json_end_object(json);
	if (required) {
		loom_json_key(json, "required");
		loom_json_raw(json, loom_str_of(required));
	}
	loom_json_put_bool(json, "additionalProperties", false);
	loom_json_end_object(json);
	loom_json_key(json, "annotations");
	loom_json_raw(json, loom_str_of(annotations));
	loom_json_end_object(json);
}

/* Lists every verb with its forms, so that none has to be guessed. */
static void describe_language(struct loom_buf *out)
{
	loom_buf_adds(out, "Runs → lines as one turn of this agent and returns the result of each. "
			   "Every command is on a line of its own: → VERB, then its arguments. A "
			   "TEXT in quotes may span several lines, with \\\" for a quote in it. "
			   "Results name nodes by ids such as a7x2. A line that fails is answered "
			   "with ✗ and a hint that says what to do instead. The commands:\n");
	for (enum loom_verb verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++)
		loom_verb_line(loom_verb_info(verb), out);
}

void mcp_tools(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_buf language = LOOM_BUF_INIT(1 << 20);
	struct loom_json *json = mcp_begin(mcp, request);

	describe_language(&language);
	loom_json_key(json, "tools");
	loom_json_array(json);
	begin_tool(json, "loom", "Run → lines", loom_buf_str(&language));
	put_property(json, &text_property);
	put_property(json, &op_property);
	end_tool(json, "[\"text\"]",
		 "{\"readOnlyHint\":false,\"destructiveHint\":false,\"openWorldHint\":false}");
	begin_tool(json, "loom_context", "See the thread's context",
		   LOOM_STR("Returns what a model is given in this thread: memory, the path from "
			    "the root, the conversation so far, and the current position. Changes "
			    "nothing."));
	for (size_t i = 0; i < LOOM_COUNT(contexts); i++)
		put_property(json, &contexts[i]);
	end_tool(json, NULL, "{\"readOnlyHint\":true,\"openWorldHint\":false}");
	loom_json_end_array(json);
	mcp_cache(mcp, request);
	mcp_end(mcp);
	loom_buf_fini(&language);
}

/* ---- prompts ---- */

#define PROMPT "loom-aware"

bool mcp_is_prompt(struct loom_str name)
{
	return loom_jval_says(name, LOOM_STR(PROMPT));
}

void mcp_prompts(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "prompts");
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "name", LOOM_STR(PROMPT));
	loom_json_put(json, "title", LOOM_STR("Work in a loom"));
	loom_json_put(json, "description",
		      LOOM_STR("Tells a model where it is, what it may do, and how to do it."));
	loom_json_key(json, "arguments");
	loom_json_raw(json, LOOM_STR("[]"));
	loom_json_end_object(json);
	loom_json_end_array(json);
	mcp_cache(mcp, request);
	mcp_end(mcp);
}

static void put_addendum(struct mcp *mcp, const struct mcp_request *request, unsigned may)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json *json = mcp_begin(mcp, request);

	loom_addendum(may, &text);
	loom_json_put(json, "description", LOOM_STR("Where you are, and how you act here"));
	loom_json_key(json, "messages");
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "role", LOOM_STR("user"));
	loom_json_key(json, "content");
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("text"));
	loom_json_put(json, "text", loom_buf_str(&text));
	loom_json_end_object(json);
	loom_json_end_object(json);
	loom_json_end_array(json);
	mcp_end(mcp);
	loom_buf_fini(&text);
}

void mcp_prompt(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str name = loom_jval_get(request->params, "name");
	struct loom_err err = {.status = LOOM_OK};
	unsigned may = 0;

	if (!mcp_is_prompt(name))
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("there is one prompt: " PROMPT));
	else if (mcp_may(mcp, &may, &err) != LOOM_OK)
		mcp_refuse(mcp, request, &err);
	else
		put_addendum(mcp, request, may);
}
