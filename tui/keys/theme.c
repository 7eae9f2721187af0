/* Reads themes and reduces their colours to those of a terminal. Pairs and escape sequences are
 * made in blit.c; files are read by the callers. */
#include <loom/keys/theme.h>

#include <loom/base/json.h>
#include <loom/cli/themes.h>

static const char *const role_names[] = {
#define X(id, name, what) [TUI_ROLE_##id] = name,
	TUI_ROLE_LIST(X)
#undef X
};

static const char *const colour_names[] = {"black", "red",     "green", "yellow",
					   "blue",  "magenta", "cyan",  "white"};

static const struct {
	const char *name;
	enum tui_attr attr;
} attr_names[] = {
	{"bold", TUI_BOLD},           {"dim", TUI_DIM},         {"italic", TUI_ITALIC},
	{"underline", TUI_UNDERLINE}, {"reverse", TUI_REVERSE}, {"strike", TUI_STRIKE},
};

/* --- colours --- */

static const uint8_t cube_steps[6] = {0, 95, 135, 175, 215, 255};

uint32_t tui_colour_rgb(int number)
{
	static const uint32_t first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
					   0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
					   0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					   0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	uint32_t grey;

	if (number < 16)
		return first[number & 15];
	if (number < 232) {
		int cube = number - 16;
		return (uint32_t)cube_steps[cube / 36] << 16 |
		       (uint32_t)cube_steps[cube / 6 % 6] << 8 | cube_steps[cube % 6];
	}
	grey = (uint32_t)(8 + (number - 232) * 10);
	return grey << 16 | grey << 8 | grey;
}

static int apart(uint32_t rgb, int r, int g, int b)
{
	int dr = (int)(rgb >> 16) - r;
	int dg = (int)(rgb >> 8 & 255) - g;
	int db = (int)(rgb & 255) - b;

	return 3 * dr * dr + 4 * dg * dg + 2 * db * db;
}

int tui_colour_256(uint8_t r, uint8_t g, uint8_t b)
{
	int best = 16;

	for (int i = 17; i < 256; i++) {
		if (apart(tui_colour_rgb(i), r, g, b) < apart(tui_colour_rgb(best), r, g, b))
			best = i;
	}
	return best;
}

/* The luminance limits of backgrounds on which every colour of the dark or the light theme has a
 * contrast of 4.5. */
#define DARK_MOST   0.042
#define LIGHT_LEAST 0.85

/* --- reading --- */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

static bool hex_colour(struct loom_str text, struct tui_colour *out)
{
	uint32_t rgb = 0;

	if (text.n != 7 || text.p[0] != '#')
		return false;
	for (size_t i = 1; i < 7; i++) {
		int digit = hex_digit(text.p[i]);
		if (digit < 0)
			return false;
		rgb = rgb << 4 | (uint32_t)digit;
	}
	*out = (struct tui_colour){.set = true,
				   .r = (uint8_t)(rgb >> 16),
				   .g = (uint8_t)(rgb >> 8),
				   .b = (uint8_t)rgb,
				   .c16 = -1};
	out->c256 = (int16_t)tui_colour_256(out->r, out->g, out->b);
	return true;
}

static bool number_colour(double number, struct tui_colour *out)
{
	uint32_t rgb;

	if (number < 0 || number > 255 || number != (int)number)
		return false;
	rgb = tui_colour_rgb((int)number);
	*out = (struct tui_colour){.set = true,
				   .palette = true,
				   .r = (uint8_t)(rgb >> 16),
				   .g = (uint8_t)(rgb >> 8),
				   .b = (uint8_t)rgb,
				   .c256 = (int16_t)number,
				   .c16 = -1};
	return true;
}

static bool colour_parse(const cJSON *value, struct tui_colour *out)
{
	struct loom_str text;

	if (cJSON_IsNumber(value))
		return number_colour(value->valuedouble, out);
	if (!cJSON_IsString(value))
		return false;
	text = loom_str_of(value->valuestring);
	if (!loom_str_is(text, "default"))
		return hex_colour(text, out);
	*out = (struct tui_colour){.set = true, .standard = true, .c256 = -1, .c16 = -1};
	return true;
}

static bool colour16_parse(const cJSON *value, int16_t *out)
{
	struct loom_str name =
		cJSON_IsString(value) ? loom_str_of(value->valuestring) : LOOM_STR("");
	int16_t bright = 0;

	if (loom_str_starts(name, LOOM_STR("bright "))) {
		bright = 8;
		name = loom_str_sub(name, 7, name.n);
	}
	for (size_t i = 0; i < LOOM_COUNT(colour_names); i++) {
		if (loom_str_is(name, colour_names[i])) {
			*out = (int16_t)(bright + (int16_t)i);
			return true;
		}
	}
	return false;
}

static bool attr_parse(const cJSON *value, uint8_t *out)
{
	struct loom_str rest, word;

	if (!cJSON_IsString(value))
		return false;
	rest = loom_str_of(value->valuestring);
	*out = 0;
	while (rest.n > 0 && loom_str_cut(&rest, ' ', &word)) {
		bool known = word.n == 0;
		for (size_t i = 0; i < LOOM_COUNT(attr_names); i++) {
			if (!loom_str_is(word, attr_names[i].name))
				continue;
			*out |= (uint8_t)attr_names[i].attr;
			known = true;
		}
		if (!known)
			return false;
	}
	return true;
}

static bool look_part(const cJSON *part, struct tui_look *look)
{
	struct loom_str key = loom_str_of(part->string);

	if (loom_str_is(key, "fg"))
		return colour_parse(part, &look->fg);
	if (loom_str_is(key, "bg"))
		return colour_parse(part, &look->bg);
	if (loom_str_is(key, "attr"))
		return attr_parse(part, &look->attr);
	if (loom_str_is(key, "mono"))
		return attr_parse(part, &look->mono);
	if (loom_str_is(key, "over") && cJSON_IsBool(part)) {
		look->over = cJSON_IsTrue(part);
		return true;
	}
	return loom_str_is(key, "fg16") || loom_str_is(key, "bg16");
}

/* Read last: a foreground of the sixteen depends on the background of the sixteen. */
static bool look_sixteen(const cJSON *role, struct tui_look *look)
{
	const cJSON *fg = loom_json_get(role, "fg16");
	const cJSON *bg = loom_json_get(role, "bg16");

	return (!fg || colour16_parse(fg, &look->fg.c16)) &&
	       (!bg || colour16_parse(bg, &look->bg.c16));
}

static enum loom_status look_parse(const cJSON *role, struct tui_look *look, struct loom_err *err)
{
	const cJSON *part;

	*look = (struct tui_look){.fg = {.c16 = -1, .c256 = -1}, .bg = {.c16 = -1, .c256 = -1}};
	if (!cJSON_IsObject(role))
		return loom_fail(err, LOOM_INVALID, "role \"%s\" is not an object", role->string);
	cJSON_ArrayForEach(part, role)
	{
		if (!look_part(part, look))
			return loom_fail(err, LOOM_INVALID, "role \"%s\": \"%s\" is not understood",
					 role->string, part->string);
	}
	if (!look_sixteen(role, look))
		return loom_fail(err, LOOM_INVALID, "role \"%s\": not one of the sixteen colours",
				 role->string);
	return LOOM_OK;
}

static int role_find(const char *name)
{
	for (int i = 0; i < TUI_ROLES; i++) {
		if (strcmp(name, role_names[i]) == 0)
			return i;
	}
	return -1;
}

static enum loom_status roles_parse(const cJSON *roles, struct tui_theme *theme,
				    struct loom_err *err)
{
	const cJSON *role;
	enum loom_status status = LOOM_OK;

	if (!cJSON_IsObject(roles))
		return loom_fail(err, LOOM_INVALID, "a theme needs an object \"roles\"");
	cJSON_ArrayForEach(role, roles)
	{
		int index = role_find(role->string);
		if (index < 0)
			return loom_fail(err, LOOM_INVALID, "there is no role \"%s\"",
					 role->string);
		status = look_parse(role, &theme->looks[index], err);
		if (status != LOOM_OK)
			return status;
	}
	return LOOM_OK;
}

static bool background_parse(struct loom_str name, enum tui_background *out)
{
	*out = loom_str_is(name, "dark")    ? TUI_BACKGROUND_DARK
	       : loom_str_is(name, "light") ? TUI_BACKGROUND_LIGHT
					    : TUI_BACKGROUND_TERMINAL;
	return *out != TUI_BACKGROUND_TERMINAL || loom_str_is(name, "terminal");
}

static enum loom_status theme_read(const cJSON *root, struct tui_theme *out, struct loom_err *err)
{
	struct loom_str name = loom_json_str(root, "name");
	struct loom_str about = loom_json_str(root, "about");

	if (!cJSON_IsObject(root) || name.n == 0 || name.n >= sizeof(out->name))
		return loom_fail(err, LOOM_INVALID, "a theme needs a \"name\" of 1 to %zu bytes",
				 sizeof(out->name) - 1);
	if (!background_parse(loom_json_str(root, "background"), &out->background))
		return loom_fail(err, LOOM_INVALID,
				 "the \"background\" of a theme is terminal, dark or light");
	memcpy(out->name, name.p, name.n);
	if (about.n > 0 && about.n < sizeof(out->about))
		memcpy(out->about, about.p, about.n);
	return roles_parse(loom_json_get(root, "roles"), out, err);
}

enum loom_status tui_theme_parse(struct loom_str json, struct tui_theme *out, struct loom_err *err)
{
	cJSON *root = NULL;
	enum loom_status status = loom_json_parse(json, NULL, &root, err);

	*out = (struct tui_theme){.background = TUI_BACKGROUND_TERMINAL};
	if (status == LOOM_OK)
		status = theme_read(root, out, err);
	cJSON_Delete(root);
	return status;
}

enum loom_status tui_theme_named(struct loom_str name, struct tui_theme *out, struct loom_err *err)
{
	struct loom_buf all = LOOM_BUF_INIT(1024);
	struct loom_str json;
	const char *known;
	enum loom_status status;

	for (size_t i = 0; loom_theme_at(i, &known, &json); i++) {
		if (loom_str_is(name, known)) {
			loom_buf_fini(&all);
			return tui_theme_parse(json, out, err);
		}
		loom_buf_addf(&all, "%s%s", i ? ", " : "", known);
	}
	(void)loom_fail(err, LOOM_NOT_FOUND, "there is no theme \"%.*s\"", LOOM_STR_ARG(name));
	status = loom_hint(err, LOOM_NOT_FOUND, "themes: %s", loom_buf_cstr(&all));
	loom_buf_fini(&all);
	return status;
}

/* --- the terminal's own ground --- */

/* Parses one component of 1 to 4 hexadecimal digits and scales it to 0…255. */
static bool ground_part(struct loom_str digits, double *out)
{
	double most = 1;
	double value = 0;

	for (size_t i = 0; i < digits.n; i++) {
		int digit = hex_digit(digits.p[i]);
		if (digit < 0)
			return false;
		value = value * 16 + digit;
		most *= 16;
	}
	*out = digits.n ? value / (most - 1) * 255 : 0;
	return digits.n >= 1 && digits.n <= 4;
}

enum tui_background tui_theme_ground(struct loom_str reply)
{
	/* Each component's share of the luminance. The square is close enough to the real curve,
	 * and above it. */
	static const double shares[] = {0.2126, 0.7152, 0.0722};
	double light = 0;
	double part = 0;
	struct loom_str digits;

	if (!loom_str_starts(reply, LOOM_STR("11;rgb:")))
		return TUI_BACKGROUND_TERMINAL;
	reply = loom_str_sub(reply, strlen("11;rgb:"), reply.n);
	for (size_t i = 0; i < LOOM_COUNT(shares); i++) {
		if (!loom_str_cut(&reply, '/', &digits) || !ground_part(digits, &part))
			return TUI_BACKGROUND_TERMINAL;
		light += shares[i] * (part / 255) * (part / 255);
	}
	return light <= DARK_MOST     ? TUI_BACKGROUND_DARK
	       : light >= LIGHT_LEAST ? TUI_BACKGROUND_LIGHT
				      : TUI_BACKGROUND_TERMINAL;
}

void tui_theme_upon(struct tui_theme *theme, enum tui_background ground)
{
	struct tui_theme other = {.background = ground};

	if (theme->background != TUI_BACKGROUND_TERMINAL || ground == TUI_BACKGROUND_TERMINAL ||
	    tui_theme_named(ground == TUI_BACKGROUND_DARK ? LOOM_STR("dark") : LOOM_STR("light"),
			    &other, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < TUI_ROLES; i++) {
		struct tui_look *look = &theme->looks[i];
		int16_t sixteen = look->fg.c16;

		if (!look->fg.set || look->bg.set || !other.looks[i].fg.set ||
		    other.looks[i].bg.set)
			continue;
		look->fg = other.looks[i].fg;
		look->fg.c16 = sixteen;
	}
}

/* --- looks --- */

static int32_t colour_at(const struct tui_colour *colour, enum tui_depth depth)
{
	if (depth == TUI_DEPTH_16)
		return colour->c16 >= 0 ? colour->c16 : TUI_COLOUR_DEFAULT;
	if (!colour->set || colour->standard || depth == TUI_DEPTH_MONO)
		return TUI_COLOUR_DEFAULT;
	if (depth == TUI_DEPTH_256 || colour->palette)
		return colour->c256;
	return (int32_t)(TUI_COLOUR_RGB | (uint32_t)colour->r << 16 | (uint32_t)colour->g << 8 |
			 colour->b);
}

static bool lacks_ground(const struct tui_look *look, enum tui_depth depth)
{
	return depth == TUI_DEPTH_MONO || (depth == TUI_DEPTH_16 && look->bg.c16 < 0);
}

static int32_t first_set(int32_t a, int32_t b)
{
	return a != TUI_COLOUR_DEFAULT ? a : b;
}

static int32_t style_fg(const struct tui_theme *theme, enum tui_depth depth, struct tui_ink ink)
{
	const struct tui_look *role = &theme->looks[ink.role];
	const struct tui_look *ground = &theme->looks[ink.ground];
	bool grounded = ink.ground != TUI_ROLE_TEXT && ground->fg.set && !role->bg.set;

	if (grounded && (ground->over || ink.role == TUI_ROLE_TEXT))
		return colour_at(&ground->fg, depth);
	if (role->fg.standard)
		return TUI_COLOUR_DEFAULT;
	return first_set(colour_at(&role->fg, depth),
			 colour_at(&theme->looks[TUI_ROLE_TEXT].fg, depth));
}

/* A role with its own background keeps it on top of any other. */
static int32_t style_bg(const struct tui_theme *theme, enum tui_depth depth, struct tui_ink ink)
{
	int32_t role = colour_at(&theme->looks[ink.role].bg, depth);
	int32_t ground = colour_at(&theme->looks[ink.ground].bg, depth);

	if (ink.role != TUI_ROLE_TEXT && role != TUI_COLOUR_DEFAULT)
		return role;
	return first_set(ground, colour_at(&theme->looks[TUI_ROLE_TEXT].bg, depth));
}

struct tui_style tui_theme_style(const struct tui_theme *theme, enum tui_depth depth,
				 struct tui_ink ink)
{
	const struct tui_look *role = &theme->looks[ink.role];
	const struct tui_look *ground = &theme->looks[ink.ground];
	uint8_t own = depth == TUI_DEPTH_MONO ? role->mono : role->attr;
	uint8_t behind = lacks_ground(ground, depth) ? ground->mono : ground->attr;

	if (ink.role != TUI_ROLE_TEXT && role->bg.set && lacks_ground(role, depth))
		own |= role->mono;
	if (ink.ground == TUI_ROLE_TEXT)
		behind = 0;
	/* Reverse on reverse stands out by being neither. */
	return (struct tui_style){.fg = style_fg(theme, depth, ink),
				  .bg = style_bg(theme, depth, ink),
				  .attr = (uint8_t)((own | behind | ink.attr) &
						    ~(own & behind & TUI_REVERSE))};
}
