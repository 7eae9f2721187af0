/* A word diff as people read it, and as JSON. */
#include <loom/cli/open_grove.h>
#include <loom/language/worddiff.h>

static void say_marked(struct loom_out *out, enum loom_style style, const char *begin,
		       struct loom_str text, const char *end)
{
	bool colored = loom_out_color(out);

	if (!colored)
		loom_out_texts(out, begin);
	loom_out_styled(out, style, text);
	if (!colored)
		loom_out_texts(out, end);
}

static void say_part(struct loom_out *out, const struct loom_diff_part *part)
{
	switch (part->kind) {
	case LOOM_DIFF_SAME:
		loom_out_text(out, part->text);
		break;
	case LOOM_DIFF_GONE:
		say_marked(out, LOOM_BAD, "[-", part->text, "-]");
		break;
	case LOOM_DIFF_NEW:
		say_marked(out, LOOM_GOOD, "{+", part->text, "+}");
		break;
	}
}

void tool_say_diff(struct tool_grove *grove, const struct loom_diff *diff)
{
	struct loom_out *out = grove->cli->out;
	bool feed = false;

	for (size_t i = 0; i < diff->count; i++) {
		const struct loom_diff_part *part = &diff->parts[i];

		say_part(out, part);
		feed = part->kind == LOOM_DIFF_SAME && part->text.p[part->text.n - 1] == '\n';
	}
	if (!feed && diff->count)
		loom_out_texts(out, "\n");
}

void tool_diff_parts_json(struct loom_json *json, const struct loom_diff *diff)
{
	static const char *const kinds[] = {
		[LOOM_DIFF_SAME] = "same",
		[LOOM_DIFF_GONE] = "gone",
		[LOOM_DIFF_NEW] = "new",
	};

	loom_json_key(json, "parts");
	loom_json_array(json);
	for (size_t i = 0; i < diff->count; i++) {
		loom_json_object(json);
		loom_json_put(json, "kind", loom_str_of(kinds[diff->parts[i].kind]));
		loom_json_put(json, "text", diff->parts[i].text);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}
