/* logitloom: a nested tree of tokens with their probabilities; each token becomes a node. */
#include <loom/import/reader_kit.h>

enum key { ID, TEXT, LOGPROB, PROB, FINISHED, KEYS };
static const char *const keys[KEYS] = {"id", "text", "logprob", "prob", "branchFinished"};

static bool recognise(const struct import_source *source)
{
	return source->json && import_has(source, "isLogitLoomTreeVersion", LOOM_JTYPE_NONE) &&
	       import_has(source, "roots", LOOM_JTYPE_ARRAY);
}

/* Values that all tokens of a file share: the model and the prompt. */
struct drawn {
	struct loom_str model;
	struct loom_str prompt; /* its id; empty: none */
};

static enum loom_status put_node(struct loom_import *import, const struct import_nest_node *node,
				 void *ctx, struct loom_err *err)
{
	const struct drawn *drawn = ctx;
	static const char *const names[] = {NULL, NULL, "logprob", "prob", "finish"};
	struct loom_buf record = IMPORT_BUF(import);
	struct loom_buf tokens = IMPORT_BUF(import);
	struct import_node out = {
		.id = node->id,
		.anonymous = node->anonymous,
		.parent = node->depth ? LOOM_STR("") : drawn->prompt,
		.role = IMPORT_MODEL,
		.model = drawn->model,
		.text = import_string(import, node->values[TEXT]),
		.extra = node->rest.n ? loom_arena_format(import_scratch(import), "{%.*s}",
							  LOOM_STR_ARG(node->rest))
				      : loom_str_make("", 0),
	};
	enum loom_status status;

	for (size_t i = LOGPROB; i < KEYS; i++) {
		if (loom_jval_is_null(node->values[i]))
			continue;
		loom_buf_addf(&record, "%s\"%s\":", record.n ? "," : "{", names[i]);
		import_keep(import, node->values[i], &record);
	}
	if (record.n) {
		import_token(import, node->values[TEXT], node->values[LOGPROB], &tokens);
		import_token_end(&tokens);
		loom_buf_addf(&record, ",\"logprobs\":[%s]}", loom_buf_cstr(&tokens));
	}
	loom_buf_fini(&tokens);
	out.generation = loom_buf_str(&record);
	status = import_node(import, &out, err);
	loom_buf_fini(&record);
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "file",
		.used = "isLogitLoomTreeVersion:bns roots:ao prompt:s model:s",
		.known = "prefill"};
	struct drawn drawn = {.model = LOOM_STR_INIT(""), .prompt = LOOM_STR_INIT("")};
	const struct import_nest nest = {
		.keys = keys,
		.key_count = KEYS,
		.children = "children",
		.fields = {.where = "node", .used = "id:sn text:s"},
		.node = put_node,
		.ctx = &drawn,
	};
	struct loom_str prompt = import_string(import, import_member(source, "prompt"));
	struct import_node root = {
		.id = LOOM_STR_INIT("prompt"),
		.role = IMPORT_HUMAN,
		.text = prompt,
	};
	struct import_tree tree = {.title = source->name, .mode = LOOM_BUFFER};
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "roots"));
	struct loom_buf rest = IMPORT_BUF(import);
	struct loom_str first;
	enum loom_status status = LOOM_OK;

	tree.id = loom_jwalk_next(&walk, NULL, &first) ? import_text(import, first, "id")
						       : LOOM_STR("");
	import_begin(import, &tree);
	import_rest(import, source->first, &fields, &rest);
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
	drawn.model = loom_arena_str(import_kept(import),
				     import_string(import, import_member(source, "model")));
	if (prompt.n) {
		drawn.prompt = root.id;
		status = import_node(import, &root, err);
	}
	return status == LOOM_OK ? import_nest(import, import_member(source, "roots"), &nest, err)
				 : status;
}

const struct import_reader import_logitloom = {
	.name = "logitloom",
	.title = "logitloom token trees",
	.recognise = recognise,
	.read = read,
};
