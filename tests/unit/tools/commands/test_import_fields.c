/* Every field of every fixture, one after the other made something else: what a file says is seen
 * in the grove, kept beside a node, or named by the loss report, and nothing vanishes unsaid. */
#include <greatest.h>

#include <dirent.h>

#include <cjson/cJSON.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/prop.h>

GREATEST_MAIN_DEFS();

#define FOLDER LOOM_SOURCE "/tests/imports"
/* Mutations that are tried unless all are. */
#define TRIED    300
#define STRANGER "zqstranger"
/* Between what the report says and what the grove holds. */
#define BETWEEN "\n---\n"

/* ---- a file as values ---- */

/* One value of a file, and the way to it: "mapping.a.message.id". */
struct place {
	cJSON *value;
	char *way;
	size_t above; /* the place it is in; its own number: none */
};
struct document {
	const char *name;
	cJSON **lines; /* one, unless the file is lines of JSON */
	size_t line_count;
	struct place *places;
	size_t place_count;
	struct loom_buf said; /* what it becomes as it stands */
};

static char *way_to(const char *above, const cJSON *value, int index)
{
	char way[1024];

	if (value->string)
		snprintf(way, sizeof way, "%s%s%s", above, *above ? "." : "", value->string);
	else
		snprintf(way, sizeof way, "%s[%d]", above, index);
	return strdup(way);
}

static void add_places(struct document *document, struct place place)
{
	const size_t number = document->place_count;
	cJSON *below = NULL;
	int index = 0;

	document->places =
		loom_realloc(document->places, document->place_count + 1, sizeof *document->places);
	document->places[document->place_count++] = place;
	cJSON_ArrayForEach(below, place.value)
	{
		add_places(document,
			   (struct place){below, way_to(place.way, below, index), number});
		index++;
	}
}

static void add_line(struct document *document, cJSON *line)
{
	document->lines =
		loom_realloc(document->lines, document->line_count + 1, sizeof *document->lines);
	document->lines[document->line_count++] = line;
	add_places(document, (struct place){line, strdup(""), document->place_count});
}

/* Reads one JSON text, or lines of it; false if it is neither. */
static bool read_document(struct document *document, struct loom_str text)
{
	const char *end = NULL;
	cJSON *whole = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
	struct loom_str line;

	if (whole && !loom_str_trim(loom_str_sub(text, (size_t)(end - text.p), text.n)).n) {
		add_line(document, whole);
		return true;
	}
	cJSON_Delete(whole);
	while (loom_str_line(&text, &line)) {
		if (!loom_str_trim(line).n)
			continue;
		whole = cJSON_ParseWithLength(line.p, line.n);
		if (!whole)
			return false;
		add_line(document, whole);
	}
	return document->line_count > 0;
}

static void print_document(const struct document *document, struct loom_buf *out)
{
	loom_buf_clear(out);
	for (size_t i = 0; i < document->line_count; i++) {
		char *text = cJSON_PrintUnformatted(document->lines[i]);

		loom_buf_adds(out, text);
		loom_buf_addc(out, '\n');
		cJSON_free(text);
	}
}

static void free_document(struct document *document)
{
	for (size_t i = 0; i < document->place_count; i++)
		free(document->places[i].way);
	for (size_t i = 0; i < document->line_count; i++)
		cJSON_Delete(document->lines[i]);
	free(document->places);
	free(document->lines);
	loom_buf_fini(&document->said);
}

/* What a file becomes: the report, and all that an export of the grove says; nothing if it is
 * refused. */
static void say_document(const struct document *document, struct loom_buf *out)
{
	struct loom_buf exported = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	struct imported in;

	imported_init(&in);
	in.with_extra = true;
	print_document(document, &text);
	loom_buf_clear(out);
	if (imported_add(&in, document->name, loom_buf_str(&text), &err) == LOOM_OK) {
		loom_buf_adds(out, imported_say(&in));
		loom_buf_adds(out, BETWEEN);
		exported_all(&in.grove, "json", &exported);
		exported_bare(&exported);
		loom_buf_add(out, loom_buf_str(&exported));
	}
	imported_fini(&in);
	loom_buf_fini(&exported);
	loom_buf_fini(&text);
}

/* ---- making it something else ---- */

static bool says_stranger(const struct loom_buf *said)
{
	return !said->n || strstr(loom_buf_cstr(said), STRANGER);
}

/* Whether a member that no format has is kept or named. */
static bool is_stranger_told(struct document *document, cJSON *object, struct loom_buf *said)
{
	(void)cJSON_AddStringToObject(object, STRANGER, STRANGER " value");
	say_document(document, said);
	cJSON_DeleteItemFromObjectCaseSensitive(object, STRANGER);
	return says_stranger(said);
}

/* Whether another text makes a difference. */
static bool is_text_told(struct document *document, cJSON *value, struct loom_buf *said)
{
	char *text = strdup(value->valuestring);
	struct loom_buf other = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool told;

	loom_buf_addf(&other, "%s zq", text);
	(void)cJSON_SetValuestring(value, loom_buf_cstr(&other));
	say_document(document, said);
	told = !said->n || !loom_str_eq(loom_buf_str(said), loom_buf_str(&document->said));
	(void)cJSON_SetValuestring(value, text);
	loom_buf_fini(&other);
	free(text);
	return told;
}

/* Whether a text stands in the file twice, as ids do that others refer to: those put nodes into
 * their places, and may say so twice. */
static bool is_reference(const struct document *document, const cJSON *value)
{
	size_t found = 0;

	for (size_t i = 0; i < document->place_count; i++) {
		const cJSON *one = document->places[i].value;

		found += one->string && !strcmp(one->string, value->valuestring);
		found += cJSON_IsString(one) && !strcmp(one->valuestring, value->valuestring);
	}
	return found > 1;
}

/* What needs no word, by the beginning of a file's name and of a way. */
static bool is_excused(const struct document *document, const char *way)
{
	static const struct {
		const char *file;
		const char *way;
	} excused[] = {
		/* The line that our own reading of a database begins with. */
		{"basemode-rows", ""},
		{"hermes-rows", ""},
		{"llm-", ""},
		{"opencode-rows", ""},
		/* Lines that change or take back others, and what a later line has replaced. */
		{"gemini-", ""},
		/* Named as one, for they hold keys. */
		{"loomsidian-data", "settings"},
		/* A copy of what stands elsewhere. */
		{"miniloom-", "focus"},
		{"openwebui-", "[0].chat.messages"},
		{"textgen-chat", "visible"},
		/* What a patch takes away, and a text that another one hides. */
		{"miniloom-patches", "loomTree.nodeStore.6.patch"},
		{"pyloom-third-hoisted", "root.text"},
		/* A map, though not all of its members are nodes. */
		{"loomsidian-types", "state"},
		{"openwebui-broken", "[0].chat.history.messages"},
		/* A time, with more words behind it. */
		{"sillytavern-", "send_date"},
	};

	for (size_t i = 0; i < LOOM_COUNT(excused); i++)
		if (loom_str_starts(loom_str_of(document->name), loom_str_of(excused[i].file)) &&
		    (*excused[i].way
			     ? loom_str_starts(loom_str_of(way), loom_str_of(excused[i].way))
			     : !*way))
			return true;
	return false;
}

/* ---- all of them ---- */

struct tally {
	struct prop prop;
	size_t all;
	size_t tried;
	size_t silent;
	bool counts; /* only counts how many there are */
};

static bool is_tried(struct tally *tally)
{
	if (tally->counts) {
		tally->all++;
		return false;
	}
	if (prop_below(&tally->prop, tally->all) >= (size_t)prop_times(TRIED))
		return false;
	tally->tried++;
	return true;
}

/* A map of nodes by their ids has no members of its own. */
static bool is_map(const cJSON *object)
{
	const cJSON *below = NULL;

	cJSON_ArrayForEach(below, object)
	{
		if (!cJSON_IsObject(below))
			return false;
	}
	return object->child != NULL;
}

static bool says_same(const struct loom_buf *a, const struct loom_buf *b)
{
	const char *one = strstr(loom_buf_cstr(a), BETWEEN);
	const char *two = strstr(loom_buf_cstr(b), BETWEEN);

	return one && two && !strcmp(one, two);
}

/* Takes an item out of a list, and puts it back where it was. A list's first item knows its last.
 */
static void join(cJSON *list, cJSON *item, bool first, bool in)
{
	cJSON *next = in ? item : item->next;
	cJSON *prev = in ? item : item->prev;

	if (first)
		list->child = next;
	else
		item->prev->next = next;
	if (item->next)
		item->next->prev = prev;
	else if (!first)
		list->child->prev = prev;
}

/* Whether an item of a list is left out as a whole, and the report says so. */
static bool is_left_out(struct document *document, cJSON *list, cJSON *item)
{
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const bool first = list->child == item;
	bool out = false;

	join(list, item, first, false);
	say_document(document, &said);
	join(list, item, first, true);
	out = said.n && says_same(&said, &document->said) &&
	      !loom_str_eq(loom_buf_str(&said), loom_buf_str(&document->said));
	loom_buf_fini(&said);
	return out;
}

static bool is_in_one_left_out(struct document *document, const struct place *place)
{
	const struct place *above = &document->places[place->above];

	for (; above != place; place = above, above = &document->places[place->above])
		if (cJSON_IsArray(above->value) &&
		    is_left_out(document, above->value, place->value))
			return true;
	return false;
}

static void say_silent(struct tally *tally, struct document *document, const struct place *place,
		       const char *what)
{
	if (is_excused(document, place->way) || is_in_one_left_out(document, place))
		return;
	printf("%s: %s at %s is not told\n", document->name, what, place->way);
	tally->silent++;
}

static void try_place(struct tally *tally, struct document *document, const struct place *place)
{
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (cJSON_IsObject(place->value)) {
		if (!is_map(place->value) && is_tried(tally) &&
		    !is_stranger_told(document, place->value, &said))
			say_silent(tally, document, place, "a member that no format has");
	} else if (cJSON_IsString(place->value) && strchr(place->value->valuestring, ' ') &&
		   !is_reference(document, place->value)) {
		if (is_tried(tally) && !is_text_told(document, place->value, &said))
			say_silent(tally, document, place, "another text");
	}
	loom_buf_fini(&said);
}

/* The same file becomes the same, or nothing here can be compared. */
static void say_twice(struct document *document)
{
	struct loom_buf again = LOOM_BUF_INIT(LOOM_BUF_MAX);

	say_document(document, &document->said);
	say_document(document, &again);
	if (!loom_str_eq(loom_buf_str(&document->said), loom_buf_str(&again))) {
		printf("%s becomes another thing each time\n", document->name);
		exit(1);
	}
	loom_buf_fini(&again);
}

static void try_document(struct tally *tally, const char *name)
{
	struct document document = {.name = name};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_init(&document.said, LOOM_BUF_MAX);
	loom_buf_addf(&path, FOLDER "/%s", name);
	if (temp_read(loom_buf_cstr(&path), &text) &&
	    read_document(&document, loom_buf_str(&text))) {
		if (!tally->counts)
			say_twice(&document);
		for (size_t i = 0; i < document.place_count; i++)
			try_place(tally, &document, &document.places[i]);
	}
	free_document(&document);
	loom_buf_fini(&path);
	loom_buf_fini(&text);
}

static int is_json(const struct dirent *entry)
{
	const struct loom_str name = loom_str_of(entry->d_name);

	return loom_str_ends(name, LOOM_STR(".json")) || loom_str_ends(name, LOOM_STR(".jsonl"));
}

TEST nothing_that_a_file_says_vanishes_unsaid(void)
{
	struct dirent **entries = NULL;
	const int count = scandir(FOLDER, &entries, is_json, alphasort);
	const char *only = getenv("LOOM_TEST_ONLY");
	struct tally tally = {.counts = true};

	prop_init(&tally.prop, "fields");
	ASSERT(count > 80);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < count; i++)
			if (!only || strstr(entries[i]->d_name, only))
				try_document(&tally, entries[i]->d_name);
		tally.counts = false;
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	printf("%zu of %zu fields tried\n", tally.tried, tally.all);
	ASSERT_EQ(0, (int)tally.silent);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(nothing_that_a_file_says_vanishes_unsaid);
	GREATEST_MAIN_END();
}
