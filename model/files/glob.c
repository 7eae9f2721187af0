/* git's wildcard match, without recursion.
 *
 * Two places to backtrack to are enough: the last star that stops at slashes and, before it, the
 * last one that crosses them. An earlier star never needs another try, since the later one can take
 * whatever it could still take. A hostile pattern costs at most the cube of short lengths. */
#include "inside.h"

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

size_t model_glob_literal(struct loom_str s)
{
	size_t n = 0;

	while (n < s.n && !is_special(s.p[n]))
		n++;
	return n;
}

static unsigned char at(struct loom_str s, size_t i)
{
	return i < s.n ? (unsigned char)s.p[i] : '\0';
}

static bool is_lower(unsigned char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(unsigned char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_alpha(unsigned char c)
{
	return is_lower(c) || is_upper(c);
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(unsigned char c)
{
	return is_alpha(c) || is_digit(c);
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7F;
}

/* git's white space excludes form feed and vertical tab. */
static bool is_space(unsigned char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

static bool is_print(unsigned char c)
{
	return c >= 0x20 && c <= 0x7E;
}

static bool is_graph(unsigned char c)
{
	return is_print(c) && c != ' ';
}

static bool is_punct(unsigned char c)
{
	return is_graph(c) && !is_alnum(c);
}

static bool is_hex(unsigned char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const struct {
	struct loom_str name;
	bool (*has)(unsigned char c);
} classes[] = {
	{LOOM_STR_INIT("alnum"), is_alnum}, {LOOM_STR_INIT("alpha"), is_alpha},
	{LOOM_STR_INIT("blank"), is_blank}, {LOOM_STR_INIT("cntrl"), is_control},
	{LOOM_STR_INIT("digit"), is_digit}, {LOOM_STR_INIT("graph"), is_graph},
	{LOOM_STR_INIT("lower"), is_lower}, {LOOM_STR_INIT("print"), is_print},
	{LOOM_STR_INIT("punct"), is_punct}, {LOOM_STR_INIT("space"), is_space},
	{LOOM_STR_INIT("upper"), is_upper}, {LOOM_STR_INIT("xdigit"), is_hex},
};

enum outcome { NO, YES, BROKEN };

static enum outcome named_class(struct loom_str name, unsigned char c)
{
	for (size_t i = 0; i < LOOM_COUNT(classes); i++)
		if (loom_str_eq(classes[i].name, name))
			return classes[i].has(c) ? YES : NO;
	return BROKEN;
}

/* Reads a named class at *i, if there is one: moves *i to its last byte and sets *out. Without its
 * end, the bracket is an ordinary member. */
static bool class_at(struct loom_str p, size_t *i, unsigned char c, enum outcome *out)
{
	size_t from = *i + 2;
	size_t end = 0;

	if (at(p, *i) != '[' || at(p, *i + 1) != ':')
		return false;
	end = loom_str_find_char(p, ']', from);
	if (end == SIZE_MAX) {
		*out = BROKEN;
		return true;
	}
	if (end == from || at(p, end - 1) != ':')
		return false;
	*i = end;
	*out = named_class(loom_str_sub(p, from, end - 1 - from), c);
	LOOM_ASSERT(end > from && end < p.n);
	return true;
}

/* Returns the byte at *i, or the one after a backslash there, and moves *i to it; 0 at the end. */
static unsigned char unescaped(struct loom_str p, size_t *i)
{
	return at(p, *i) == '\\' ? at(p, ++*i) : at(p, *i);
}

/* Matches one member of a bracket expression at *i: moves *i to its last byte and sets *prev to the
 * byte that may start a range, 0 if none. */
static enum outcome member(struct loom_str p, size_t *i, unsigned char *prev, unsigned char c)
{
	unsigned char low = *prev;
	unsigned char next = at(p, *i + 1);
	enum outcome one = NO;

	LOOM_ASSERT(*i < p.n);
	*prev = 0;
	if (at(p, *i) == '-' && low && next && next != ']') {
		++*i;
		next = unescaped(p, i);
		if (!next)
			return BROKEN;
		return c >= low && c <= next ? YES : NO;
	}
	if (class_at(p, i, c, &one))
		return one;
	*prev = unescaped(p, i);
	if (!*prev)
		return BROKEN;
	return *prev == c ? YES : NO;
}

/* Matches `c` against the bracket expression at *i; moves *i past it. */
static enum outcome bracket(struct loom_str p, size_t *i, unsigned char c)
{
	unsigned char prev = 0;
	bool in = false;
	bool negated = false;

	LOOM_ASSERT(at(p, *i) == '[');
	++*i;
	if (at(p, *i) == '!' || at(p, *i) == '^') {
		negated = true;
		++*i;
	}
	do {
		enum outcome one = at(p, *i) ? member(p, i, &prev, c) : BROKEN;

		if (one == BROKEN)
			return BROKEN;
		in = in || one == YES;
		++*i;
	} while (at(p, *i) != ']');
	++*i;
	return in != negated ? YES : NO;
}

/* A star to backtrack to: resume with the pattern at p and the text at t. */
struct retry {
	bool on;
	size_t p;
	size_t t;
};

struct match {
	struct loom_str pattern;
	struct loom_str text;
	bool paths;
	size_t p;
	size_t t;
	struct retry within; /* a star that stops at slashes */
	struct retry across; /* a star that crosses them */
};

/* Matches one pattern byte, escape or bracket against one text byte. */
static enum outcome step(struct match *m)
{
	unsigned char c = at(m->text, m->t);
	unsigned char p = at(m->pattern, m->p);
	enum outcome one = NO;

	if (m->t >= m->text.n || m->p >= m->pattern.n)
		return NO;
	m->t++;
	if (p == '[') {
		one = bracket(m->pattern, &m->p, c);
		return one == YES && m->paths && c == '/' ? NO : one;
	}
	m->p++;
	if (p == '?')
		return m->paths && c == '/' ? NO : YES;
	if (p == '\\')
		p = at(m->pattern, m->p++);
	return p == c ? YES : NO;
}

/* Takes the stars at the current place and records where to resume. */
static void star(struct match *m)
{
	size_t first = m->p;
	bool slash_before = first == 0 || at(m->pattern, first - 1) == '/';
	bool crosses = !m->paths;
	unsigned char next = 0;

	LOOM_ASSERT(at(m->pattern, m->p) == '*');
	while (at(m->pattern, m->p) == '*')
		m->p++;
	next = at(m->pattern, m->p);
	if (m->paths && m->p - first > 1 && slash_before)
		crosses = m->p == m->pattern.n || next == '/' ||
			  (next == '\\' && at(m->pattern, m->p + 1) == '/');
	if (!crosses) {
		m->within = (struct retry){true, m->p, m->t + 1};
		return;
	}
	m->within.on = false;
	m->across = (struct retry){true, m->p, m->t + 1};
	if (m->paths && next == '/') {
		/* A double star and its slash may also match nothing. */
		m->across.t = m->t;
		m->p++;
	}
}

/* Backtracks to the last star that can take one more byte. */
static bool back(struct match *m)
{
	if (m->within.on && m->within.t <= m->text.n && at(m->text, m->within.t - 1) != '/') {
		m->p = m->within.p;
		m->t = m->within.t++;
		LOOM_ASSERT(m->t <= m->text.n);
		return true;
	}
	m->within.on = false;
	if (!m->across.on || m->across.t > m->text.n)
		return false;
	m->p = m->across.p;
	m->t = m->across.t++;
	LOOM_ASSERT(m->t <= m->text.n);
	return true;
}

/* A final star takes the rest. */
static bool rest_is_taken(const struct match *m)
{
	return m->p == m->pattern.n && m->across.on && !m->within.on && m->p == m->across.p;
}

bool model_glob(struct loom_str pattern, struct loom_str text, bool paths)
{
	struct match m = {.pattern = pattern, .text = text, .paths = paths};

	LOOM_ASSERT(loom_str_ok(pattern) && loom_str_ok(text));
	for (;;) {
		enum outcome one = NO;

		if (m.p == pattern.n && m.t == text.n)
			return true;
		if (at(pattern, m.p) == '*') {
			star(&m);
			if (rest_is_taken(&m))
				return true;
			continue;
		}
		one = step(&m);
		if (one == BROKEN || (one == NO && !back(&m)))
			return false;
	}
}
