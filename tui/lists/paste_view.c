/* A paste that is more than text: turns, calls and invisible characters are listed before anything
 * is done. Enter inserts it as text, t makes nodes of the turns, ! shows the calls, Esc sets it
 * aside. Nothing in it acts by itself. */
#include <loom/lists/paste_view.h>

#include <loom/desk/does.h>

#include <loom/lists/list.h>
#include <loom/desk/enter_tree.h>
#include <loom/lists/approve.h>
#include <loom/writing/text_editor.h>

static void paste_again(struct tui_app *app);

#define ROWS_MAX 2000 /* turns, and calls, to show */

enum row { ROW_TURN, ROW_CALL, ROW_REFUSED, ROW_UNSEEN };

static const struct tui_list_kind kind;

/* ---- whose ---- */

/* Returns the author of a speaker's words; NULL: the agent named in the header. */
static const struct tui_person *person_of(const struct tui_app *app, enum loom_speaker speaker)
{
	size_t choice = app->pasted->author_of[speaker];

	return choice && choice <= app->people.count ? &app->people.items[choice - 1] : NULL;
}

static struct loom_str name_of(const struct loom_spoken *turn)
{
	struct loom_str name = loom_str_trim(turn->author);

	return name.n ? name : loom_str_of(loom_speaker_name(turn->speaker));
}

/* A person's words belong to the person here; a model's to the agent of that name. */
static void guess_authors(struct tui_app *app)
{
	for (size_t i = 0; i < app->people.count; i++) {
		if (app->people.items[i].agent.id != app->actor)
			continue;
		for (size_t k = 0; k < TUI_SPEAKERS; k++)
			app->pasted->author_of[k] = k == LOOM_SPEAKER_MODEL ? 0 : i + 1;
	}
}

static void say_author(const struct tui_app *app, const struct loom_spoken *turn,
		       struct loom_buf *out)
{
	const struct tui_person *person = person_of(app, turn->speaker);
	const struct loom_str name =
		person ? loom_agent_called(person->agent.id, app->actor, person->agent.name)
		       : name_of(turn);

	loom_buf_addf(out, "by %.*s", LOOM_STR_ARG(name));
	if (!person && !tui_people_named(&app->people, name))
		loom_buf_adds(out, " (new)");
}

/* ---- rows ---- */

/* The node of this tree that a header names, if its text is the same; otherwise 0. */
static int64_t stands_here(struct tui_app *app, const struct loom_spoken *turn)
{
	struct loom_arena *arena;
	struct loom_node node;
	int64_t found = 0;

	if (turn->form != LOOM_TURNS_NODE || !turn->id.n)
		return 0;
	arena = loom_arena_create();
	if (loom_node_find(app->store, app->tree.id, turn->id, arena, &node, NULL) == LOOM_OK &&
	    loom_node_get(app->store, node.id, LOOM_NODE_TEXT, arena, &node, NULL) == LOOM_OK &&
	    loom_str_eq(loom_str_trim(node.text), loom_str_trim(turn->text)))
		found = node.id;
	loom_arena_destroy(arena);
	return found;
}

static bool makes_node(const struct tui_pasted *pasted, size_t i)
{
	const struct loom_spoken *turn = &pasted->turns.items[i];

	return turn->form != LOOM_TURNS_FRAME && turn->text.n && !pasted->left_out[i];
}

static enum tui_role speaker_role(enum loom_speaker speaker)
{
	return speaker == LOOM_SPEAKER_HUMAN   ? TUI_ROLE_HUMAN
	       : speaker == LOOM_SPEAKER_MODEL ? TUI_ROLE_MODEL
					       : TUI_ROLE_DIM;
}

static void add_turn(struct tui_app *app, struct tui_list *list, size_t i)
{
	const struct loom_spoken *turn = &app->pasted->turns.items[i];
	struct loom_arena *arena = tui_list_arena(list);
	bool frame = turn->form == LOOM_TURNS_FRAME || !turn->text.n;
	bool in = makes_node(app->pasted, i);
	struct loom_buf end = LOOM_BUF_INIT(1 << 12);
	char head[TUI_ROW_TEXT];
	struct tui_entry entry = {.lead = loom_arena_format(arena, "%s %s",
							    in      ? "[x]"
							    : frame ? "   "
								    : "[ ]",
							    loom_speaker_name(turn->speaker)),
				  .lead_role = in ? speaker_role(turn->speaker) : TUI_ROLE_DIM,
				  .role = in ? TUI_ROLE_TEXT : TUI_ROLE_DIM,
				  .id = 1 + (int64_t)i,
				  .other = ROW_TURN};

	entry.text =
		frame ? loom_str_sub(app->pasted->turns.text, turn->begin, turn->end - turn->begin)
		      : turn->text;
	entry.text =
		loom_arena_str(arena,
			       loom_str_make(head, tui_text_head(entry.text, head, sizeof head)));
	if (frame)
		loom_buf_adds(&end, "no node");
	else if (stands_here(app, turn))
		loom_buf_adds(&end, "is here already");
	else if (in)
		say_author(app, turn, &end);
	else
		loom_buf_adds(&end, "left out");
	entry.end = loom_arena_buf(arena, &end);
	tui_list_add(list, &entry);
	loom_buf_fini(&end);
}

static void add_calls(struct tui_app *app, struct tui_list *list)
{
	const struct loom_turn *found = app->pasted->found;
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (found->call_count + found->error_count)
		tui_list_add(list,
			     &(struct tui_entry){.heading = true,
						 .text = loom_arena_format(
							 arena, "%zu %s; nothing runs by itself",
							 found->call_count,
							 loom_plural((int64_t)found->call_count,
								     "call", "calls"))});
	for (size_t i = 0; i < found->call_count && i < ROWS_MAX; i++) {
		loom_buf_clear(&line);
		loom_call_print(&found->calls[i], &line);
		tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("    →"),
						       .lead_role = TUI_ROLE_CALL,
						       .text = loom_arena_buf(arena, &line),
						       .role = TUI_ROLE_CALL,
						       .end = loom_arena_format(
							       arena, "line %lld",
							       (long long)found->calls[i].line),
						       .id = 1000000 + (int64_t)i,
						       .other = ROW_CALL});
	}
	for (size_t i = 0; i < found->error_count && i < ROWS_MAX; i++)
		tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("    ✗"),
						       .lead_role = TUI_ROLE_WARN,
						       .text = found->errors[i].message,
						       .role = TUI_ROLE_WARN,
						       .end = loom_arena_format(
							       arena, "line %lld",
							       (long long)found->errors[i].line),
						       .id = 2000000 + (int64_t)i,
						       .other = ROW_REFUSED});
	loom_buf_fini(&line);
}

static void add_unseen(struct tui_app *app, struct tui_list *list)
{
	const struct loom_turns *turns = &app->pasted->turns;
	struct loom_arena *arena = tui_list_arena(list);

	if (turns->unseen_count)
		tui_list_add(list, &(struct tui_entry){.heading = true,
						       .text = LOOM_STR("invisible characters")});
	for (size_t i = 0; i < turns->unseen_count; i++)
		tui_list_add(list,
			     &(struct tui_entry){
				     .lead = loom_arena_format(arena, "    %s",
							       turns->unseen[i].name),
				     .lead_role = TUI_ROLE_MARK,
				     .text = loom_arena_format(arena, "%lld · first in line %lld",
							       (long long)turns->unseen[i].count,
							       (long long)turns->unseen[i].line),
				     .role = TUI_ROLE_WARN,
				     .id = 3000000 + (int64_t)i,
				     .other = ROW_UNSEEN});
	if (turns->unseen_other)
		tui_list_add(list, &(struct tui_entry){.text = loom_arena_format(
							       arena, "%lld more of other kinds",
							       (long long)turns->unseen_other),
						       .role = TUI_ROLE_WARN,
						       .id = 3000000 + LOOM_UNSEEN_MAX,
						       .other = ROW_UNSEEN});
}

static enum loom_status read_paste(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_arena *arena = tui_list_arena(list);
	size_t count, nodes = 0;
	struct loom_buf head = LOOM_BUF_INIT(1 << 12);

	(void)err;
	if (!app->pasted)
		return LOOM_OK;
	count = app->pasted->turns.count;
	for (size_t i = 0; i < count; i++)
		nodes += makes_node(app->pasted, i);
	loom_buf_add_count(&head, app->pasted->text.n);
	loom_buf_adds(&head, " bytes");
	if (app->pasted->turns.form == LOOM_TURNS_PLAIN)
		loom_buf_adds(&head, " · no turns");
	else
		loom_buf_addf(&head, " · %zu %s, written as %s · %zu would be nodes", count,
			      loom_plural((int64_t)count, "turn", "turns"),
			      loom_turns_form_name(app->pasted->turns.form), nodes);
	tui_list_add(list,
		     &(struct tui_entry){.heading = true, .text = loom_arena_buf(arena, &head)});
	for (size_t i = 0; i < count && i < ROWS_MAX; i++)
		add_turn(app, list, i);
	if (count > ROWS_MAX)
		tui_list_add(list,
			     &(struct tui_entry){.heading = true,
						 .text = loom_arena_format(arena,
									   "and %zu more turns",
									   count - ROWS_MAX)});
	add_calls(app, list);
	add_unseen(app, list);
	loom_buf_fini(&head);
	return LOOM_OK;
}

/* ---- the text beside ---- */

static void side(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	const struct tui_pasted *pasted = app->pasted;
	const struct loom_spoken *turn;

	if (!pasted || !entry)
		return;
	out->title = LOOM_STR("what was pasted");
	out->text = pasted->text;
	if (entry->other == ROW_TURN) {
		turn = &pasted->turns.items[entry->id - 1];
		out->title = turn->author.n ? turn->author : entry->lead;
		out->text = turn->text.n ? turn->text
					 : loom_str_sub(pasted->turns.text, turn->begin,
							turn->end - turn->begin);
	} else if (entry->other == ROW_REFUSED) {
		out->title = entry->text;
		out->text = pasted->found->errors[entry->id - 2000000].text;
		out->role = TUI_ROLE_WARN;
	} else if (entry->other == ROW_CALL) {
		out->title = LOOM_STR("a call");
		out->text = entry->text;
		out->role = TUI_ROLE_CALL;
	}
}

/* ---- what is done with it ---- */

static void drop(struct tui_app *app)
{
	tui_pasted_free(app->pasted);
	app->pasted = NULL;
}

static void insert(struct tui_app *app)
{
	struct tui_pasted *pasted = app->pasted;

	tui_list_close(app);
	app->pasted = NULL;
	if (!app->writing)
		tui_write_new(app);
	tui_write_paste(app, pasted->text);
	tui_pasted_free(pasted);
}

static void make_nodes(struct tui_app *app)
{
	struct tui_pasted *pasted = app->pasted;
	struct loom_paste_node *nodes =
		LOOM_ARENA_ARRAY(app->arena, pasted->turns.count, struct loom_paste_node);
	size_t count = 0;

	if (!app->tree.id) {
		tui_bare_say(app);
		return;
	}
	for (size_t i = 0; i < pasted->turns.count; i++) {
		const struct loom_spoken *turn = &pasted->turns.items[i];
		const struct tui_person *person = person_of(app, turn->speaker);

		if (makes_node(pasted, i))
			nodes[count++] =
				(struct loom_paste_node){.line = turn->line,
							 .human = turn->speaker !=
								  LOOM_SPEAKER_MODEL,
							 .author = person ? person->agent.id : 0,
							 .name = name_of(turn),
							 .header = turn->author,
							 .when = turn->when,
							 .text = turn->text,
							 .known = stands_here(app, turn)};
	}
	if (!count) {
		tui_say(app, TUI_ROLE_DIM, "no turn in it can become a node");
		return;
	}
	tui_pasted_write(app, nodes, count);
	tui_list_close(app);
	drop(app);
}

/* Chooses the next possible author: as written, then everybody here. */
static void change_author(struct tui_app *app, const struct tui_entry *entry)
{
	enum loom_speaker speaker;

	if (!entry || entry->other != ROW_TURN) {
		tui_say(app, TUI_ROLE_DIM, "only turns have an author: move to one");
		return;
	}
	speaker = app->pasted->turns.items[entry->id - 1].speaker;
	app->pasted->author_of[speaker] =
		(app->pasted->author_of[speaker] + 1) % (app->people.count + 1);
	tui_list_refresh(app);
}

static void leave_out(struct tui_app *app, const struct tui_entry *entry)
{
	bool *left;

	if (!entry || entry->other != ROW_TURN)
		return;
	left = &app->pasted->left_out[entry->id - 1];
	*left = !*left;
	tui_list_refresh(app);
}

static void leave(struct tui_app *app)
{
	struct loom_buf keys = LOOM_BUF_INIT(64);

	tui_list_close(app);
	tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, TUI_ACTION_PASTE_AGAIN, &keys);
	tui_say(app, TUI_ROLE_TEXT, "paste set aside · %s shows it again", loom_buf_cstr(&keys));
	loom_buf_fini(&keys);
}

static void back_to_paste(struct tui_app *app, void *to)
{
	(void)to;
	paste_again(app);
}

TUI_DO(PASTE_TEXT)
{
	if (app->pasted)
		insert(app);
	else
		tui_nothing_here(app, match);
}

TUI_DO(PASTE_NODES)
{
	if (app->pasted)
		make_nodes(app);
	else
		tui_nothing_here(app, match);
}

TUI_DO(PASTE_WHOSE)
{
	if (app->pasted)
		change_author(app, tui_list_at(app->list));
	else
		tui_nothing_here(app, match);
}

TUI_DO(PASTE_CALLS)
{
	if (app->pasted)
		tui_approve_paste(app, back_to_paste);
	else
		tui_nothing_here(app, match);
}

TUI_MEANS(pick)
{
	if (!app->pasted)
		return false;
	leave_out(app, tui_list_at(app->list));
	tui_list_step(app, 1);
	return true;
}

TUI_MEANS(zoom)
{
	if (app->pasted)
		tui_list_zoom(app->list);
	return app->pasted != NULL;
}

static const struct tui_meaning means[] = {{TUI_ACTION_SELECT, pick, 0},
					   {TUI_ACTION_IN, zoom, 0},
					   {.command = TUI_COMMAND_NONE}};

static const struct tui_list_kind kind = {
	.title = "A paste",
	.unit = "row",
	.empty = "nothing was pasted",
	.view = TUI_KEYVIEW_PASTE,
	.read = read_paste,
	.means = means,
	.side = side,
	.leave = leave,
	.over = true,
};

/* ---- a paste arrives ---- */

static void show(struct tui_app *app, struct tui_pasted *pasted)
{
	drop(app);
	app->pasted = pasted;
	guess_authors(app);
	tui_list_open(app, &kind, LOOM_STR(""));
}

static void looked(struct tui_app *app, struct tui_pasted *pasted)
{
	bool asked = tui_list_is(app->list, &kind) && tui_list_waits(app->list);

	drop(app);
	app->pasted = pasted;
	guess_authors(app);
	if (!asked)
		return;
	tui_list_ready(app);
	if (tui_pasted_asks(pasted))
		tui_list_refresh(app);
	else
		insert(app);
}

void tui_paste(struct tui_app *app, struct loom_str text)
{
	struct tui_pasted *pasted;

	if (text.n > TUI_PASTE_AT_ONCE) {
		drop(app);
		tui_list_open(app, &kind, LOOM_STR(""));
		tui_list_wait(app->list);
		tui_pasted_look(app, text, looked);
		return;
	}
	pasted = tui_pasted_read(text);
	if (tui_pasted_asks(pasted)) {
		show(app, pasted);
		return;
	}
	tui_pasted_free(pasted);
	if (!app->writing && app->list)
		tui_say(app, TUI_ROLE_DIM, "a paste goes into the tree: q leaves this view");
	else if (!app->writing)
		tui_write_new(app);
	if (app->writing)
		tui_write_paste(app, text);
}

/* Opens the paste that was set aside. */
static void paste_again(struct tui_app *app)
{
	if (app->pasted)
		tui_list_open(app, &kind, LOOM_STR(""));
	else
		tui_say(app, TUI_ROLE_DIM, "no paste set aside");
}

TUI_DO(PASTE_AGAIN)
{
	paste_again(app);
}

static void closed(struct tui_app *app)
{
	tui_pasted_free(app->pasted);
}

const struct tui_view tui_view_pastes = {.told = {[TUI_TOLD_CLOSED] = closed}};
