/* kill -9 while somebody types: at most the last second is lost, and what is there is the beginning
 * of what was typed. LOOM_TEST_ROUNDS says how often. Several sit side by side, each with a grove
 * of its own, so that the rounds take less than their sum. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/clock.h"
#include "support/prop.h"

#include <loom/grove/draft.h>
#include <poll.h>

#define SEATS    20
#define TEXT_MAX 100000

#ifdef LOOM_INSTRUMENTED
#define USUAL_ROUNDS 60
#define LOST_MS      2500 /* a sanitizer makes everything wait */
#else
#define USUAL_ROUNDS 200
#define LOST_MS      1000
#endif

/* A person who types. */
struct seat {
	struct desk desk;
	struct pty *pty;
	struct loom_buf text; /* all that was typed, from what was found on */
	int64_t at[TEXT_MAX]; /* when each byte of it was */
	int64_t next, killed_at;
	size_t found; /* bytes that were there at the last look */
};

static long rounds_wanted(void)
{
	const char *wish = getenv("LOOM_TEST_ROUNDS");

	return wish ? strtol(wish, NULL, 10) : USUAL_ROUNDS;
}

static void sit_down(struct seat *seat)
{
	desk_init(&seat->desk, LOOM_DIALOGUE);
	loom_buf_init(&seat->text, TEXT_MAX);
}

static void stand_up(struct seat *seat)
{
	desk_fini(&seat->desk);
	loom_buf_fini(&seat->text);
}

/* Opens the text below the root again and waits until it can be written. */
static void begin(struct seat *seat, struct prop *prop)
{
	seat->pty = desk_open(&seat->desk, 80, 24, NULL);
	pty_type(seat->pty, "ggi");
	seat->next = clock_ms();
	seat->killed_at = seat->next + prop_between(prop, 100, 2000);
}

static void type_one(struct seat *seat, struct prop *prop)
{
	char c = prop_once_in(prop, 6) ? ' ' : (char)('a' + (int)prop_below(prop, 26));

	seat->at[seat->text.n] = clock_ms();
	loom_buf_addc(&seat->text, c);
	pty_write(seat->pty, loom_str_make(&c, 1));
	seat->next += prop_once_in(prop, 30) ? 700 : prop_between(prop, 5, 70);
}

/* All type until each of them is killed. */
static void type_all(struct seat *seats, struct prop *prop)
{
	for (size_t left = SEATS; left > 0;) {
		left = 0;
		for (size_t i = 0; i < SEATS; i++) {
			struct seat *seat = &seats[i];
			int64_t now = clock_ms();

			if (!seat->pty)
				continue;
			left++;
			pty_take(seat->pty);
			if (now >= seat->killed_at) {
				seat->killed_at = now;
				pty_close(seat->pty);
				seat->pty = NULL;
			} else if (now >= seat->next && seat->text.n + 1 < TEXT_MAX) {
				type_one(seat, prop);
			}
		}
		poll(NULL, 0, 2);
	}
}

/* The text that was saved; the newest when there are several. */
static struct loom_str kept(struct seat *seat)
{
	struct grove *grove = &seat->desk.grove;
	struct loom_draft *drafts = NULL;
	struct loom_err err;
	size_t count = 0;

	loom_arena_reset(grove->arena);
	grove_must(loom_draft_list(grove->store, grove->arena, &drafts, &count, &err), &err,
		   "drafts");
	return count ? drafts[0].text : LOOM_STR("");
}

/* NULL when no more is lost than may be. */
static const char *wrong_text(struct seat *seat, int64_t *worst)
{
	struct loom_str text = kept(seat);
	struct loom_str typed = loom_buf_str(&seat->text);
	int64_t lost;

	if (text.n < seat->found)
		return "what had been kept is gone";
	if (!loom_str_starts(typed, text))
		return "what is kept was never typed";
	lost = text.n < typed.n ? seat->killed_at - seat->at[text.n] : 0;
	*worst = lost > *worst ? lost : *worst;
	loom_buf_cut(&seat->text, text.n);
	seat->found = text.n;
	return lost > LOST_MS ? "more than a second of text is lost" : NULL;
}

static bool grove_is_right(const struct desk *desk)
{
	char command[1200];

	snprintf(command, sizeof command, "HOME='%s' '%s' -g '%s' check --deep >/dev/null",
		 desk->grove.temp.path, SCREENS_LOOM, desk->grove.temp.path);
	return system(command) == 0;
}

TEST killing_loses_at_most_a_second_of_text(void)
{
	struct seat *seats = loom_alloc(SEATS * sizeof *seats);
	const char *wrong = NULL;
	struct prop prop;
	int64_t worst = 0;
	size_t found = 0;
	long rounds = 0;

	prop_init(&prop, "killed");
	for (size_t i = 0; i < SEATS; i++)
		sit_down(&seats[i]);
	for (; !wrong && rounds < rounds_wanted(); rounds += SEATS) {
		for (size_t i = 0; i < SEATS; i++)
			begin(&seats[i], &prop);
		type_all(seats, &prop);
		for (size_t i = 0; i < SEATS && !wrong; i++)
			wrong = wrong_text(&seats[i], &worst);
	}
	for (size_t i = 0; i < SEATS; i++) {
		if (!wrong && !grove_is_right(&seats[i].desk))
			wrong = "the grove is not consistent";
		found += seats[i].found;
		stand_up(&seats[i]);
	}
	if (!wrong && found == 0)
		wrong = "nothing was ever kept";
	free(seats);
	printf("%ld rounds, at most %lld ms lost\n", rounds, (long long)worst);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(killed)
{
	RUN_TEST(killing_loses_at_most_a_second_of_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(killed);
	GREATEST_MAIN_END();
}
