/* The content hash against the shared vectors and ours, and its laws. */
#include <greatest.h>

#include <loom/base/env.h>
#include <loom/base/json.h>
#include <loom/tree/provenance.h>

GREATEST_MAIN_DEFS();

#define VECTORS     LOOM_SHARED "/cases/hash.json"
#define OWN_VECTORS LOOM_SOURCE "/tests/cases/hash.json"

static bool read_vectors(const char *name, struct loom_buf *out)
{
	char bytes[4096];
	size_t got = 0;
	FILE *file = fopen(name, "rb");

	if (!file)
		return false;
	while ((got = fread(bytes, 1, sizeof bytes, file)))
		loom_buf_add(out, loom_str_make(bytes, got));
	fclose(file);
	return true;
}

/* The raw value of a member of the object in `text`; p is NULL when it is missing. The vectors
 * hold U+0000 and half surrogates, which only the loose reader lets pass. */
static struct loom_str member(struct loom_str text, const char *key)
{
	struct loom_json_reader reader;
	struct loom_json_token token;
	struct loom_str raw = {NULL, 0};

	loom_json_read_init(&reader, text, NULL);
	reader.loose = true;
	if (loom_json_read(&reader, &token, NULL) != LOOM_OK || token.kind != LOOM_JSON_OBJECT)
		return (struct loom_str){NULL, 0};
	while (loom_json_read(&reader, &token, NULL) == LOOM_OK && token.kind == LOOM_JSON_KEY) {
		if (loom_json_skip(&reader, &token, &raw, NULL) != LOOM_OK)
			break;
		if (loom_str_is(token.raw, key))
			return raw;
	}
	return (struct loom_str){NULL, 0};
}

/* The items of an array, at most `max`. */
static size_t items(struct loom_str text, struct loom_str *out, size_t max)
{
	struct loom_json_reader reader;
	struct loom_json_token token;
	size_t count = 0;

	loom_json_read_init(&reader, text, NULL);
	reader.loose = true;
	if (loom_json_read(&reader, &token, NULL) != LOOM_OK || token.kind != LOOM_JSON_ARRAY)
		return 0;
	while (count < max && loom_json_read(&reader, &token, NULL) == LOOM_OK &&
	       token.kind != LOOM_JSON_END_ARRAY) {
		if (loom_json_skip(&reader, &token, &out[count], NULL) != LOOM_OK)
			break;
		count++;
	}
	return count;
}

/* A string value without its quotes, decoded; the caller frees. */
static struct loom_buf decoded(struct loom_str raw)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (raw.n >= 2 && raw.p[0] == '"')
		loom_json_decode(loom_str_sub(raw, 1, raw.n - 2), &buf);
	return buf;
}

struct vector {
	struct loom_provenance node;
	struct loom_hash parents[64];
	struct loom_hash raw;
	struct loom_buf author;
	struct loom_buf text;
	cJSON *json;
};

static bool read_hash(struct loom_str raw, struct loom_hash *out)
{
	return raw.n == 66 && loom_unhex(loom_str_sub(raw, 1, 64), out->bytes, 32);
}

/* By both roads: plain text without cJSON where it can be, and through cJSON where it can be. */
static void load_vector(struct loom_str object, struct vector *out, bool plain)
{
	struct loom_str content = member(object, "content");
	struct loom_str parents[64];
	int64_t ms = 0;

	*out = (struct vector){0};
	out->node.parent_count = items(member(object, "parents"), parents, 64);
	for (size_t i = 0; i < out->node.parent_count; i++)
		if (!read_hash(parents[i], &out->parents[i]))
			out->node.parent_count = 0;
	out->node.parents = out->parents;
	if (loom_str_to_i64(member(object, "created_at_ms"), &ms))
		out->node.created_ms = ms;
	if (read_hash(member(object, "raw_response_hash"), &out->raw))
		out->node.raw = &out->raw;
	out->author = decoded(member(object, "author_agent_id"));
	out->node.author = loom_buf_str(&out->author);
	out->text = decoded(member(content, "text"));
	out->node.text = loom_buf_str(&out->text);
	if (!plain && loom_json_parse(content, NULL, &out->json, NULL) == LOOM_OK)
		out->node.json = out->json;
}

static void drop_vector(struct vector *vector)
{
	loom_buf_fini(&vector->author);
	loom_buf_fini(&vector->text);
	cJSON_Delete(vector->json);
}

static enum greatest_test_res check_vector(struct loom_str object, bool plain)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf expected = decoded(member(object, "payload"));
	struct loom_hash hash = {{0}};
	struct loom_hash expected_hash = {{1}};
	struct vector vector;
	bool same = false;

	load_vector(object, &vector, plain);
	loom_content_payload(&vector.node, &payload);
	hash = loom_content_hash(&vector.node);
	same = loom_str_eq(loom_buf_str(&payload), loom_buf_str(&expected));
	drop_vector(&vector);
	loom_buf_fini(&payload);
	loom_buf_fini(&expected);
	ASSERTm("payload", same);
	ASSERT(read_hash(member(object, "sha256"), &expected_hash));
	ASSERTm("sha256", loom_hash_eq(&hash, &expected_hash));
	PASS();
}

static enum greatest_test_res check_raw(struct loom_str object)
{
	struct loom_buf payload = decoded(member(object, "payload"));
	struct loom_hash hash = loom_sha256(loom_buf_str(&payload));
	struct loom_hash expected = {{1}};

	loom_buf_fini(&payload);
	ASSERT(read_hash(member(object, "sha256"), &expected));
	ASSERT(loom_hash_eq(&hash, &expected));
	PASS();
}

TEST every_vector_has_its_payload_and_hash(const char *name)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str vectors[256];
	size_t count = 0;

	if (!read_vectors(name, &file))
		SKIPm("no shared vectors");
	count = items(member(loom_buf_str(&file), "hash"), vectors, LOOM_COUNT(vectors));
	ASSERT(count >= 10);
	for (size_t i = 0; i < count; i++) {
		struct loom_str type = member(member(vectors[i], "content"), "type");

		if (loom_str_is(member(vectors[i], "kind"), "\"raw\"")) {
			CHECK_CALL(check_raw(vectors[i]));
			continue;
		}
		if (loom_str_is(type, "\"text\""))
			CHECK_CALL(check_vector(vectors[i], true));
		CHECK_CALL(check_vector(vectors[i], false));
	}
	loom_buf_fini(&file);
	PASS();
}

/* [text, [parents as <name>], time, author] of the chain. */
static struct loom_hash chain_hash(struct loom_str chain, const char *name,
				   const struct loom_hash *raw)
{
	struct loom_str fields[4] = {{NULL, 0}};
	struct loom_str names[4];
	struct loom_hash parents[4] = {{{0}}};
	struct loom_provenance node = {.parents = parents, .raw = raw};
	struct loom_buf text;
	struct loom_buf time;
	struct loom_buf author;
	struct loom_hash hash;

	items(member(member(chain, "inputs"), name), fields, LOOM_COUNT(fields));
	text = decoded(fields[0]);
	time = decoded(fields[2]);
	author = decoded(fields[3]);
	node.text = loom_buf_str(&text);
	node.author = loom_buf_str(&author);
	node.parent_count = items(fields[1], names, LOOM_COUNT(names));
	for (size_t i = 0; i < node.parent_count; i++) {
		char parent[32];

		snprintf(parent, sizeof parent, "%.*s", (int)names[i].n - 4, names[i].p + 2);
		read_hash(member(chain, parent), &parents[i]);
	}
	if (!loom_time_parse(loom_buf_str(&time), &node.created_ms))
		node.created_ms = -1;
	hash = loom_content_hash(&node);
	loom_buf_fini(&text);
	loom_buf_fini(&time);
	loom_buf_fini(&author);
	return hash;
}

TEST the_shared_chain_hashes_link_by_link(void)
{
	static const struct {
		const char *name;
		bool by_model;
	} links[] = {{"root", false},
		     {"user", false},
		     {"model", true},
		     {"editOfUser", false},
		     {"modelIfVersionSourceAdded", true}};
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str chain;
	struct loom_buf evidence;
	struct loom_hash raw = {{0}};
	struct loom_hash raw_expected = {{1}};

	if (!read_vectors(VECTORS, &file))
		SKIPm("no " VECTORS);
	chain = member(loom_buf_str(&file), "chain");
	evidence = decoded(member(member(chain, "inputs"), "raw"));
	raw = loom_sha256(loom_buf_str(&evidence));
	loom_buf_fini(&evidence);
	ASSERT(read_hash(member(chain, "rawHash"), &raw_expected));
	ASSERT(loom_hash_eq(&raw, &raw_expected));
	for (size_t i = 0; i < LOOM_COUNT(links); i++) {
		struct loom_hash got =
			chain_hash(chain, links[i].name, links[i].by_model ? &raw : NULL);
		struct loom_hash expected = {{1}};

		ASSERT(read_hash(member(chain, links[i].name), &expected));
		ASSERTm(links[i].name, loom_hash_eq(&got, &expected));
	}
	loom_buf_fini(&file);
	PASS();
}

TEST the_order_of_parents_does_not_matter_but_the_rest_does(void)
{
	const struct loom_hash ab[2] = {loom_sha256(LOOM_STR("a")), loom_sha256(LOOM_STR("b"))};
	const struct loom_hash ba[2] = {ab[1], ab[0]};
	const struct loom_provenance base = {.text = LOOM_STR("x"),
					     .parents = ab,
					     .parent_count = 2,
					     .created_ms = 5,
					     .author = LOOM_STR("A")};
	struct loom_hash hash = loom_content_hash(&base);
	struct loom_provenance other = base;
	struct loom_hash hashes[5];

	other.parents = ba;
	hashes[0] = loom_content_hash(&other);
	ASSERT(loom_hash_eq(&hash, &hashes[0]));
	other = base;
	other.text = LOOM_STR("y");
	hashes[0] = loom_content_hash(&other);
	other = base;
	other.parent_count = 1;
	hashes[1] = loom_content_hash(&other);
	other = base;
	other.created_ms = 6;
	hashes[2] = loom_content_hash(&other);
	other = base;
	other.author = LOOM_STR("B");
	hashes[3] = loom_content_hash(&other);
	other = base;
	other.raw = &ab[0];
	hashes[4] = loom_content_hash(&other);
	for (size_t i = 0; i < LOOM_COUNT(hashes); i++)
		ASSERT_FALSE(loom_hash_eq(&hash, &hashes[i]));
	PASS();
}

TEST text_and_its_json_have_one_hash(void)
{
	const struct loom_provenance plain = {.text = LOOM_STR("a\"\n\xC3\xA9\x7F"),
					      .author = LOOM_STR("A")};
	struct loom_provenance built = plain;
	struct loom_hash a;
	struct loom_hash b;
	cJSON *json = NULL;

	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(LOOM_STR("{\"type\":\"text\",\"text\":\"a\\u0022\\n\\u00e9"
					   "\\u007f\"}"),
				  NULL, &json, NULL));
	built.json = json;
	a = loom_content_hash(&plain);
	b = loom_content_hash(&built);
	cJSON_Delete(json);
	ASSERT(loom_hash_eq(&a, &b));
	PASS();
}

SUITE(provenance)
{
	RUN_TESTp(every_vector_has_its_payload_and_hash, VECTORS);
	RUN_TESTp(every_vector_has_its_payload_and_hash, OWN_VECTORS);
	RUN_TEST(the_shared_chain_hashes_link_by_link);
	RUN_TEST(the_order_of_parents_does_not_matter_but_the_rest_does);
	RUN_TEST(text_and_its_json_have_one_hash);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(provenance);
	GREATEST_MAIN_END();
}
