/* The keymap. Invariant: in a view (with the views it inherits from) the nearest binding of a
 * sequence wins, and within one view the latest. Pure apart from its memory. What a command does is
 * up to the application. */
#include <loom/keys/keymap.h>

static const struct tui_command_info commands[] = {
#define LOOM_VERB(id, name_, deed, change, permission, group, synonyms, args, keys_, past,         \
		  summary_, ...)                                                                   \
	[TUI_VERB_##id] = {                                                                        \
		.name = #name_, .keys = keys_, .summary = summary_, .verb = true, .view = -1},
#define LOOM_ACTION(id, view_, name_, keys_, summary_)                                             \
	[TUI_ACTION_##id] = {.name = name_,                                                        \
			     .keys = keys_,                                                        \
			     .summary = summary_,                                                  \
			     .view = TUI_KEYVIEW_##view_},
#include <loom/verbs.def>
#include <loom/actions.def>
};

static const struct {
	const char *name;
	enum tui_keyview parent;
} views[] = {
#define X(id, name_, parent_) [TUI_KEYVIEW_##id] = {name_, TUI_KEYVIEW_##parent_},
	TUI_KEYVIEW_LIST(X)
#undef X
};

const struct tui_command_info *tui_command_info(enum tui_command command)
{
	return &commands[command];
}

enum tui_command tui_command_find(struct loom_str name)
{
	for (int i = 1; i < TUI_COMMANDS; i++) {
		if (loom_str_is(name, commands[i].name))
			return (enum tui_command)i;
	}
	return TUI_COMMAND_NONE;
}

const char *tui_keyview_name(enum tui_keyview view)
{
	return views[view].name;
}

bool tui_keyview_find(struct loom_str name, enum tui_keyview *out)
{
	for (int i = 0; i < TUI_KEYVIEWS; i++) {
		if (loom_str_is(name, views[i].name)) {
			*out = (enum tui_keyview)i;
			return true;
		}
	}
	return false;
}

bool tui_keys_parse(struct loom_str text, struct tui_binding *out)
{
	for (size_t at = 0; at < text.n; out->n++) {
		if (out->n == TUI_CHORD_MAX || !tui_key_parse(text, &at, &out->keys[out->n]))
			return false;
	}
	return out->n > 0;
}

enum tui_keyview tui_command_view(enum tui_command command)
{
	const struct tui_command_info *info = &commands[command];
	struct loom_str keys = loom_str_of(info->keys ? info->keys : "");
	enum tui_keyview view = TUI_KEYVIEW_NAV;

	if (info->view >= 0)
		return (enum tui_keyview)info->view;
	(void)!tui_keyview_find(loom_str_sub(keys, 0, loom_str_find_char(keys, ':', 0)), &view);
	return view;
}

int tui_match_count(const struct tui_match *match)
{
	return match->count > 0 ? match->count : 1;
}

void tui_keymap_add(struct tui_keymap *map, const struct tui_binding *binding)
{
	if (map->count == map->cap) {
		map->cap = map->cap ? map->cap * 2 : 256;
		map->bindings = loom_realloc(map->bindings, map->cap, sizeof(*map->bindings));
	}
	map->bindings[map->count++] = *binding;
}

/* Adds one VIEW:KEYS pair of the table. The table is our own, so a malformed pair is skipped here
 * and fails a test. */
static void add_pair(struct tui_keymap *map, struct loom_str pair, enum tui_command command)
{
	struct tui_binding binding = {.command = command};
	size_t colon = loom_str_find_char(pair, ':', 0);

	if (colon != SIZE_MAX && tui_keyview_find(loom_str_sub(pair, 0, colon), &binding.view) &&
	    tui_keys_parse(loom_str_sub(pair, colon + 1, pair.n), &binding))
		tui_keymap_add(map, &binding);
}

void tui_keymap_init(struct tui_keymap *map)
{
	*map = (struct tui_keymap){.bindings = NULL};
	for (int i = 1; i < TUI_COMMANDS; i++) {
		struct loom_str rest = loom_str_of(commands[i].keys);
		struct loom_str pair;
		while (rest.n > 0 && loom_str_cut(&rest, ' ', &pair))
			add_pair(map, pair, (enum tui_command)i);
	}
}

void tui_keymap_fini(struct tui_keymap *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->bindings[i].line);
	free(map->bindings);
	*map = (struct tui_keymap){.bindings = NULL};
}

/* --- looking up --- */

static bool key_fits(struct tui_key bound, struct tui_key key)
{
	if (bound.code == TUI_KEY_ANY)
		return tui_key_prints(key);
	return tui_key_eq(bound, key);
}

static bool begins(const struct tui_binding *binding, const struct tui_key *keys, size_t n)
{
	if (binding->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!key_fits(binding->keys[i], keys[i]))
			return false;
	}
	return true;
}

static bool wild(const struct tui_binding *binding)
{
	return binding->keys[binding->n - 1].code == TUI_KEY_ANY;
}

/* The latest binding of exactly these keys in this view alone. One that names the key wins over
 * <Any>. */
static const struct tui_binding *exact_in(const struct tui_keymap *map, enum tui_keyview view,
					  const struct tui_key *keys, size_t n)
{
	const struct tui_binding *found = NULL;

	for (size_t i = map->count; i-- > 0;) {
		const struct tui_binding *binding = &map->bindings[i];
		if (binding->view != view || binding->n != n || !begins(binding, keys, n))
			continue;
		if (!wild(binding))
			return binding;
		found = found ? found : binding;
	}
	return found;
}

const struct tui_binding *tui_keymap_exact(const struct tui_keymap *map, enum tui_keyview view,
					   const struct tui_key *keys, size_t n)
{
	for (;;) {
		const struct tui_binding *binding = exact_in(map, view, keys, n);
		if (binding)
			return binding->command || binding->line ? binding : NULL;
		if (views[view].parent == view)
			return NULL;
		view = views[view].parent;
	}
}

static bool inherits(enum tui_keyview view, enum tui_keyview from)
{
	while (view != from && views[view].parent != view)
		view = views[view].parent;
	return view == from;
}

/* Whether a binding is in force in `view`: no nearer or later one has its keys. */
static bool holds(const struct tui_keymap *map, enum tui_keyview view,
		  const struct tui_binding *binding)
{
	return inherits(view, binding->view) &&
	       (tui_keymap_exact(map, view, binding->keys, binding->n) == binding || wild(binding));
}

static bool can_go_on(const struct tui_keymap *map, enum tui_keyview view,
		      const struct tui_chord *chord)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct tui_binding *binding = &map->bindings[i];
		if (binding->n > chord->n && begins(binding, chord->keys, chord->n) &&
		    holds(map, view, binding))
			return true;
	}
	return false;
}

static bool counts(enum tui_keyview view)
{
	return view != TUI_KEYVIEW_TEXT && view != TUI_KEYVIEW_PROMPT;
}

static bool take_digit(struct tui_chord *chord, struct tui_key key)
{
	int digit = (int)key.code - '0';

	if (chord->n > 0 || key.mods || digit < 0 || digit > 9 || (digit == 0 && !chord->count))
		return false;
	chord->count = chord->count * 10 + digit;
	if (chord->count > TUI_COUNT_MAX)
		chord->count = TUI_COUNT_MAX;
	return true;
}

enum tui_chord_state tui_keymap_feed(const struct tui_keymap *map, enum tui_keyview view,
				     struct tui_chord *chord, struct tui_key key,
				     struct tui_match *out)
{
	bool pending = chord->n > 0 || chord->count > 0;

	*out = (struct tui_match){.count = chord->count};
	if (pending && key.code == TUI_KEY_ESC) {
		*chord = (struct tui_chord){.n = 0};
		return TUI_CHORD_CLEARED;
	}
	if (counts(view) && take_digit(chord, key))
		return TUI_CHORD_PENDING;
	chord->keys[chord->n++] = key;
	out->any = key;
	out->binding = tui_keymap_exact(map, view, chord->keys, chord->n);
	if (!out->binding && chord->n < TUI_CHORD_MAX && can_go_on(map, view, chord))
		return TUI_CHORD_PENDING;
	*chord = (struct tui_chord){.n = 0};
	return out->binding ? TUI_CHORD_DONE : TUI_CHORD_NONE;
}

static struct tui_way *way_of(struct tui_way *ways, size_t n, struct tui_key key)
{
	for (size_t i = 0; i < n; i++) {
		if (tui_key_eq(ways[i].key, key))
			return &ways[i];
	}
	return NULL;
}

size_t tui_keymap_ways(const struct tui_keymap *map, enum tui_keyview view,
		       const struct tui_chord *chord, struct tui_way *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < map->count; i++) {
		const struct tui_binding *binding = &map->bindings[i];
		bool more = binding->n > chord->n + 1;
		struct tui_way *way;
		if (binding->n <= chord->n || !begins(binding, chord->keys, chord->n) ||
		    !holds(map, view, binding))
			continue;
		way = way_of(out, n < max ? n : max, binding->keys[chord->n]);
		if (way)
			way->more = way->more || more;
		else if (n++ < max)
			out[n - 1] = (struct tui_way){binding->keys[chord->n], binding, more};
	}
	return n;
}

bool tui_keymap_spell(const struct tui_keymap *map, enum tui_keyview view, enum tui_command command,
		      struct loom_buf *out)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct tui_binding *binding = &map->bindings[i];
		if (binding->command != command || !holds(map, view, binding))
			continue;
		tui_keys_show(binding->keys, binding->n, out);
		return true;
	}
	return false;
}

void tui_chord_spell(const struct tui_chord *chord, struct loom_buf *out)
{
	if (chord->count > 0)
		loom_buf_addf(out, "%d", chord->count);
	tui_keys_show(chord->keys, chord->n, out);
}
