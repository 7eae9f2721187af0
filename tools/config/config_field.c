/* Checks the members of the configuration's objects and stores them in fields. Every complaint
 * names its line. */
#include "inside.h"

#include <loom/base/jval.h>

struct loom_str config_blank(struct loom_str text, struct loom_arena *arena)
{
	char *p = loom_arena_cstr(arena, text);
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		size_t end = i;

		if (quoted && p[i] == '\\') {
			i++;
			continue;
		}
		if (p[i] == '"')
			quoted = !quoted;
		else if (!quoted && p[i] == '/' && p[i + 1] == '/')
			end = loom_str_find_char(text, '\n', i);
		else if (!quoted && p[i] == '/' && p[i + 1] == '*')
			end = loom_str_find(text, LOOM_STR("*/"), i + 2);
		if (end == i)
			continue;
		if (end == SIZE_MAX)
			end = text.n;
		else if (p[i + 1] == '*')
			end += 2;
		for (; i < end; i++)
			if (p[i] != '\n')
				p[i] = ' ';
		i--;
	}
	return loom_str_make(p, text.n);
}

static size_t line_of(const struct config_reading *config, struct loom_str where)
{
	size_t line = 1;

	for (const char *p = config->text.p; where.p && p < where.p; p++)
		line += *p == '\n';
	return line;
}

enum loom_status config_refuse(struct config_reading *config, struct loom_str where,
			       const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	loom_fail(config->err, LOOM_INVALID, "%.*s:%zu: %s", LOOM_STR_ARG(config->path),
		  line_of(config, where), loom_buf_cstr(&text));
	loom_buf_fini(&text);
	return LOOM_INVALID;
}

void config_warn(struct config_reading *config, struct loom_str where, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	va_list args;

	loom_buf_addf(&text, "%.*s:%zu: ", LOOM_STR_ARG(config->path), line_of(config, where));
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	config->warnings =
		loom_arena_grow(config->arena, config->warnings, config->out->warning_count,
				&config->warning_cap, sizeof *config->warnings);
	config->warnings[config->out->warning_count++] = loom_arena_buf(config->arena, &text);
	config->out->warnings = config->warnings;
	loom_buf_fini(&text);
}

static bool read_real(struct loom_str value, double *out)
{
	return loom_jval_real(value, out) && *out >= 0 && *out < 1e15;
}

/* Reads a program and its arguments; a single string is a program without arguments. */
static bool read_words(struct config_reading *config, struct loom_str value,
		       const char *const **out)
{
	bool one = loom_jval_type(value) == LOOM_JTYPE_STRING;
	size_t count = one ? 1 : loom_jval_count(value);
	const char **words = LOOM_ARENA_ARRAY(config->arena, count + 1, const char *);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item = value;
	size_t n = 0;

	if (!one && loom_jval_type(value) != LOOM_JTYPE_ARRAY)
		return false;
	while (one ? n == 0 : loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str word = loom_jval_text(item, config->arena);

		if (!word.p)
			return false;
		words[n++] = loom_arena_cstr(config->arena, word);
	}
	*out = words;
	return n > 0 && words[0][0];
}

static bool read_plain(struct config_reading *config, const struct config_field *field,
		       struct loom_str value, char *into, const char **wanted)
{
	double real = 0;
	int64_t whole = 0;
	struct loom_str text;

	switch (field->kind) {
	case CONFIG_FIELD_TEXT:
		*wanted = "a string";
		text = loom_jval_text(value, config->arena);
		*(struct loom_str *)(void *)into = loom_arena_str(config->arena, text);
		return text.p && !memchr(text.p, '\0', text.n);
	case CONFIG_FIELD_WHOLE:
		*wanted = loom_arena_format(config->arena, "a whole number from %lld to %lld",
					    (long long)field->low, (long long)field->high)
				  .p;
		if (!loom_jval_int(value, &whole) || whole < field->low || whole > field->high)
			return false;
		*(int64_t *)(void *)into = whole;
		return true;
	case CONFIG_FIELD_REAL:
		*wanted = "a number from 0 to 1e15";
		return read_real(value, (double *)(void *)into);
	case CONFIG_FIELD_SECONDS:
		*wanted = loom_arena_format(config->arena, "a number of seconds from %g to %g",
					    (double)field->low / 1000, (double)field->high / 1000)
				  .p;
		if (!read_real(value, &real) || real * 1000 < (double)field->low ||
		    real * 1000 > (double)field->high)
			return false;
		*(int64_t *)(void *)into = (int64_t)(real * 1000);
		return true;
	case CONFIG_FIELD_CAN:
		*wanted = "true or false";
		*(enum loom_can *)(void *)into =
			loom_str_is(value, "true") ? LOOM_CAN : LOOM_CAN_NOT;
		return loom_jval_type(value) == LOOM_JTYPE_BOOL;
	case CONFIG_FIELD_WORDS:
		*wanted = "a list of strings: a program and its arguments";
		return read_words(config, value, (const char *const **)(void *)into);
	case CONFIG_FIELD_OWN:
		break;
	}
	return false;
}

static const struct config_field *find_field(const struct config_object *object,
					     struct loom_str key)
{
	for (size_t i = 0; i < object->count; i++)
		if (loom_str_is(key, object->fields[i].key))
			return &object->fields[i];
	return NULL;
}

static enum loom_status read_field(struct config_reading *config,
				   const struct config_object *object,
				   const struct config_field *field, struct loom_str value)
{
	char *into = (char *)object->into + field->offset;
	const char *wanted = "";

	if (field->read)
		return field->read(config, value, into);
	if (read_plain(config, field, value, into, &wanted))
		return LOOM_OK;
	return config_refuse(config, value, "\"%s\" in %.*s is not %s", field->key,
			     LOOM_STR_ARG(object->what), wanted);
}

static enum loom_status read_other(struct config_reading *config,
				   const struct config_object *object, struct loom_str key,
				   struct loom_str value)
{
	struct loom_err why = {.status = LOOM_OK};
	bool known = false;

	if (object->sampling && loom_sampling_read(object->sampling, key, value, config->arena,
						   &known, &why) != LOOM_OK)
		return config_refuse(config, value, "in %.*s: %s", LOOM_STR_ARG(object->what),
				     why.text);
	if (known)
		return LOOM_OK;
	if (loom_str_is(key, "key") || loom_str_is(key, "api_key"))
		config_warn(config, value,
			    "a key must not be in this file: name it by key_env, key_file or "
			    "key_cmd (%.*s)",
			    LOOM_STR_ARG(object->what));
	else
		config_warn(config, value, "unknown key \"%.*s\" in %.*s", LOOM_STR_ARG(key),
			    LOOM_STR_ARG(object->what));
	return LOOM_OK;
}

enum loom_status config_object(struct config_reading *config, const struct config_object *object,
			       struct loom_str value)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str quoted;
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return config_refuse(config, value, "%.*s is not an object",
				     LOOM_STR_ARG(object->what));
	while (status == LOOM_OK && loom_jwalk_next(&walk, &quoted, &item)) {
		struct loom_str key = loom_jval_text(quoted, config->arena);
		const struct config_field *field = find_field(object, key);

		status = field ? read_field(config, object, field, item)
			       : read_other(config, object, key, item);
	}
	return status;
}
