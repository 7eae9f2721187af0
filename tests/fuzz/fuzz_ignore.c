/* An ignore file against a path, both hostile: the first line feed pair parts them. Nothing may
 * crash, take long, or match differently when asked again; a rule that includes and one that
 * excludes the same pattern match the same paths. */
#include <loom/files/path.h>

#include "model/files/inside.h"
#include "tests/fuzz/fuzz.h"

/* `!pattern` has to match what `pattern` matches. */
static void compare_negated(struct loom_str line, const struct model_subject *subject)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct model_rules *plain = NULL;
	struct model_rules *negated = NULL;

	if (!line.n || memchr("!#\xEF", line.p[0], 3))
		return;
	plain = model_rules_parse(line);
	loom_buf_addc(&text, '!');
	loom_buf_add(&text, line);
	negated = model_rules_parse(loom_buf_str(&text));
	must(plain->count == negated->count || !plain->count);
	if (plain->count)
		must(model_rule_matches(&plain->items[0], subject) ==
		     model_rule_matches(&negated->items[0], subject));
	model_rules_destroy(plain);
	model_rules_destroy(negated);
	loom_buf_fini(&text);
}

static void judge(struct loom_str rules_text, struct loom_str path)
{
	struct loom_buf normal = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct model_rules *rules = model_rules_parse(rules_text);
	const struct model_rule *last = NULL;
	struct loom_str line;
	size_t name_at = 0;

	if (loom_path_normal(path, &normal, NULL) == LOOM_OK && normal.n) {
		struct model_subject subject = {.path = loom_buf_str(&normal), .folder = true};

		name_at = normal.n;
		while (name_at && normal.p[name_at - 1] != '/')
			name_at--;
		subject.name = loom_str_sub(subject.path, name_at, normal.n);
		last = model_rules_last(rules, &subject);
		must(last == model_rules_last(rules, &subject));
		/* a guard only takes away */
		must(!model_rules_reach_below(rules, subject.path, true) ||
		     model_rules_reach_below(rules, subject.path, false));
		while (loom_str_line(&rules_text, &line))
			compare_negated(line, &subject);
	}
	model_rules_destroy(rules);
	loom_buf_fini(&normal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str s = fuzz_text(data, size, 0);
	size_t cut = loom_str_find(s, LOOM_STR("\n\n"), 0);

	if (size > 8192 || cut == SIZE_MAX)
		return 0;
	judge(loom_str_sub(s, 0, cut), loom_str_sub(s, cut + 2, s.n));
	return 0;
}
