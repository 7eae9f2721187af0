/* The user's programs as rows beside ours. */
#include <loom/commands/programs.h>

#include <loom/cli/services.h>
#include <loom/language/registry.h>

bool loom_program_is_free(struct loom_str name)
{
	static const char *const ours[] = {
#define LOOM_ACTION(id, view, name, ...) name,
#include <loom/actions.def>
#define LOOM_SCREEN_WORD(name, ...) name,
#include <loom/screen_words.def>
		"q",
		"quit",
		"save",
		"diff-with",
	};
	bool free = !loom_command_find(name) && loom_verb_find(name) == LOOM_VERB_NONE &&
		    !help_topic_find(name);

	for (size_t i = 0; i < loom_command_count() && free; i++) {
		const struct loom_str taken = loom_str_of(loom_command_at(i)->name);

		free = !(loom_str_starts(taken, name) && taken.p[name.n] == ' ');
	}
	for (size_t i = 0; i < LOOM_COUNT(ours) && free; i++)
		free = !loom_str_is(name, ours[i]);
	return free;
}

const struct loom_program *loom_program_find(const struct loom_config *config, struct loom_str name)
{
	for (size_t i = 0; config && i < config->program_count; i++)
		if (loom_str_eq(config->programs[i].name, name))
			return loom_program_is_free(name) ? &config->programs[i] : NULL;
	return NULL;
}

const struct loom_program *loom_program_at(const struct loom_config *config, size_t index)
{
	for (size_t i = 0; config && i < config->program_count; i++)
		if (loom_program_is_free(config->programs[i].name) && index-- == 0)
			return &config->programs[i];
	return NULL;
}

struct loom_str loom_program_about(struct loom_arena *arena, const struct loom_program *program)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);
	struct loom_str about = program->about;

	if (!about.n) {
		loom_buf_adds(&line, "Run a text through");
		for (const char *const *word = program->command; *word; word++) {
			loom_buf_addc(&line, ' ');
			cli_add_word(&line, loom_str_of(*word));
		}
		about = loom_arena_buf(arena, &line);
	}
	loom_buf_fini(&line);
	return about;
}

void loom_program_page(struct loom_arena *arena, const struct loom_program *program,
		       struct loom_buf *out)
{
	const struct loom_str about = loom_program_about(arena, program);

	loom_buf_addf(out, "loom %.*s [NODE]\n  %.*s\n\n  Your own program, from config.json:\n   ",
		      LOOM_STR_ARG(program->name), LOOM_STR_ARG(about));
	for (const char *const *word = program->command; *word; word++) {
		loom_buf_addc(out, ' ');
		cli_add_word(out, loom_str_of(*word));
	}
	loom_buf_adds(out, "\n  It gets the text of the node on its standard input.\n");
	if (program->agent_count)
		loom_buf_adds(out, "  These agents may run it: ");
	for (size_t i = 0; i < program->agent_count; i++)
		loom_buf_addf(out, "%s%.*s", i ? ", " : "", LOOM_STR_ARG(program->agents[i]));
	loom_buf_addf(out, "%s\nexample: loom %.*s a7x2\n", program->agent_count ? "\n" : "",
		      LOOM_STR_ARG(program->name));
}
