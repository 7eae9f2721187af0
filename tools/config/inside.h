/* Shared by the configuration's files: how members of an object become fields. */
#ifndef TOOLS_CONFIG_IMPL_H
#define TOOLS_CONFIG_IMPL_H

#include <loom/config/config.h>

enum config_field_kind {
	CONFIG_FIELD_TEXT,    /* struct loom_str, followed by a NUL and containing none */
	CONFIG_FIELD_WHOLE,   /* int64_t */
	CONFIG_FIELD_REAL,    /* double */
	CONFIG_FIELD_SECONDS, /* int64_t in ms; fractions allowed */
	CONFIG_FIELD_CAN,     /* enum loom_can: true or false */
	CONFIG_FIELD_WORDS,   /* const char *const *: a list of strings, or one string */
	CONFIG_FIELD_OWN,     /* read by a function of the caller's */
};

/* A configuration being read. */
struct config_reading {
	struct loom_str text; /* with comments blanked */
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

/* An object and where its members are stored. */
struct config_object {
	const struct config_field *fields;
	size_t count;
	void *into;
	struct loom_sampling *sampling; /* NULL: takes no sampling */
	struct loom_str what;           /* "models.base-8b", for messages */
};

/* Returns the text with comments overwritten by blanks, byte for byte, so that offsets stay valid;
 * in the arena. */
struct loom_str config_blank(struct loom_str text, struct loom_arena *arena);
/* Stores all members of `value`, which must be an object; unknown ones warn. Fails with
 * LOOM_INVALID for a wrong value. */
enum loom_status config_object(struct config_reading *config, const struct config_object *object,
			       struct loom_str value);
/* Adds a warning with the line of `where`, a slice of the text. */
void config_warn(struct config_reading *config, struct loom_str where, const char *format, ...)
	LOOM_PRINTF(3, 4);
/* Fills config->err with a message and the line of `where`, a slice of the text. Always returns
 * LOOM_INVALID. */
enum loom_status config_refuse(struct config_reading *config, struct loom_str where,
			       const char *format, ...) LOOM_PRINTF(3, 4);

/* Reads a plan, a list of agents' names and of objects with "agent", "n" and "tokens", into the
 * struct loom_plan at `into`. */
enum loom_status config_plan(struct config_reading *config, struct loom_str value, void *into);

/* Reads programs, an object that maps their names to objects, into the configuration. */
enum loom_status config_programs(struct config_reading *config, struct loom_str value, void *into);
/* Reads hooks, an object that maps events to programs, into the configuration. */
enum loom_status config_hooks(struct config_reading *config, struct loom_str value, void *into);

#endif
