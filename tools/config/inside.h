/* What the configuration's files share: how the members of an object become fields. */
#ifndef TOOLS_CONFIG_IMPL_H
#define TOOLS_CONFIG_IMPL_H

#include <loom/config/config.h>

enum config_field_kind {
	CONFIG_FIELD_TEXT,    /* struct loom_str, with a NUL behind it and none in it */
	CONFIG_FIELD_WHOLE,   /* int64_t */
	CONFIG_FIELD_REAL,    /* double */
	CONFIG_FIELD_SECONDS, /* int64_t in ms; fractions allowed */
	CONFIG_FIELD_CAN,     /* enum loom_can: true or false */
	CONFIG_FIELD_WORDS,   /* const char *const *: a list of texts, or one */
	CONFIG_FIELD_OWN,     /* read by the caller's own function */
};

/* A configuration while it is read. */
struct config_reading {
	struct loom_str text; /* comments blanked */
	struct loom_str path;
	struct loom_arena *arena;
	struct loom_config *out;
	struct loom_str *warnings;
	size_t warning_cap;
	struct loom_err *err;
};

struct config_field {
	const char *key;
	enum config_field_kind kind;
	size_t offset;
	int64_t low;
	int64_t high;
	enum loom_status (*read)(struct config_reading *config, struct loom_str value, void *into);
};

/* An object and where its members go. */
struct config_object {
	const struct config_field *fields;
	size_t count;
	void *into;
	struct loom_sampling *sampling; /* NULL: it has none */
	struct loom_str what;           /* "models.base-8b", for messages */
};

/* Comments become blanks, byte for byte, so that places stay. */
struct loom_str config_blank(struct loom_str text, struct loom_arena *arena);
/* Reads all members of `value`; unknown ones warn. */
enum loom_status config_object(struct config_reading *config, const struct config_object *object,
			       struct loom_str value);
/* Warns with the place of `where` … */
void config_warn(struct config_reading *config, struct loom_str where, const char *format, ...)
	LOOM_PRINTF(3, 4);
/* … or refuses with it; it lies in the text. */
enum loom_status config_refuse(struct config_reading *config, struct loom_str where,
			       const char *format, ...) LOOM_PRINTF(3, 4);

#endif
