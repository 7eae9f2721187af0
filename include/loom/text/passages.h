/* The passages of a text: where a long text is cut, so that notes, versions and branches are of a
 * passage. The passages put together are the text, byte for byte. Pure. */
#ifndef LOOM_TEXT_PASSAGES_H
#define LOOM_TEXT_PASSAGES_H

#include <loom/base/str.h>

enum loom_split_by {
	LOOM_SPLIT_DEFAULT, /* what suits the text; a short one stays whole */
	LOOM_SPLIT_NONE,
	LOOM_SPLIT_HEADING,
	LOOM_SPLIT_SCENE, /* at breaks between scenes, and at headings */
	LOOM_SPLIT_PARAGRAPH,
	LOOM_SPLIT_WORDS, /* so many in each */
};
struct loom_split {
	enum loom_split_by by;
	int64_t words;
};
/* A text of up to so many words stays whole by default. */
#define LOOM_SPLIT_SHORT 1000

/* Reads "heading", "scene", "paragraph", "none" or "words:N"; false for anything else. */
bool loom_split_read(struct loom_str word, struct loom_split *out);
/* Appends the word for a way to split. */
void loom_split_say(const struct loom_split *split, struct loom_buf *out);
/* Decides what the default means for a text: headings, else breaks between scenes, else paragraphs.
 * Other ways stay what they are. */
struct loom_split loom_split_for(struct loom_split split, struct loom_str text);
/* Takes the first passage off a text; false when there is none left. A text without a place to cut
 * is one passage, and so is an empty one. */
bool loom_passage_next(const struct loom_split *split, struct loom_str *rest, struct loom_str *out);

#endif
