#include <math.h>

#include "greatest.h"

#include <loom/cli/themes.h>

#include <loom/keys/theme.h>

static const char *const role_names[] = {
#define X(id, name, what) name,
	TUI_ROLE_LIST(X)
#undef X
};

static const enum tui_role grounds[] = {TUI_ROLE_TEXT, TUI_ROLE_BAR, TUI_ROLE_CURSOR,
					TUI_ROLE_RESTING, TUI_ROLE_SELECTED};

static struct tui_theme theme_at(size_t i)
{
	struct tui_theme theme = {.name = ""};
	const char *name;
	struct loom_str json;
	struct loom_err err;

	if (loom_theme_at(i, &name, &json) && tui_theme_parse(json, &theme, &err) != LOOM_OK) {
		fprintf(stderr, "%s: %s\n", name, err.text);
		abort();
	}
	return theme;
}

static size_t theme_count(void)
{
	const char *name;
	struct loom_str json;
	size_t n = 0;

	while (loom_theme_at(n, &name, &json))
		n++;
	return n;
}

TEST the_themes_that_must_be_there_are_there(void)
{
	static const char *const names[] = {"default", "dark", "light", "mono", "colourblind"};
	struct tui_theme theme;
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		ASSERT_EQ(LOOM_OK, tui_theme_named(loom_str_of(names[i]), &theme, &err));
	ASSERT_EQ(LOOM_NOT_FOUND, tui_theme_named(LOOM_STR("nord"), &theme, &err));
	ASSERT(strstr(err.hint, "colourblind"));
	PASS();
}

TEST there_are_ten_themes_for_dark_and_for_light(void)
{
	size_t dark = 0;
	size_t light = 0;

	for (size_t i = 0; i < theme_count(); i++) {
		dark += theme_at(i).background == TUI_BACKGROUND_DARK;
		light += theme_at(i).background == TUI_BACKGROUND_LIGHT;
	}
	ASSERT(theme_count() >= 10);
	ASSERT(dark >= 3 && light >= 3);
	PASS();
}

/* A draft is no error, on no terminal. */
TEST a_draft_has_never_the_colour_of_an_error(void)
{
	for (size_t i = 0; i < theme_count(); i++) {
		static struct tui_theme theme;

		theme = theme_at(i);
		for (int depth = TUI_DEPTH_16; depth <= TUI_DEPTH_TRUE; depth++) {
			const struct tui_style draft =
				tui_theme_style(&theme, (enum tui_depth)depth, TUI_INK(DRAFT));
			const struct tui_style error =
				tui_theme_style(&theme, (enum tui_depth)depth, TUI_INK(ERROR));

			ASSERTm(theme.name,
				draft.fg == TUI_COLOUR_DEFAULT ||
					(draft.fg != error.fg &&
					 (depth != TUI_DEPTH_16 || draft.fg % 8 != error.fg % 8)));
		}
	}
	PASS();
}

TEST every_theme_says_every_role(void)
{
	for (size_t i = 0; i < theme_count(); i++) {
		const char *name;
		struct loom_str json;
		loom_theme_at(i, &name, &json);
		for (int role = 0; role < TUI_ROLES; role++) {
			char key[64];
			snprintf(key, sizeof(key), "\"%s\":", role_names[role]);
			ASSERTm(key, loom_str_find(json, loom_str_of(key), 0) != SIZE_MAX);
		}
	}
	PASS();
}

static uint32_t rgb_of(int32_t colour, uint32_t standard)
{
	if (colour == TUI_COLOUR_DEFAULT)
		return standard;
	return colour & TUI_COLOUR_RGB ? (uint32_t)colour & 0xffffff : tui_colour_rgb(colour);
}

static double channel(uint32_t value)
{
	double c = value / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
	return 0.2126 * channel(rgb >> 16 & 255) + 0.7152 * channel(rgb >> 8 & 255) +
	       0.0722 * channel(rgb & 255);
}

/* The contrast of two colours as WCAG 2 counts it, times 100: 100 to 2100. */
static int contrast_of(uint32_t a, uint32_t b)
{
	double la = luminance(a) + 0.05;
	double lb = luminance(b) + 0.05;

	return (int)(100.0 * (la > lb ? la / lb : lb / la));
}

/* The contrast of a role upon a ground, on a terminal of that paper and ink. */
static int contrast(const struct tui_theme *theme, enum tui_depth depth, struct tui_ink ink,
		    const uint32_t paper_and_ink[2])
{
	struct tui_style style = tui_theme_style(theme, depth, ink);

	return contrast_of(rgb_of(style.fg, paper_and_ink[1]), rgb_of(style.bg, paper_and_ink[0]));
}

static int needed(const struct tui_theme *theme, int role)
{
	if (role == TUI_ROLE_BORDER)
		return 300;
	/* On a ground one does not know, no colour can do better on both sides. */
	return theme->background == TUI_BACKGROUND_TERMINAL ? 390 : 450;
}

TEST every_role_can_be_read_on_every_ground(void)
{
	static const uint32_t papers[][2] = {{0x000000, 0xe5e5e5}, {0xffffff, 0x000000}};

	for (size_t i = 0; i < theme_count(); i++) {
		struct tui_theme theme = theme_at(i);
		for (int role = 0; role < TUI_ROLES; role++) {
			for (size_t g = 0; g < LOOM_COUNT(grounds); g++) {
				struct tui_ink ink = {(uint8_t)role, (uint8_t)grounds[g], 0};
				if (role == TUI_ROLE_BORDER && g > 0)
					continue;
				for (int p = 0; p < 2; p++) {
					int c = contrast(&theme, TUI_DEPTH_256, ink, papers[p]);
					int t = contrast(&theme, TUI_DEPTH_TRUE, ink, papers[p]);
					if (c < needed(&theme, role) * 85 / 100 ||
					    t < needed(&theme, role))
						fprintf(stderr, "%s %s on %s: %d %d\n", theme.name,
							role_names[role], role_names[grounds[g]], c,
							t);
					ASSERT(t >= needed(&theme, role));
					/* The palette is coarser. */
					ASSERT(c >= needed(&theme, role) * 85 / 100);
				}
			}
		}
	}
	PASS();
}

/* Known by the terminal's word: whichever it is, what is coloured can be read better there than in
 * colours that are for any. */
TEST the_default_theme_suits_a_ground_that_the_terminal_has_told(void)
{
	size_t known = 0;

	for (uint32_t i = 0; i < 4096; i++) {
		uint32_t paper = (i >> 8) * 0x110000 + (i >> 4 & 15) * 0x1100 + (i & 15) * 0x11;
		uint32_t both[] = {paper, luminance(paper) < 0.18 ? 0xffffff : 0};
		struct tui_theme theme;
		enum tui_background ground;
		char reply[40];

		snprintf(reply, sizeof reply, "11;rgb:%02x/%02x/%02x", paper >> 16,
			 paper >> 8 & 255, paper & 255);
		ground = tui_theme_ground(loom_str_of(reply));
		ASSERT_EQ(LOOM_OK, tui_theme_named(LOOM_STR("default"), &theme, NULL));
		tui_theme_upon(&theme, ground);
		known += ground != TUI_BACKGROUND_TERMINAL;
		for (int role = 0; role < TUI_ROLES && ground != TUI_BACKGROUND_TERMINAL; role++) {
			struct tui_ink ink = {.role = (uint8_t)role};

			if (theme.looks[role].bg.set)
				continue;
			ASSERTm(role_names[role],
				contrast(&theme, TUI_DEPTH_TRUE, ink, both) >= 450);
			ASSERTm(role_names[role],
				contrast(&theme, TUI_DEPTH_256, ink, both) >= 400);
		}
	}
	printf("%zu of 4096 grounds are dark or light\n", known);
	ASSERT_EQ(TUI_BACKGROUND_DARK, tui_theme_ground(LOOM_STR("11;rgb:0000/0000/0000")));
	ASSERT_EQ(TUI_BACKGROUND_DARK, tui_theme_ground(LOOM_STR("11;rgb:2828/2a2a/3636")));
	ASSERT_EQ(TUI_BACKGROUND_DARK, tui_theme_ground(LOOM_STR("11;rgb:0/2b/36")));
	ASSERT_EQ(TUI_BACKGROUND_LIGHT, tui_theme_ground(LOOM_STR("11;rgb:ffff/ffff/ffff")));
	ASSERT_EQ(TUI_BACKGROUND_LIGHT, tui_theme_ground(LOOM_STR("11;rgb:fdfd/f6f6/e3e3")));
	PASS();
}

/* The grounds that terminals and their commonest themes come with. */
TEST the_default_theme_suits_the_twenty_commonest_grounds(void)
{
	static const char *const papers[] = {"00/00/00", "ff/ff/ff", "1e/1e/1e", "30/0a/24",
					     "2e/34/36", "0c/0c/0c", "01/24/56", "00/2b/36",
					     "fd/f6/e3", "28/2a/36", "28/28/28", "fb/f1/c7",
					     "2e/34/40", "1a/1b/26", "1e/1e/2e", "28/2c/34",
					     "fa/fa/fa", "27/28/22", "1d/1f/21", "0d/11/17"};

	ASSERT_EQ(20, LOOM_COUNT(papers));
	for (size_t i = 0; i < LOOM_COUNT(papers); i++) {
		const uint32_t paper = (uint32_t)strtoul(papers[i], NULL, 16) << 16 |
				       (uint32_t)strtoul(papers[i] + 3, NULL, 16) << 8 |
				       (uint32_t)strtoul(papers[i] + 6, NULL, 16);
		const uint32_t both[] = {paper, luminance(paper) < 0.18 ? 0xffffff : 0};
		struct tui_theme theme;
		enum tui_background ground;
		char reply[40];

		snprintf(reply, sizeof reply, "11;rgb:%s", papers[i]);
		ground = tui_theme_ground(loom_str_of(reply));
		ASSERTm(papers[i], ground != TUI_BACKGROUND_TERMINAL);
		ASSERT_EQ(LOOM_OK, tui_theme_named(LOOM_STR("default"), &theme, NULL));
		tui_theme_upon(&theme, ground);
		for (int role = 0; role < TUI_ROLES; role++) {
			const struct tui_ink ink = {.role = (uint8_t)role};

			if (!theme.looks[role].bg.set)
				ASSERTm(papers[i],
					contrast(&theme, TUI_DEPTH_TRUE, ink, both) >= 450);
		}
	}
	PASS();
}

TEST what_is_no_ground_changes_no_theme(void)
{
	static const char *const replies[] = {"",
					      "11",
					      "11;rgb:",
					      "11;rgb:0/0",
					      "11;rgb:0/0/",
					      "11;rgb:0/0/g",
					      "11;rgb:00000/0/0",
					      "10;rgb:0/0/0",
					      "2;3R",
					      "11;rgb:8080/8080/8080"};
	struct tui_theme theme;
	struct tui_theme before;

	for (size_t i = 0; i < LOOM_COUNT(replies); i++)
		ASSERT_EQ(TUI_BACKGROUND_TERMINAL, tui_theme_ground(loom_str_of(replies[i])));
	for (size_t i = 0; i < theme_count(); i++) {
		theme = before = theme_at(i);
		if (theme.background == TUI_BACKGROUND_TERMINAL)
			continue;
		tui_theme_upon(&theme, TUI_BACKGROUND_LIGHT);
		ASSERT_MEM_EQ(&before, &theme, sizeof theme);
	}
	PASS();
}

/* Where a theme says what ground it is for, the sixteen colours of a terminal must read on it. */
TEST sixteen_colours_can_be_read_on_the_ground_a_theme_is_for(void)
{
	for (size_t i = 0; i < theme_count(); i++) {
		struct tui_theme theme = theme_at(i);
		const bool dark = theme.background == TUI_BACKGROUND_DARK;
		const uint32_t paper_and_ink[2] = {dark ? 0x000000 : 0xffffff,
						   dark ? 0xe5e5e5 : 0x000000};

		for (int role = 0; role < TUI_ROLES; role++) {
			struct tui_ink ink = {(uint8_t)role, TUI_ROLE_TEXT, 0};
			int c = contrast(&theme, TUI_DEPTH_16, ink, paper_and_ink);

			if (theme.background == TUI_BACKGROUND_TERMINAL)
				continue;
			if (c < 300)
				fprintf(stderr, "%s %s: %d\n", theme.name, role_names[role], c);
			ASSERT(c >= 300);
		}
	}
	PASS();
}

/* --- who sees fewer colours --- */

static const enum tui_role authors[] = {TUI_ROLE_HUMAN,   TUI_ROLE_MODEL,   TUI_ROLE_AGENT_1,
					TUI_ROLE_AGENT_2, TUI_ROLE_AGENT_3, TUI_ROLE_AGENT_4};

static double linear(uint32_t channel)
{
	double c = (double)(channel & 255) / 255;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double bent(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* As CIELAB, seen with a kind of cones missing (0: none; 1 long, 2 middle, 3 short). */
static void seen(uint32_t rgb, int missing, double out[3])
{
	static const double eyes[4][9] = {
		{1, 0, 0, 0, 1, 0, 0, 0, 1},
		{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116,
		 1.051998},
		{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940,
		 0.968881},
		{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
		 0.303900},
	};
	const double c[3] = {linear(rgb >> 16), linear(rgb >> 8), linear(rgb)};
	const double *eye = eyes[missing];
	double s[3];
	double x, y, z;

	for (int i = 0; i < 3; i++) {
		s[i] = eye[3 * i] * c[0] + eye[3 * i + 1] * c[1] + eye[3 * i + 2] * c[2];
		s[i] = s[i] < 0 ? 0 : s[i] > 1 ? 1 : s[i];
	}
	x = bent((.4124 * s[0] + .3576 * s[1] + .1805 * s[2]) / .95047);
	y = bent(.2126 * s[0] + .7152 * s[1] + .0722 * s[2]);
	z = bent((.0193 * s[0] + .1192 * s[1] + .9505 * s[2]) / 1.08883);
	out[0] = 116 * y - 16;
	out[1] = 500 * (x - y);
	out[2] = 200 * (y - z);
}

static double apart(uint32_t a, uint32_t b, int missing)
{
	double p[3], q[3];

	seen(a, missing, p);
	seen(b, missing, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
		    (p[2] - q[2]) * (p[2] - q[2]));
}

static struct tui_theme colourblind(void)
{
	struct tui_theme theme = {.name = ""};
	struct loom_err err;

	(void)!tui_theme_named(LOOM_STR("colourblind"), &theme, &err);
	return theme;
}

TEST authors_stay_apart_for_whoever_sees_fewer_colours(void)
{
	struct tui_theme theme = colourblind();

	for (size_t i = 0; i < LOOM_COUNT(authors); i++) {
		for (size_t k = 0; k < i; k++) {
			const struct tui_style a =
				tui_theme_style(&theme, TUI_DEPTH_TRUE,
						(struct tui_ink){(uint8_t)authors[i], TUI_ROLE_TEXT,
								 0});
			const struct tui_style b =
				tui_theme_style(&theme, TUI_DEPTH_TRUE,
						(struct tui_ink){(uint8_t)authors[k], TUI_ROLE_TEXT,
								 0});

			for (int missing = 0; missing < 4; missing++)
				ASSERT(apart(rgb_of(a.fg, 0), rgb_of(b.fg, 0), missing) > 20);
		}
	}
	PASS();
}

/* Of the sixteen, red and green are what is mixed up; authors differ at least by weight. */
TEST the_theme_for_them_has_neither_red_nor_green_of_the_sixteen(void)
{
	struct tui_theme theme = colourblind();

	for (int role = 0; role < TUI_ROLES; role++) {
		const struct tui_style style =
			tui_theme_style(&theme, TUI_DEPTH_16,
					(struct tui_ink){(uint8_t)role, TUI_ROLE_TEXT, 0});

		ASSERT(style.fg % 8 != 1 && style.fg % 8 != 2);
		ASSERT(style.bg % 8 != 1 && style.bg % 8 != 2);
	}
	for (size_t i = 0; i < LOOM_COUNT(authors); i++) {
		for (size_t k = 0; k < i; k++) {
			const struct tui_style a =
				tui_theme_style(&theme, TUI_DEPTH_16,
						(struct tui_ink){(uint8_t)authors[i], TUI_ROLE_TEXT,
								 0});
			const struct tui_style b =
				tui_theme_style(&theme, TUI_DEPTH_16,
						(struct tui_ink){(uint8_t)authors[k], TUI_ROLE_TEXT,
								 0});

			ASSERT(a.fg != b.fg || a.attr != b.attr);
		}
	}
	PASS();
}

/* Meaning never by colour alone: what must be told apart differs without colours too. */
TEST without_colours_what_matters_still_stands_out(void)
{
	static const enum tui_role loud[] = {TUI_ROLE_STRONG, TUI_ROLE_TITLE,  TUI_ROLE_ERROR,
					     TUI_ROLE_WARN,   TUI_ROLE_UNSEEN, TUI_ROLE_MATCH,
					     TUI_ROLE_MARK,   TUI_ROLE_PATH,   TUI_ROLE_REMOVED,
					     TUI_ROLE_ADDED,  TUI_ROLE_CALL,   TUI_ROLE_DRAFT,
					     TUI_ROLE_PRUNED};

	for (size_t i = 0; i < theme_count(); i++) {
		struct tui_theme theme = theme_at(i);
		struct tui_style style;
		for (size_t r = 0; r < LOOM_COUNT(loud); r++) {
			style = tui_theme_style(&theme, TUI_DEPTH_MONO,
						(struct tui_ink){(uint8_t)loud[r], 0, 0});
			ASSERT_EQ(TUI_COLOUR_DEFAULT, style.fg);
			ASSERTm(role_names[loud[r]], style.attr != 0);
		}
		for (size_t g = 1; g < LOOM_COUNT(grounds); g++) {
			struct tui_ink ink = {0, (uint8_t)grounds[g], 0};
			ASSERT(tui_theme_style(&theme, TUI_DEPTH_MONO, ink).attr != 0);
			style = tui_theme_style(&theme, TUI_DEPTH_16, ink);
			ASSERT(style.attr != 0 || style.bg != TUI_COLOUR_DEFAULT);
			ASSERT(style.bg < 16 && style.fg < 16);
		}
	}
	PASS();
}

TEST the_default_theme_keeps_the_ground_of_the_terminal(void)
{
	struct tui_theme theme;

	ASSERT_EQ(LOOM_OK, tui_theme_named(LOOM_STR("default"), &theme, NULL));
	for (int depth = 0; depth <= TUI_DEPTH_TRUE; depth++) {
		struct tui_style style =
			tui_theme_style(&theme, (enum tui_depth)depth, TUI_INK(TEXT));
		ASSERT_EQ(TUI_COLOUR_DEFAULT, style.bg);
		ASSERT_EQ(TUI_COLOUR_DEFAULT, style.fg);
	}
	PASS();
}

TEST a_broken_theme_is_refused_with_the_part_that_is_wrong(void)
{
	static const char *const bad[][2] = {
		{"{", ""},
		{"[]", "name"},
		{"{\"name\":\"x\",\"roles\":{}}", "background"},
		{"{\"name\":\"x\",\"background\":\"dark\"}", "roles"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"txt\":{}}}", "txt"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"text\":{\"fg\":\"#12345\"}}"
		 "}",
		 "fg"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"text\":{\"fg\":256}}}",
		 "fg"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"text\":{\"attr\":\"loud\"}}"
		 "}",
		 "attr"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"text\":{\"fg16\":\"beige\"}}"
		 "}",
		 "sixteen"},
		{"{\"name\":\"x\",\"background\":\"dark\",\"roles\":{\"text\":7}}", "text"},
	};
	struct tui_theme theme;
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERT(tui_theme_parse(loom_str_of(bad[i][0]), &theme, &err) != LOOM_OK);
		ASSERTm(bad[i][0], strstr(err.text, bad[i][1]));
	}
	PASS();
}

TEST colours_come_down_to_the_nearest_of_the_palette(void)
{
	ASSERT_EQ(196, tui_colour_256(255, 0, 0));
	ASSERT_EQ(16, tui_colour_256(0, 0, 0));
	ASSERT_EQ(231, tui_colour_256(255, 255, 255));
	ASSERT_EQ(244, tui_colour_256(0x80, 0x80, 0x80));
	ASSERT_EQ_FMT(2100, contrast_of(0, 0xffffff), "%d");
	ASSERT_EQ_FMT(100, contrast_of(0x123456, 0x123456), "%d");
	PASS();
}

SUITE(theme)
{
	RUN_TEST(the_themes_that_must_be_there_are_there);
	RUN_TEST(there_are_ten_themes_for_dark_and_for_light);
	RUN_TEST(a_draft_has_never_the_colour_of_an_error);
	RUN_TEST(every_theme_says_every_role);
	RUN_TEST(every_role_can_be_read_on_every_ground);
	RUN_TEST(the_default_theme_suits_a_ground_that_the_terminal_has_told);
	RUN_TEST(the_default_theme_suits_the_twenty_commonest_grounds);
	RUN_TEST(what_is_no_ground_changes_no_theme);
	RUN_TEST(sixteen_colours_can_be_read_on_the_ground_a_theme_is_for);
	RUN_TEST(authors_stay_apart_for_whoever_sees_fewer_colours);
	RUN_TEST(the_theme_for_them_has_neither_red_nor_green_of_the_sixteen);
	RUN_TEST(without_colours_what_matters_still_stands_out);
	RUN_TEST(the_default_theme_keeps_the_ground_of_the_terminal);
	RUN_TEST(a_broken_theme_is_refused_with_the_part_that_is_wrong);
	RUN_TEST(colours_come_down_to_the_nearest_of_the_palette);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(theme);
	GREATEST_MAIN_END();
}
