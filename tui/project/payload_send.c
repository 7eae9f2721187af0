/* What a payload is made for: to be sent to an agent as one turn, saved, or copied. The turn leaves
 * its report in the folder of the payload's turn. */
#include <loom/project/payload_view.h>

#include <loom/desk/copy.h>
#include <loom/desk/do_line.h>
#include <loom/desk/does.h>
#include <loom/desk/enter_tree.h>
#include <loom/lists/talk.h>
#include <loom/text/tokens.h>
#include <loom/writing/command_line.h>

/* ---- to whom ---- */

static bool hears(const struct tui_person *person)
{
	return person && person->agent.kind == LOOM_AGENT_MODEL && person->agent.aware;
}

/* The agent that one talked to last, else the first that one can talk to; NULL when none is here.
 */
static const struct tui_person *goal(const struct tui_app *app)
{
	const struct tui_person *person =
		app->talks ? tui_people_get(&app->people, app->talks->agent) : NULL;

	for (size_t i = 0; i < app->people.count && !hears(person); i++)
		person = &app->people.items[i];
	return hears(person) ? person : NULL;
}

void tui_payload_fits(struct tui_app *app, size_t bytes, struct loom_buf *out)
{
	const struct tui_person *person = goal(app);
	const struct loom_generator *generator = tui_generator(app);
	const int64_t tokens = loom_token_estimate(bytes);
	struct loom_generate_voice voice = {.use = LOOM_GENERATE_COLLABORATOR};
	struct loom_voice_info info;

	if (!person)
		return;
	voice.agent = person->agent.name;
	voice.model = person->agent.model;
	voice.sampling = person->agent.sampling;
	loom_buf_addf(out, "%.*s \xc2\xb7 ", LOOM_STR_ARG(person->shown));
	loom_buf_add_count(out, (uint64_t)tokens);
	if (generator->describe(generator->ctx, &voice, &info, NULL) != LOOM_OK) {
		loom_buf_adds(out, " t \xc2\xb7 it has no model");
		return;
	}
	if (info.context) {
		loom_buf_adds(out, " of ");
		loom_buf_add_count(out, (uint64_t)info.context);
	}
	loom_buf_adds(out, " t");
	if (info.budget && tokens > info.budget)
		loom_buf_adds(out, ": too much for it");
	if (info.priced)
		loom_buf_addf(out, " \xc2\xb7 costs about %.4f to read",
			      (double)tokens * info.price_in / 1e6);
}

/* ---- sending ---- */

static void reported(struct tui_app *app, struct tui_payload_job *job)
{
	if (tui_must(app, job->status, &job->why))
		tui_say(app, TUI_ROLE_OK, "%.*s/report.md says what happened",
			LOOM_STR_ARG(job->place.folder));
}

/* The turn has ended: its report goes where its payload came from. */
static void leave_report(struct tui_talk *talk, bool ran)
{
	struct tui_payload_job *job = talk->after_own;

	talk->after_own = NULL;
	job->thread = talk->thread;
	if (ran && job->place.folder.n) {
		tui_payload_post(talk->app, job);
		return;
	}
	loom_arena_destroy(job->arena);
	free(job);
}

static void send_to(struct tui_app *app, struct loom_str name)
{
	const struct tui_person *person = tui_people_named(&app->people, loom_str_trim(name));
	struct tui_payload_shown shown;
	struct tui_payload_job *job;
	struct tui_talk *talk;

	if (!tui_payload_shown(app, &shown))
		return;
	if (!hears(person)) {
		tui_say(app, TUI_ROLE_WARN,
			"no agent called \"%.*s\" can be talked to \xc2\xb7 oa "
			"lists the agents",
			LOOM_STR_ARG(loom_str_trim(name)));
		return;
	}
	talk = tui_talk_of(app, person->agent.id, app->tree.id, 0);
	if (!tui_talk_hand(talk, shown.text))
		return;
	job = tui_payload_job(app);
	job->run = tui_payload_report;
	job->done = reported;
	loom_payload_turn_of(shown.lists, job->arena, &job->place);
	talk->after = leave_report;
	talk->after_own = job;
	tui_talk_open(app, talk);
}

TUI_DO(PAYLOAD_SEND)
{
	const struct tui_person *person = goal(app);

	if (!app->tree.id)
		tui_bare_say(app);
	else if (!person)
		tui_say(app, TUI_ROLE_WARN,
			"there is no agent to talk to \xc2\xb7 :agent add NAME --permissions "
			"loom_aware --model M");
	else
		tui_prompt_line(app, "send it to: ", person->agent.name, send_to);
}

/* ---- saving and copying ---- */

TUI_DO(PAYLOAD_SAVE)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	struct loom_payload_made turn;
	struct tui_payload_shown shown;

	if (!tui_payload_shown(app, &shown))
		return;
	loom_payload_turn_of(shown.lists, app->arena, &turn);
	loom_buf_adds(&line, "payload ");
	if (turn.folder.n)
		loom_buf_addf(&line, "--session \"%.*s\" --turn %.*s -o \"%.*s/input.md\"",
			      LOOM_STR_ARG(turn.session), LOOM_STR_ARG(turn.turn),
			      LOOM_STR_ARG(turn.folder));
	else
		loom_buf_adds(&line, "-o input.md");
	tui_prompt_command(app, loom_buf_str(&line), SIZE_MAX);
	loom_buf_fini(&line);
}

TUI_DO(PAYLOAD_COPY)
{
	struct tui_payload_shown shown;

	if (tui_payload_shown(app, &shown))
		tui_copy(app, shown.text, "input.md");
}
