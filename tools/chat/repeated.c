/* Whether a call stands in what the model was given: then it may repeat it rather than mean it. A
 * text that is the program's own, as a hint, is there to be repeated. */
#include "inside.h"

#include <loom/language/scan_lines.h>

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '\'' || (unsigned char)c >= 0x80;
}

/* Whether the text has the words of a call behind an arrow. */
static bool has_call(struct loom_str text, struct loom_str words)
{
	static const struct loom_str sign = LOOM_STR_INIT(LANG_ARROW);
	size_t at = 0;

	while ((at = loom_str_find(text, sign, at)) != SIZE_MAX) {
		at += lang_arrow(loom_str_sub(text, at, text.n));
		if (loom_str_eq_fold(loom_str_sub(text, at, words.n), words) &&
		    (at + words.n >= text.n || !is_word(text.p[at + words.n])))
			return true;
	}
	return false;
}

bool chat_was_given(const struct chat_log *log, const struct loom_call *call)
{
	const struct loom_assembly *assembly = &log->assembly;
	struct loom_str words = lang_trim(call->text);
	bool given = false;

	while (words.n && lang_is_closing(words.p[words.n - 1]))
		words.n--;
	if (!log->handed && has_call(log->input, words))
		return false; /* the person says so now */
	for (size_t i = 0; i < assembly->given_count; i++) {
		if (has_call(assembly->given[i].own, words))
			return false;
		given = given || has_call(assembly->given[i].text, words);
	}
	return given && call->verb != LOOM_VERB_THINK;
}
