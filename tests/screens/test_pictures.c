/* The pictures of README.md: the program itself, drawn by the harness. UPDATE=1 writes them anew
 * into tests/screens/pictures; otherwise the test says when one is missing or cannot be drawn. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/scene.h"

#include <loom/grove/grant.h>

#include <sys/stat.h>
#include <unistd.h>

/* A small scene to write in: a beginning, three ways to go on, one of them gone further. */
static void make_scene(struct desk *desk)
{
	int64_t marie;
	int64_t letter;

	desk_init(desk, LOOM_DIALOGUE);
	marie = desk_add(
		desk, desk->nodes[1], false,
		"Marie had not been back since the funeral. The key still turned, but the "
		"door had forgotten how to open, and she had to lean on it with her shoulder.");
	letter = desk_add(desk, marie, true,
			  "There was a letter on the stairs. It was addressed to the house.");
	desk_add(desk, letter, false, "She read it to the house, aloud, because it seemed fair.");
	desk_add(desk, letter, true,
		 "She put it back unopened. Houses, too, have a right to silence.");
	desk_add(
		desk, marie, true,
		"There was a letter on the table. It was addressed to her, in her own hand, and it "
		"was not yet open.");
	desk_add(desk, marie, true,
		 "There was a dog asleep on the stairs. It was not her dog, and it was not "
		 "surprised.");
	scene_threads(&desk->grove.temp, &desk->grove.env);
	scene_talk(&desk->grove, desk->tree);
	scene_payload(&desk->grove.temp);
}

/* An agent that knows of the loom, and how much its model takes. */
static void add_agent(struct desk *desk)
{
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .model = LOOM_STR("claude"),
				  .aware = true};
	struct loom_grant grant = {.may = LOOM_MAY_AWARE | LOOM_MAY_WRITE};
	struct loom_agent row;
	struct loom_err err;
	int64_t agent = 0;

	grove_begin(&desk->grove, "agent");
	if (loom_agent_find(desk->grove.store, spec.name, desk->grove.arena, &row, NULL) == LOOM_OK)
		agent = row.id; /* the scene's own */
	else
		grove_must(loom_agent_create(desk->grove.store, &spec, &agent, &err), &err,
			   "agent");
	grove_commit(&desk->grove);
	grove_must(loom_agent_get(desk->grove.store, agent, desk->grove.arena, &row, &err), &err,
		   "agent");
	grove_must(loom_grant_set(desk->grove.store, &row.ulid, &grant, &err), &err, "grant");
}

static void write_config(const struct desk *desk)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof path, "%s/.config", desk->grove.temp.path);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/.config/loom", desk->grove.temp.path);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/.config/loom/config.json", desk->grove.temp.path);
	file = fopen(path, "w");
	if (!file)
		return;
	fputs("{\"providers\":{\"here\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:1/"
	      "v1\"}},"
	      "\"models\":{\"claude\":{\"provider\":\"here\",\"id\":\"claude\",\"context\":5000}},"
	      "\"agents\":{\"Claude\":{\"model\":\"claude\",\"sampling\":{\"tokens\":1024}}}}",
	      file);
	fclose(file);
}

/* Keys on lines of their own are typed one after the other, each when the one before has
 * been done. */
static void type_all(struct pty *pty, const char *keys)
{
	char part[200];

	while (*keys) {
		size_t n = strcspn(keys, "\n");

		snprintf(part, sizeof part, "%.*s", (int)n, keys);
		pty_type(pty, part);
		pty_settle(pty);
		keys += n + (keys[n] != '\0');
	}
}

/* As a given agent, in a theme with a background of its own. */
static struct pty *open_as(const struct desk *desk, const char *agent)
{
	char home[600];
	char state[600];
	char actor[100];
	const char *const argv[] = {SCREENS_LOOM, "-g", desk->grove.temp.path, NULL};
	const char *const env[] = {home, state, "COLORTERM=truecolor", agent ? actor : NULL, NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .w = 120, .h = 28};
	struct pty *pty;

	snprintf(home, sizeof home, "HOME=%s", desk->grove.temp.path);
	snprintf(state, sizeof state, "XDG_STATE_HOME=%s", desk->grove.temp.path);
	snprintf(actor, sizeof actor, "LOOM_AGENT=%s", agent ? agent : "");
	pty = pty_open(&opts);
	pty_settle(pty);
	pty_type(pty, ":theme dark\r");
	pty_settle(pty);
	return pty;
}

static const char *draw(const char *name, const char *keys)
{
	struct desk desk;
	struct pty *other;
	struct pty *pty;
	char path[400];
	bool update = getenv("UPDATE") != NULL;
	bool drawn;

	make_scene(&desk);
	add_agent(&desk);
	write_config(&desk);
	other = open_as(&desk, "Claude"); /* somebody is there too */
	type_all(other, "ll]]]ll");
	pty = open_as(&desk, NULL);
	pty_until(pty, "1 other here");
	type_all(pty, keys);
	snprintf(path, sizeof path, "%s/screens-%s.svg", LOOM_BUILD, name);
	if (update)
		snprintf(path, sizeof path, "%s/tests/screens/pictures/%s.svg", LOOM_SOURCE, name);
	drawn = pty_svg(pty, path);
	pty_close(pty);
	pty_close(other);
	desk_fini(&desk);
	snprintf(path, sizeof path, "%s/tests/screens/pictures/%s.svg", LOOM_SOURCE, name);
	if (access(path, R_OK) != 0)
		return "the picture is missing: UPDATE=1 writes it";
	return drawn ? NULL : "the picture cannot be drawn";
}

TEST the_pictures_of_the_readme_can_be_drawn(const char *name, const char *keys)
{
	const char *wrong = draw(name, keys);

	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(pictures)
{
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "desk",
		  "ll]\nzR\nzc\n]]l\np\n:stash \"the key\" content-of:e8c4\r\nom\n\t");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "compare", "ll]]]zRl=");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "help", "?");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "threads", "oh\n \njjjj\nr");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "inspector", "ll]]]ll\noc\n\t");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "lens", "ll]]]\nc\nzl\t\nllll");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "payload", "opj");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "talk", "ohjjjj\rggjljj");
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(pictures);
	GREATEST_MAIN_END();
}
