/* Parses ignore files and matches their rules against paths, as git does.
 *
 * Rules are classified once, so that the common kinds (a plain name, `*.o`, a plain path) cost one
 * comparison. ignore_rules.c knows which files there are and which one wins. */
#include "inside.h"

/* Strips unescaped trailing blanks, but not tabs. */
static struct loom_str without_trailing_blanks(struct loom_str line)
{
	size_t keep = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '\\') {
			i++;
			if (i == line.n)
				return line;
			keep = i + 1;
		} else if (line.p[i] != ' ') {
			keep = i + 1;
		}
	}
	LOOM_ASSERT(keep <= line.n);
	return loom_str_sub(line, 0, keep);
}

static void add_rule(struct model_rules *rules, struct loom_str line, size_t number)
{
	struct model_rule rule = {.line = number, .written = line};
	struct loom_str p = line;

	LOOM_ASSERT(line.n > 0);
	rule.include = p.n && p.p[0] == '!';
	if (rule.include)
		p = loom_str_sub(p, 1, p.n);
	rule.folders = p.n && p.p[p.n - 1] == '/';
	if (rule.folders)
		p.n--;
	rule.anchored = p.n && memchr(p.p, '/', p.n);
	rule.suffix =
		p.n && p.p[0] == '*' && model_glob_literal(loom_str_sub(p, 1, p.n)) == p.n - 1;
	if (rule.anchored && p.p[0] == '/')
		p = loom_str_sub(p, 1, p.n);
	rule.pattern = p;
	rule.literal = model_glob_literal(p);
	LOOM_ASSERT(rule.literal <= p.n);
	if (rules->count == rules->cap) {
		rules->cap = rules->cap ? rules->cap * 2 : 8;
		rules->items = loom_realloc(rules->items, rules->cap, sizeof rule);
	}
	LOOM_ASSERT(rules->count < rules->cap);
	rules->items[rules->count++] = rule;
}

/* An empty line or a comment gives no rule; a line emptied by a NUL or blanks gives a rule that
 * matches nothing, which comes to the same. */
static void add_line(struct model_rules *rules, struct loom_str line, size_t number)
{
	size_t end = 0;

	if (!line.n || line.p[0] == '#')
		return;
	if (line.p[line.n - 1] == '\r')
		line.n--;
	end = loom_str_find_char(line, '\0', 0);
	if (end != SIZE_MAX)
		line.n = end;
	line = without_trailing_blanks(line);
	if (line.n)
		add_rule(rules, line, number);
}

struct model_rules *model_rules_parse(struct loom_str text)
{
	struct model_rules *rules = loom_alloc(sizeof *rules);
	struct loom_str rest;
	struct loom_str line;

	rules->text = loom_alloc(text.n + 1);
	if (text.n)
		memcpy(rules->text, text.p, text.n);
	rest = loom_str_make(rules->text, text.n);
	if (loom_str_starts(rest, LOOM_STR("\xEF\xBB\xBF")))
		rest = loom_str_sub(rest, 3, rest.n);
	for (size_t number = 1; loom_str_line(&rest, &line); number++)
		add_line(rules, line, number);
	return rules;
}

void model_rules_destroy(struct model_rules *rules)
{
	if (!rules)
		return;
	free(rules->items);
	free(rules->text);
	free(rules);
}

static bool matches_name(const struct model_rule *rule, struct loom_str name)
{
	struct loom_str p = rule->pattern;

	if (rule->literal == p.n)
		return loom_str_eq(p, name);
	if (rule->suffix)
		return p.n - 1 <= name.n &&
		       memcmp(p.p + 1, name.p + name.n - (p.n - 1), p.n - 1) == 0;
	return model_glob(p, name, false);
}

/* Compares the literal prefix separately, so that stars after it are at the start of the remaining
 * pattern; git treats `a/x**` like that too. */
static bool matches_path(const struct model_rule *rule, struct loom_str path)
{
	struct loom_str p = rule->pattern;
	size_t n = rule->literal;

	if (n > path.n || (n && memcmp(p.p, path.p, n) != 0))
		return false;
	p = loom_str_sub(p, n, p.n);
	path = loom_str_sub(path, n, path.n);
	return p.n ? model_glob(p, path, true) : !path.n;
}

bool model_rule_matches(const struct model_rule *rule, const struct model_subject *subject)
{
	LOOM_ASSERT(rule && subject);
	if (rule->folders && !subject->folder)
		return false;
	return rule->anchored ? matches_path(rule, subject->path)
			      : matches_name(rule, subject->name);
}

const struct model_rule *model_rules_last(const struct model_rules *rules,
					  const struct model_subject *subject)
{
	for (size_t i = rules ? rules->count : 0; i-- > 0;)
		if (model_rule_matches(&rules->items[i], subject))
			return &rules->items[i];
	return NULL;
}

/* Compares part by part; anything complicated is assumed to reach everywhere, since entering a
 * folder needlessly costs time, not correctness. */
static bool reaches_below(struct loom_str pattern, struct loom_str path)
{
	struct loom_str want;
	struct loom_str have;

	while (loom_str_cut(&path, '/', &have)) {
		if (!loom_str_cut(&pattern, '/', &want))
			return false;
		if (model_glob_literal(want) == want.n) {
			if (!loom_str_eq(want, have))
				return false;
			continue;
		}
		if (loom_str_find(want, LOOM_STR("**"), 0) != SIZE_MAX ||
		    memchr(want.p, '[', want.n) || memchr(want.p, '\\', want.n))
			return true;
		if (!model_glob(want, have, true))
			return false;
	}
	return pattern.p != NULL;
}

bool model_rules_reach_below(const struct model_rules *rules, struct loom_str path, bool guarded)
{
	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct model_rule *rule = &rules->items[i];

		if (rule->include &&
		    (rule->anchored ? reaches_below(rule->pattern, path) : !guarded))
			return true;
	}
	return false;
}
