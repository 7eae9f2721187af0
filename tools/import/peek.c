/* Tells by its beginning which program a file comes from. Invariant: a beginning is made whole, all
 * that is open closed after the last complete value, so that the readers see valid JSON. */
#include "take.h"

enum { DEEP = 512 };

/* Appends what the beginning of a JSON text has in complete values. */
static bool make_whole(struct loom_str head, struct loom_buf *out)
{
	static const struct loom_json_limits limits = {.bytes = IMPORT_LOOK * 2, .depth = DEEP};
	struct loom_json_reader reader;
	struct loom_json_token token;
	char open[DEEP];
	int depth = 0;
	int safe_depth = 0;
	size_t safe = 0;
	bool key = false;

	loom_json_read_init(&reader, head, &limits);
	reader.forgiving = true;
	while (loom_json_read(&reader, &token, NULL) == LOOM_OK && token.kind != LOOM_JSON_DONE) {
		key = token.kind == LOOM_JSON_KEY;
		if (token.kind == LOOM_JSON_OBJECT || token.kind == LOOM_JSON_ARRAY)
			open[depth++] = token.kind == LOOM_JSON_OBJECT ? '}' : ']';
		else if (token.kind == LOOM_JSON_END_OBJECT || token.kind == LOOM_JSON_END_ARRAY)
			depth--;
		if (key)
			continue;
		safe = reader.at;
		safe_depth = depth;
		if (depth == DEEP)
			break;
	}
	loom_buf_add(out, loom_str_sub(head, 0, safe));
	while (safe_depth > 0)
		loom_buf_addc(out, open[--safe_depth]);
	return safe > 0;
}

const struct import_reader *import_reader_of(struct loom_import *import, struct loom_str head)
{
	struct loom_buf whole = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);
	struct import_source source;
	struct loom_str line = {NULL, 0};
	struct loom_str rest = loom_str_trim(head);
	const struct import_reader *found = NULL;
	const bool several = loom_str_line(&rest, &line) && loom_str_trim(rest).n;
	const bool json = line.n && (line.p[0] == '{' || line.p[0] == '[');

	/* Lines of JSON begin with one that is whole, and so does JSON on several lines. */
	if (json &&
	    !(several && line.p[0] == '{' && loom_str_ends(loom_str_trim(line), LOOM_STR("}"))))
		(void)make_whole(loom_str_trim(head), &whole);
	else
		loom_buf_add(&whole, head);
	loom_arena_reset(import->scratch);
	import->checked = false;
	if (loom_str_trim(loom_buf_str(&whole)).n &&
	    import_source_look(import, LOOM_STR("file"), loom_buf_str(&whole), &source, NULL) ==
		    LOOM_OK) {
		import->checked = true;
		for (size_t i = 0; import_readers[i] && !found; i++)
			if (import_readers[i]->recognise(&source))
				found = import_readers[i];
		/* A first line that goes on beyond the beginning looks like one object. */
		source.lines = json && source.json;
		for (size_t i = 0; source.lines && import_readers[i] && !found; i++)
			if (import_readers[i]->recognise(&source))
				found = import_readers[i];
	}
	import->checked = true;
	loom_buf_fini(&whole);
	return found;
}
