/* Recognises files that are refused, with the reason: what has no tree of texts, and what is to be
 * opened in another way. */
#include <loom/import/reader_kit.h>

/* Other Obsidian plugins also keep their settings in a data.json. */
static bool is_settings(const struct import_source *source)
{
	return source->json && !import_has(source, "state", LOOM_JTYPE_NONE) &&
	       (import_has(source, "modelPresets", LOOM_JTYPE_ARRAY) ||
		(import_has(source, "settings", LOOM_JTYPE_OBJECT) && source->member_count == 1) ||
		import_has(source, "apiKey", LOOM_JTYPE_STRING) ||
		import_has(source, "openaiApiKey", LOOM_JTYPE_STRING));
}

static bool is_canvas(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "nodes"));
	struct loom_str node = {NULL, 0};

	return source->json && import_has(source, "edges", LOOM_JTYPE_ARRAY) && !walk.object &&
	       loom_jwalk_next(&walk, NULL, &node) && !loom_jval_get(node, "parent_id").p &&
	       !loom_jval_get(node, "parent_ids").p;
}

/* Inspect can cut a sample into files, of which this one has only the numbers of its messages. */
static bool is_cut_sample(const struct import_source *source)
{
	return source->json && import_has(source, "epoch", LOOM_JTYPE_NUMBER) &&
	       import_has(source, "message_refs", LOOM_JTYPE_ARRAY);
}

static bool recognise_refused(const struct import_source *source)
{
	return loom_str_starts(source->text, LOOM_STR("SQLite format 3")) ||
	       loom_str_starts(source->text, LOOM_STR("PK\x03\x04")) ||
	       loom_str_starts(source->text, LOOM_STR("\x1F\x8B")) || is_settings(source) ||
	       is_canvas(source) || is_cut_sample(source);
}

static enum loom_status refuse(struct loom_import *import, const struct import_source *source,
			       struct loom_err *err)
{
	const int name = (int)source->name.n;

	(void)import;
	if (loom_str_starts(source->text, LOOM_STR("SQLite"))) {
		loom_fail(err, LOOM_REFUSED, "%.*s is a database", name, source->name.p);
		return loom_hint(err, LOOM_REFUSED, "open a grove with -g; it cannot be imported");
	}
	if (!source->json) {
		loom_fail(err, LOOM_REFUSED, "%.*s is an archive", name, source->name.p);
		return loom_hint(err, LOOM_REFUSED, "unpack it and import the JSON in it");
	}
	if (is_canvas(source))
		return loom_fail(err, LOOM_REFUSED,
				 "%.*s is a canvas with edges, not a tree of texts", name,
				 source->name.p);
	if (is_cut_sample(source))
		return loom_fail(err, LOOM_REFUSED,
				 "%.*s is a sample that Inspect has cut into chunks", name,
				 source->name.p);
	loom_fail(err, LOOM_REFUSED, "%.*s has a plugin's settings and no trees", name,
		  source->name.p);
	return loom_hint(err, LOOM_REFUSED, "Loomsidian's data.json has a member \"state\"");
}

const struct import_reader import_refused = {
	.name = "none",
	.title = "recognised and refused: databases, archives, settings",
	.recognise = recognise_refused,
	.read = refuse,
};
