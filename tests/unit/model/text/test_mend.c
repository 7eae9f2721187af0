/* Seams of answers. The corpus is made by rules: texts of several registers are cut somewhere, what
 * follows is the author's, and an answer is that with one kind of fault around it, as chat models
 * have it. So it is known for each answer what must be left out, and that nothing else may be. */
#include <greatest.h>
#include "support/prop.h"

#include <loom/text/mend.h>

#include <stdio.h>

#define ANSWERS 1000

/* ---- texts ---- */

static const char *const stories[][8] = {
	{"The ship rounded the headland and the harbour opened before them.",
	 "Nobody on deck said a word while the anchor chain ran out into eleven fathoms.",
	 "Marie had kept the letter in her coat since Lisbon, and now the ink was beginning to "
	 "run.",
	 "Somewhere above the warehouses a bell was striking the quarter.",
	 "She counted the lamps along the quay, lost the number, and began again from the left.",
	 "Old Pereira spat into the water without taking the pipe out of his mouth."},
	{"A buffer is read through one function, which knows where each passage begins.",
	 "When the caller asks for a range, the function copies nothing but returns slices.",
	 "Errors are reported once, by the layer that met them first.",
	 "In practice this keeps the hot path under forty nanoseconds on the machines we measured.",
	 "Measurements were taken with the clock fixed and the governor set to performance.",
	 "Table 7 lists the medians of 31 runs, without the first two."},
	{"Dear Anton, your parcel came on Tuesday and nothing in it was broken.",
	 "The children have eaten half of the quinces already, though I told them to wait.",
	 "We shall be in town until the ninth, perhaps longer if the trains stay as they are.",
	 "My sister sends her love and asks whether the piano was ever sold.",
	 "Write soon, and tell us what the doctor thinks of your knee."},
	{"Der Zug hielt auf freier Strecke, und niemand wusste warum.",
	 "Draußen lag Schnee über den Feldern, so weit man sehen konnte.",
	 "Ein Mann im Gang öffnete das Fenster und schloss es gleich wieder.",
	 "Nach einer Stunde kam der Schaffner und sprach leise mit den Leuten."},
	{"Утром пошёл снег, и дорога к станции исчезла.",
	 "Старик сидел у окна и молча смотрел на белое поле.",
	 "Никто не приходил к нему уже третью неделю подряд.",
	 "Собака под столом вздохнула и снова закрыла глаза."},
	{"清晨的雾还没有散，渡口已经站满了人。", "老船夫把竹篙插进水里，一句话也不说。",
	 "对岸的钟声传过来，轻得像一片叶子。", "孩子们数着船上的灯，数到一半又忘了。"},
};
enum { DENSE = 5 };

struct sample {
	char before[2048];
	char truth[1024]; /* what must be read behind it */
	char came[4096];
	bool open;
	bool inner;      /* it was cut inside a sentence */
	unsigned labels; /* the faults that are in it */
};

static size_t sentences(size_t story)
{
	size_t n = 0;

	while (n < LOOM_COUNT(stories[story]) && stories[story][n])
		n++;
	return n;
}

static const char *gap(size_t story)
{
	return story == DENSE ? "" : " ";
}

static size_t character(const char *text, size_t at)
{
	while (((unsigned char)text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

static bool is_apart(const char *text, size_t at)
{
	return text[at] == ' ' && text[at - 1] != ',';
}

/* Cuts a sentence between words; a text without blanks between characters. */
static size_t cut_words(struct prop *prop, size_t story, const char *text)
{
	const size_t n = strlen(text);
	size_t at;

	do {
		at = 1 + prop_below(prop, n - 2);
		at = story == DENSE ? character(text, at) : at;
	} while (at >= n || (story != DENSE && !is_apart(text, at)));
	return at;
}

/* Cuts it inside a long word that stands nowhere else. */
static size_t cut_inside(struct prop *prop, const char *text)
{
	const size_t n = strlen(text);

	for (int i = 0; i < 400; i++) {
		const size_t at = 4 + prop_below(prop, n - 4);
		size_t from = at;
		size_t to = at;

		while (from && text[from - 1] >= 'a' && text[from - 1] <= 'z')
			from--;
		while (text[to] >= 'a' && text[to] <= 'z')
			to++;
		if (at - from >= 3 && to - at >= 3 && strncmp(text + from, "not", 3) != 0 &&
		    strncmp(text + from, "with", 4) != 0 && (!from || text[from - 1] == ' ') &&
		    (unsigned char)text[to] < 0x80)
			return at;
	}
	return 0;
}

/* A text and its continuation: `how` is 0 between words, 1 behind a blank, 2 behind a sentence,
 * 3 behind a paragraph, 4 inside a word. */
static void cut(struct prop *prop, struct sample *out, unsigned how)
{
	const size_t story = prop_below(prop, how == 4 ? 3 : LOOM_COUNT(stories));
	const size_t of = sentences(story);
	const size_t at = 1 + prop_below(prop, of - 2);
	const char *now = stories[story][at];
	size_t end = how == 4 ? cut_inside(prop, now) : cut_words(prop, story, now);
	size_t n = 0;

	*out = (struct sample){.open = how == 4 && end};
	for (size_t i = prop_below(prop, at); i < at; i++)
		n += (size_t)snprintf(out->before + n, sizeof out->before - n, "%s%s",
				      stories[story][i],
				      how == 3 && i + 1 == at   ? "\n\n"
				      : how == 2 && i + 1 == at ? ""
								: gap(story));
	out->inner = how != 2 && how != 3 && end;
	if (!out->inner) {
		snprintf(out->truth, sizeof out->truth, "%s%s", how == 2 ? gap(story) : "", now);
		return;
	}
	end += how == 1 && now[end] == ' ';
	snprintf(out->before + n, sizeof out->before - n, "%.*s", (int)end, now);
	snprintf(out->truth, sizeof out->truth, "%s%s%s", now + end, gap(story),
		 stories[story][at + 1]);
}

/* ---- faults ---- */

/* The continuation as a model gives it back that drops blanks at the start. */
static const char *bare(struct sample *s)
{
	if (s->truth[0] != ' ')
		return s->truth;
	s->labels |= 1u << LOOM_FAULT_WELD;
	return s->truth + 1;
}

static void wrap(struct sample *s, enum loom_fault fault, const char *head, const char *tail)
{
	s->labels |= 1u << fault;
	snprintf(s->came, sizeof s->came, "%s%s%s", head, bare(s), tail);
}

static const char *pick(struct prop *prop, const char *const *list, size_t n)
{
	return list[prop_below(prop, n)];
}
#define PICK(list) pick(prop, list, LOOM_COUNT(list))

static const char *const heads[] = {
	"Sure! Here is a continuation:\n\n",
	"Certainly! Here's the continuation of the text:\n\n",
	"Here is the continuation:\n",
	"Here's how the story might continue:\n\n",
	"Of course. I'll continue the passage from where it left off.\n\n",
	"Okay, let me continue the story: ",
	"Absolutely! Continuing from where you left off:\n\n",
	"I'd be happy to continue the story.\n\n",
	"Here’s a possible continuation of the passage:\n\n",
	"**Here is the continuation:**\n\n",
	"Below is the continuation of your text:\n\n",
	"Sure, here's the next part of the story:\n\n",
	"I'll continue the text in the same style.\n",
	"Certainly. Let me pick up where the text left off.\n\n",
};
static const char *const labels[] = {
	"Assistant: ",          "AI: ",
	"**Continuation:** ",   "Continuation:\n\n",
	"### Continuation\n\n", "**Assistant**: ",
	"Continued: ",          "## Continued Text\n",
	"Assistant:\n",
};
static const char *const remarks[] = {
	"[Continuing from where the text left off]\n\n",
	"[Continuation]\n",
	"(continued)\n\n",
	"(Continuing the story)\n",
	"*continues the text*\n\n",
	"[The story continues]\n",
	"[continued from above] ",
};
static const char *const tails[] = {
	"\n\nLet me know if you'd like me to continue!",
	"\n\nWould you like me to continue the story?",
	"\n\n---\n\nI hope this continuation works for you! Let me know if you want any changes.",
	"\n\n[End of continuation]",
	"\n\nNote: I kept the tone and style of the original text.",
	"\n\nFeel free to ask if you'd like me to adjust the tone or expand the passage.",
	"\n\n(Word count: 57)",
	"\nShall I continue?",
	"\n\n*Note: this continuation keeps the style of the original.*",
};
static const char *const thoughts[] = {
	"<think>\nThe user wants more of it. I keep the tense.\n</think>\n\n",
	"<thinking>Short. Past tense.</thinking>\n",
	"<think></think>\n\n",
	"<reasoning>\nOne paragraph, no preface.\n</reasoning>\n",
};
static const char *const tags[][2] = {{"<continuation>", "</continuation>"},
				      {"<text>\n", "\n</text>"},
				      {"<story>\n", "\n</story>"},
				      {"<output>", "</output>"},
				      {"<continuation>\n", ""}};
static const char *const fences[][2] = {{"```\n", "\n```"},
					{"```text\n", "\n```"},
					{"```markdown\n", "\n```\n"},
					{"```\n", ""}};
static const char *const quotes[][2] = {{"\"", "\""}, {"“", "”"}, {"«", "»"}};
static const char *const refusals[] = {
	"I'm sorry, but I can't continue this text.",
	"I cannot assist with that request.",
	"As an AI language model, I am not able to write that.",
	"I’m sorry, but I can’t help with that.",
	"I apologize, but I'm unable to continue the story as written.",
	"Unfortunately, I cannot comply with this request.",
};

static void echo(struct prop *prop, struct sample *s)
{
	const char *from = s->before;
	const char *dot = strrchr(s->before, '.');

	if (prop_once_in(prop, 2) && dot && strlen(dot) > 16)
		from = dot + 2;
	s->labels |= 1u << LOOM_FAULT_ECHO;
	snprintf(s->came, sizeof s->came, "%s%s", from, s->truth);
}

/* The last word, or what there is of it, said again. */
static bool say_word_again(struct sample *s)
{
	static const char *const twice[] = {"that", "had", "so", "never", "far", "long"};
	const char *word = strrchr(s->before, ' ');

	word = word ? word + 1 : s->before;
	if (!word[0] || word[0] < 'A' || strlen(word) > 40 || (unsigned char)word[0] > 'z')
		return false;
	for (size_t i = 0; i < LOOM_COUNT(twice); i++)
		if (strcmp(word, twice[i]) == 0)
			return false;
	s->labels |= 1u << LOOM_FAULT_ECHO;
	snprintf(s->came, sizeof s->came, "%s%s", word, s->truth);
	return true;
}

static void make_echo(struct prop *prop, struct sample *s)
{
	for (;;) {
		const bool word = prop_once_in(prop, 2);

		cut(prop, s,
		    word ? (prop_once_in(prop, 2) ? 0 : 4) : (unsigned)prop_below(prop, 5));
		if (word && s->inner && strchr(s->truth, ' ') && say_word_again(s))
			return;
		if (!word && strlen(s->before) > 40 && strchr(s->before, ' ')) {
			echo(prop, s);
			return;
		}
	}
}

static void make_quotes(struct prop *prop, struct sample *s)
{
	const size_t kind = prop_below(prop, LOOM_COUNT(quotes));
	const bool headed = prop_once_in(prop, 2);
	char head[256];

	do
		cut(prop, s, prop_once_in(prop, 2) ? 0 : 1);
	while (!s->inner || (!headed && ((unsigned char)bare(s)[0] < 'a' || bare(s)[0] > 'z')) ||
	       !strchr(s->truth + 1, ' '));
	s->labels = headed ? 1u << LOOM_FAULT_PREAMBLE : 0;
	snprintf(head, sizeof head, "%s%s", headed ? PICK(heads) : "", quotes[kind][0]);
	wrap(s, LOOM_FAULT_QUOTES, head, quotes[kind][1]);
}

static void make(struct prop *prop, enum loom_fault fault, struct sample *s)
{
	const size_t kind = prop_next(prop) % 5;
	char head[256];

	cut(prop, s, (unsigned)prop_below(prop, 4));
	switch (fault) {
	case LOOM_FAULT_PREAMBLE:
		wrap(s, fault, PICK(heads), "");
		return;
	case LOOM_FAULT_LABEL:
		wrap(s, fault, PICK(labels), "");
		return;
	case LOOM_FAULT_REMARK:
		wrap(s, fault, PICK(remarks), "");
		return;
	case LOOM_FAULT_THINKING:
		wrap(s, fault, PICK(thoughts), "");
		return;
	case LOOM_FAULT_TAGS:
		wrap(s, fault, tags[kind][0], tags[kind][1]);
		return;
	case LOOM_FAULT_FENCE:
		wrap(s, fault, fences[kind % 4][0], fences[kind % 4][1]);
		return;
	case LOOM_FAULT_RULE:
		s->labels = 1u << LOOM_FAULT_PREAMBLE;
		snprintf(head, sizeof head, "%s---\n\n", "Here is the continuation:\n\n");
		wrap(s, fault, head, kind ? "" : "\n\n---");
		return;
	case LOOM_FAULT_POSTAMBLE:
		wrap(s, fault, "", PICK(tails));
		s->labels |= strstr(s->came, "---") ? 1u << LOOM_FAULT_RULE : 0;
		return;
	case LOOM_FAULT_REFUSAL:
		(void)bare(s);
		s->labels |= 1u << fault;
		snprintf(s->came, sizeof s->came, "%s", PICK(refusals));
		return;
	case LOOM_FAULT_QUOTES:
		make_quotes(prop, s);
		return;
	case LOOM_FAULT_ECHO:
		make_echo(prop, s);
		return;
	case LOOM_FAULT_WELD:
		cut(prop, s, kind % 2 ? 2 : 0);
		snprintf(s->came, sizeof s->came, "%s", bare(s));
		return;
	case LOOM_FAULT_DOUBLED:
		do
			cut(prop, s, 1);
		while (!s->inner || s->before[strlen(s->before) - 1] != ' ');
		s->labels = 1u << fault;
		snprintf(s->came, sizeof s->came, " %s", s->truth);
		return;
	case LOOM_FAULT_COUNT: /* without any */
		cut(prop, s, (unsigned)kind);
		snprintf(s->came, sizeof s->came, "%s", s->truth);
		return;
	}
}

/* ---- the corpus ---- */

struct score {
	size_t told;  /* faults that were named */
	size_t right; /* … and are there */
	size_t there;
	size_t wrong; /* texts that are not read as their author meant */
};

static void show(const struct sample *s, struct loom_str read, unsigned faults)
{
	fprintf(stderr,
		"\n--- before %s\n--- came   %s\n--- read   %.*s\n--- meant  %s\n--- %#x %#x\n",
		s->before, s->came, LOOM_STR_ARG(read), s->truth, faults, s->labels);
}

static void judge(struct sample *s, struct score *score)
{
	const struct loom_joint joint = {.before = loom_str_of(s->before),
					 .open = s->open,
					 .came = loom_str_of(s->came)};
	struct loom_buf read = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_mended mended;

	loom_mend(&joint, &mended);
	loom_seam_apply(&mended.seam, joint.came, &read);
	for (int i = 0; i < LOOM_FAULT_COUNT; i++) {
		const unsigned bit = 1u << i;

		score->told += (mended.faults & bit) != 0;
		score->there += (s->labels & bit) != 0;
		score->right += (mended.faults & s->labels & bit) != 0;
	}
	if (!(s->labels & 1u << LOOM_FAULT_REFUSAL) &&
	    !loom_str_is(loom_buf_str(&read), s->truth) && score->wrong++ < 5)
		show(s, loom_buf_str(&read), mended.faults);
	loom_buf_fini(&read);
}

TEST no_seam_is_welded_or_doubled_and_no_word_is_lost(void)
{
	struct prop prop;
	struct score all = {.told = 0};

	prop_init(&prop, "mend");
	for (int kind = 0; kind <= LOOM_FAULT_COUNT; kind++) {
		struct score score = {.told = 0};

		for (int i = 0; i < ANSWERS; i++) {
			struct sample s;

			make(&prop, (enum loom_fault)kind, &s);
			judge(&s, &score);
		}
		if (score.wrong)
			fprintf(stderr, "%s: %zu of %d are read wrongly\n",
				kind < LOOM_FAULT_COUNT ? loom_fault_word((enum loom_fault)kind)
							: "without faults",
				score.wrong, ANSWERS);
		all.told += score.told;
		all.right += score.right;
		all.there += score.there;
		all.wrong += score.wrong;
	}
	fprintf(stderr, "mend: %zu told, %zu right, %zu there\n", all.told, all.right, all.there);
	ASSERT_EQ(0, all.wrong);
	ASSERT((double)all.right >= 0.98 * (double)all.told);
	ASSERT((double)all.right >= 0.98 * (double)all.there);
	PASS();
}

/* ---- what looks like a fault and is none ---- */

static const struct {
	const char *before;
	const char *came;
} own[] = {
	{"He looked at the map.", " \"Sure,\" she said. \"Continue.\""},
	{"Under the stone was a box.\n\n", "Here is the key: it was tied to a ribbon."},
	{"They walked on.\n\n", "***\n\nIn the morning it had gone."},
	{"They walked on.\n\n", "---\n\nIn the morning it had gone."},
	{"Example:\n\n", "```c\nint main(void) { return 0; }\n```"},
	{"Example:\n\n", "```text\none\n```\n\nand another:\n\n```text\ntwo\n```"},
	{"```c\nint main(void)\n", "{\n\treturn 0;\n}\n```\n"},
	{"```c\nint x =", " 1;\nint y = 2;\n```\n"},
	{"Dear Anton,\n\n", "I hope you are well. Let me know when you arrive."},
	{"We are here until Monday.\n\n", "Would you like some tea with it?"},
	{"If he had", " had the time he would have come."},
	{"I knew that", " that was the end of it."},
	{"It was a long,", " long way home."},
	{"The door was shut.\n", "[A bell rings.]\n\nMARIE: Who is there?"},
	{"USER: hello\nAssistant: hi\nUSER: go on\n", "Assistant: as you wish"},
	{"He paused. \"", "Sure, I'll come,\" she said."},
	{"She said, ", "\"I will continue down the road until dark.\""},
	{"I closed the gate.\n\n", "I'll continue down the road, I thought, until it is dark."},
	{"The version is 3.", "14, and it is the last one."},
	{"He was called Jean-", "Pierre by everybody."},
	{"It was a remark", "able end of a long day."},
	{"(see page 12", ") and the table below."},
	{"A list:\n- one\n- ", "two\n- three"},
	{"He shouted: \"Run", "!\" and was gone."},
	{"Continue reading", ", he said, to the end of the story."},
	{"The answer is", " 42.\n\nNote: the towel is needed."},
	{"x", "yz"},
	{"", "Once upon a time."},
	{"<story>\nOnce upon a time", " there was a king.\n</story>"},
	{"Let me tell you. ", "Let me know if it hurts, he said."},
	{"One two three four five six seven eight.", "\n\nNine ten eleven twelve."},
};

TEST what_an_author_may_write_is_left_alone(void)
{
	for (size_t i = 0; i < LOOM_COUNT(own); i++) {
		const struct loom_joint joint = {.before = loom_str_of(own[i].before),
						 .open = strcmp(own[i].before, "It was a remark") ==
								 0 ||
							 strcmp(own[i].before, "x") == 0,
						 .came = loom_str_of(own[i].came)};
		struct loom_mended mended;

		loom_mend(&joint, &mended);
		if (loom_seam_any(&mended.seam))
			fprintf(stderr, "%s|%s: %zu %zu '%.*s'\n", own[i].before, own[i].came,
				mended.seam.skip, mended.seam.cut, LOOM_STR_ARG(mended.seam.put));
		ASSERT_FALSE(loom_seam_any(&mended.seam));
	}
	PASS();
}

/* Any bytes: the seam stays within the answer, and a place goes there and back. */
TEST a_seam_of_anything_lies_within_it(void)
{
	struct prop prop;

	prop_init(&prop, "seam");
	for (int i = 0; i < 2000; i++) {
		struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf came = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_mended mended;

		prop_text(&prop, prop_size(&prop, 60), &before);
		if (prop_once_in(&prop, 2))
			loom_buf_adds(&came, heads[prop_below(&prop, LOOM_COUNT(heads))]);
		if (prop_once_in(&prop, 3))
			loom_buf_add(&came, loom_buf_str(&before));
		prop_text(&prop, prop_size(&prop, 60), &came);
		loom_mend(&(struct loom_joint){.before = loom_buf_str(&before),
					       .open = prop_once_in(&prop, 2),
					       .came = loom_buf_str(&came)},
			  &mended);
		ASSERT(mended.seam.skip + mended.seam.cut <= came.n);
		for (size_t at = mended.seam.skip; at + mended.seam.cut < came.n; at++)
			ASSERT_EQ(at,
				  loom_seam_to_came(&mended.seam, came.n,
						    loom_seam_to_read(&mended.seam, came.n, at)));
		loom_buf_fini(&before);
		loom_buf_fini(&came);
	}
	PASS();
}

SUITE(mend)
{
	RUN_TEST(no_seam_is_welded_or_doubled_and_no_word_is_lost);
	RUN_TEST(what_an_author_may_write_is_left_alone);
	RUN_TEST(a_seam_of_anything_lies_within_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(mend);
	GREATEST_MAIN_END();
}
