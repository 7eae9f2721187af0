/* Prints a word diff for people, or as parts. */
#include <loom/cli/open_grove.h>
#include <loom/language/worddiff.h>

struct way {
	const char *name;
	enum loom_style style;
	const char *begin; /* used without colour */
	const char *end;
};

void cli_answer_diff(struct loom_cli *cli, const struct loom_diff *diff)
{
	static const struct way ways[] = {
		[LOOM_DIFF_SAME] = {"same", LOOM_PLAIN, "", ""},
		[LOOM_DIFF_GONE] = {"gone", LOOM_BAD, "[-", "-]"},
		[LOOM_DIFF_NEW] = {"new", LOOM_GOOD, "{+", "+}"},
	};
	const bool colored = loom_out_color(cli->out);
	bool feed = false;

	loom_answer_list(cli, "parts");
	for (size_t i = 0; i < diff->count; i++) {
		const struct loom_diff_part *part = &diff->parts[i];
		const struct way *way = &ways[part->kind];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "kind", loom_str_of(way->name));
		loom_answer_text(cli, "text", part->text);
		loom_answer_piece(cli, LOOM_PLAIN, loom_str_of(colored ? "" : way->begin));
		loom_answer_piece(cli, way->style, part->text);
		loom_answer_piece(cli, LOOM_PLAIN, loom_str_of(colored ? "" : way->end));
		loom_answer_end(cli);
		feed = part->kind == LOOM_DIFF_SAME && part->text.p[part->text.n - 1] == '\n';
	}
	loom_answer_end(cli);
	if (!feed && diff->count)
		loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
}
