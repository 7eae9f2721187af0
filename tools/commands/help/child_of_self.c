/* Splits a line into arguments and runs this program as a child with them. Output is kept up to a
 * limit; beyond it, redirect into a file. */
#include <loom/commands/child_of_self.h>

#include <loom/loop/child.h>
#include <loom/cli/services.h>

#define OUT_MAX   ((size_t)4 << 20)
#define WORDS_MAX 200

struct loom_self {
	struct loom_self_opts opts;
	struct loop_child *child;
	struct loom_arena *arena;
	struct loom_buf out;
};

struct words {
	const char *items[WORDS_MAX + 8];
	size_t count;
};

/* The next word. "…" quotes blanks, and a backslash in it escapes the next character. */
static bool next_word(struct loom_str line, size_t *at, struct loom_buf *out)
{
	bool quoted = false;

	loom_buf_clear(out);
	while (*at < line.n && line.p[*at] == ' ')
		++*at;
	if (*at == line.n)
		return false;
	for (; *at < line.n && (quoted || line.p[*at] != ' '); ++*at) {
		if (line.p[*at] == '"')
			quoted = !quoted;
		else if (quoted && line.p[*at] == '\\' && *at + 1 < line.n)
			loom_buf_addc(out, line.p[++*at]);
		else
			loom_buf_addc(out, line.p[*at]);
	}
	return true;
}

const struct loom_command *loom_self_command(struct loom_str line)
{
	struct loom_buf word = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_command *found = NULL;
	size_t at = 0;

	for (int i = 0; i < HELP_NAME_WORDS && next_word(line, &at, &word); i++) {
		const struct loom_command *longer;

		loom_buf_addf(&name, "%s%s", i ? " " : "", loom_buf_cstr(&word));
		longer = loom_command_find(loom_buf_str(&name));
		found = longer ? longer : found;
	}
	loom_buf_fini(&word);
	loom_buf_fini(&name);
	return found;
}

size_t loom_self_words(struct loom_arena *arena, struct loom_str line, char **out, size_t max)
{
	struct loom_buf word = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t count = 0;
	size_t at = 0;

	while (count < max && next_word(line, &at, &word))
		out[count++] = loom_arena_cstr(arena, loom_buf_str(&word));
	loom_buf_fini(&word);
	return count;
}

bool loom_self_takes(struct loom_arena *arena, struct loom_str line)
{
	char *words[WORDS_MAX + 1] = {NULL};
	const struct loom_command *command = NULL;
	struct cli_spec global_spec = cli_spec_global(arena);
	struct cli_spec spec;
	struct cli_reader reader = {.arena = arena, .argv = words};

	reader.argc = (int)loom_self_words(arena, line, words, WORDS_MAX);
	reader.global = cli_args_create(arena, &global_spec);
	if (!reader.argc || help_table_read(&reader, &command, NULL) != LOOM_OK)
		return false;
	spec = cli_spec_of(arena, command);
	reader.command = command->name;
	reader.usage = command->usage;
	reader.local = cli_args_create(arena, &spec);
	return cli_args_rest(&reader, NULL) == LOOM_OK && cli_args_check(&reader, NULL) == LOOM_OK;
}

/* The replacement for a command that talks with a person or over a pipe; NULL for other
 * commands. */
static const char *instead_of(const struct loom_command *command)
{
	static const struct {
		const char *name;
		const char *instead;
	} others[] = {
		{"chat", "oa, then Enter on an agent, opens its conversation here"},
		{"mcp", "an agent's client starts it"},
		{"doc edit", "od lists the documents; E there opens one in your editor"},
		{"thread drive", "a runtime starts it at the other end of a pipe"},
	};

	for (size_t i = 0; i < LOOM_COUNT(others); i++)
		if (strcmp(command->name, others[i].name) == 0)
			return others[i].instead;
	return NULL;
}

bool loom_self_fits(const struct loom_command *command)
{
	return !instead_of(command);
}

static enum loom_status check(const struct loom_command *command, struct loom_err *err)
{
	const char *instead = instead_of(command);

	if (!instead)
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "%s needs a terminal or a pipe of its own", command->name);
	return loom_hint(err, LOOM_REFUSED, "%s", instead);
}

static void add(struct words *words, const char *word)
{
	if (words->count < LOOM_COUNT(words->items) - 1)
		words->items[words->count++] = word;
}

static bool names_tree(const struct words *words)
{
	static const char *const names[] = {"-t", "--tree", "--path", "--grove"};

	for (size_t i = 0; i < words->count; i++)
		for (size_t k = 0; k < LOOM_COUNT(names); k++)
			if (strcmp(words->items[i], names[k]) == 0)
				return true;
	return false;
}

/* Whether the help says that a missing tree means the current one; for some commands it means the
 * whole grove. */
static bool means_current(struct loom_arena *arena, const struct loom_command *command)
{
	const struct cli_spec spec = cli_spec_of(arena, command);
	const struct cli_item *tree = cli_spec_find(&spec, LOOM_STR("--tree"));

	return tree && !tree->lean && strstr(help_item_meaning(tree), "current");
}

static size_t words_in(const char *name)
{
	size_t count = 1;

	for (; *name; name++)
		count += *name == ' ';
	return count;
}

static void read_words(struct loom_self *self, const struct loom_command *command,
		       struct words *words)
{
	const struct loom_self_opts *opts = &self->opts;
	struct loom_buf word = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct words own = {.count = 0};
	size_t at = 0;
	bool tree = false;

	while (own.count < WORDS_MAX && next_word(opts->line, &at, &word))
		add(&own, loom_arena_cstr(self->arena, loom_buf_str(&word)));
	tree = opts->tree && means_current(self->arena, command) && !names_tree(&own);
	add(words, opts->program);
	if (opts->grove) {
		add(words, "-g");
		add(words, loom_arena_cstr(self->arena, loom_str_of(opts->grove)));
	}
	for (size_t i = 0; i <= own.count; i++) {
		/* Right behind the name: what ends the line may be a line of the language. */
		if (i == words_in(command->name) && tree) {
			add(words, "--tree");
			add(words, loom_arena_cstr(self->arena, loom_str_of(opts->tree)));
		}
		if (i < own.count)
			add(words, own.items[i]);
	}
	loom_buf_fini(&word);
}

static void on_out(void *ctx, struct loom_str bytes)
{
	struct loom_self *self = ctx;
	size_t room = OUT_MAX - self->out.n;

	loom_buf_add(&self->out, loom_str_sub(bytes, 0, bytes.n < room ? bytes.n : room));
}

static void free_self(struct loom_self *self)
{
	loom_buf_fini(&self->out);
	loom_arena_destroy(self->arena);
	free(self);
}

static void on_end(void *ctx, int status, int signal, struct loom_str said)
{
	struct loom_self *self = ctx;

	self->opts.done(self->opts.ctx, signal ? 130 : status, loom_buf_str(&self->out), said);
	free_self(self);
}

enum loom_status loom_self_start(const struct loom_self_opts *opts, struct loom_self **out,
				 struct loom_err *err)
{
	const struct loom_command *command = loom_self_command(opts->line);
	struct loom_self *self;
	struct words words = {.count = 0};
	struct loop_child_opts child = {.loop = opts->loop,
					.argv = words.items,
					.input = opts->input,
					.out = on_out,
					.end = on_end};
	enum loom_status status;

	*out = NULL;
	if (!command)
		return loom_fail(err, LOOM_NOT_FOUND, "there is no such command");
	status = check(command, err);
	if (status != LOOM_OK)
		return status;
	self = loom_alloc(sizeof *self);
	self->opts = *opts;
	self->arena = loom_arena_create();
	loom_buf_init(&self->out, OUT_MAX);
	read_words(self, command, &words);
	child.ctx = self;
	status = loop_child_start(&child, &self->child, err);
	if (status == LOOM_OK)
		*out = self;
	else
		free_self(self);
	return status;
}

void loom_self_stop(struct loom_self *self)
{
	if (!self)
		return;
	loop_child_stop(self->child);
	free_self(self);
}
