/* Lower case by the C library's UTF-8 table, which every Debian has without a locale package. */
#include <loom/text/lower.h>

#include <locale.h>
#include <wctype.h>

#include <loom/base/utf8.h>

void model_lower_init(struct model_lower *lower)
{
	lower->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
}

void model_lower_fini(struct model_lower *lower)
{
	if (lower->locale)
		freelocale(lower->locale);
	lower->locale = NULL;
}

uint32_t model_lower_cp(const struct model_lower *lower, uint32_t cp)
{
	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
	return lower->locale ? (uint32_t)towlower_l((wint_t)cp, lower->locale) : cp;
}

void model_lower_text(const struct model_lower *lower, struct loom_str s, struct loom_buf *out)
{
	LOOM_ASSERT(lower && loom_str_ok(s));
	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t cp = loom_utf8_next(s, &at);

		if (cp == LOOM_CP_BAD)
			loom_buf_addc(out, s.p[start]);
		else
			loom_buf_add_cp(out, model_lower_cp(lower, cp));
	}
}
