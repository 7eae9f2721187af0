/* Asks a small model what a line means that did not parse. Its answer has no authority: it is
 * parsed like any other line, and every id, name and text in it must occur in what was written. */
#include <loom/actor/asking.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>

#define LINE_TOKENS 120 /* enough for one command line */

static const char instructions[] =
	"You turn one line into a command of the table below. Answer with that one command "
	"line and nothing else. Use only ids, names and texts that stand in the line. If no "
	"command is "
	"clearly meant, answer: none\n";

bool actor_may_classify(const struct loom_refusal *refusal)
{
	return refusal->not_understood && !refusal->clarify && !refusal->candidate_count;
}

void actor_classify_request(struct loom_arena *arena, const struct loom_refusal *refusal,
			    struct loom_generate_request *out)
{
	struct loom_buf table = LOOM_BUF_INIT(1 << 16);
	struct loom_prompt_message *message = LOOM_ARENA_NEW(arena, struct loom_prompt_message);

	loom_buf_adds(&table, instructions);
	for (int v = LOOM_VERB_NONE + 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *verb = loom_verb_info((enum loom_verb)v);

		loom_buf_addf(&table, "\n%s %s", verb->name, verb->args);
	}
	*message = (struct loom_prompt_message){.role = LOOM_ROLE_USER, .text = refusal->text};
	*out = (struct loom_generate_request){
		.voice = {.use = LOOM_GENERATE_CLASSIFIER},
		.system = loom_arena_buf(arena, &table),
		.messages = message,
		.message_count = 1,
		.n = 1,
		.tokens = LINE_TOKENS,
	};
	loom_buf_fini(&table);
}

bool actor_classify_read(struct loom_arena *arena, const struct loom_refusal *refusal,
			 struct loom_str answer, struct loom_call *out)
{
	struct loom_refusal ignored;
	struct loom_str rest = loom_str_trim(answer);
	struct loom_str line;

	if (!loom_str_line(&rest, &line))
		return false;
	line = loom_str_trim(line);
	if (loom_str_starts(line, LOOM_STR("→")))
		line = loom_str_trim(loom_str_sub(line, strlen("→"), line.n));
	/* The call points into its line, so the line must live as long as the arena. */
	line = loom_arena_str(arena, line);
	if (loom_parse_line(arena, line, out, &ignored) != LOOM_OK ||
	    !loom_call_stands_in(out, refusal->text))
		return false;
	out->line = refusal->line;
	out->begin = refusal->begin;
	out->end = refusal->end;
	out->text = refusal->text;
	/* an operation of its own: read lines count from 0, and SIZE_MAX means no batch yet */
	out->batch = SIZE_MAX - 1 - (size_t)refusal->line;
	return true;
}
