/* The pictures of README.md: the program itself, drawn by the harness. UPDATE=1 writes them anew
 * into tests/screens/pictures; otherwise the test says when one is missing or cannot be drawn. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/scene.h"

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
	desk_add(desk, marie, true,
		 "Inside, the clocks had stopped at different times, as if the rooms had "
		 "disagreed about when she would come.");
	letter = desk_add(desk, marie, true,
			  "There was a letter on the stairs. It was addressed to the house.");
	desk_add(desk, letter, false, "She read it to the house, aloud, because it seemed fair.");
	desk_add(desk, letter, true,
		 "She put it back unopened. Houses, too, have a right to silence.");
	desk_add(desk, marie, true, "A dog was asleep in the hall, and it was not her dog.");
	scene_threads(&desk->grove.temp, &desk->grove.env);
	scene_talk(&desk->grove, desk->tree);
	scene_payload(&desk->grove.temp);
}

static const char *draw(const char *name, const char *keys)
{
	struct desk desk;
	struct pty *pty;
	char path[400];
	bool update = getenv("UPDATE") != NULL;
	bool drawn;

	make_scene(&desk);
	pty = desk_open(&desk, 130, 34, NULL);
	pty_type(pty, keys);
	snprintf(path, sizeof path, "%s/screens-%s.svg", LOOM_BUILD, name);
	if (update)
		snprintf(path, sizeof path, "%s/tests/screens/pictures/%s.svg", LOOM_SOURCE, name);
	drawn = pty_svg(pty, path);
	pty_close(pty);
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
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "desk", "ll]zR]]ll");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "compare", "ll]]]zRl=");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "help", "?");
	RUN_TESTp(the_pictures_of_the_readme_can_be_drawn, "threads", "oh Gr");
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
