/* The ways to present a text or a conversation to a model. */
#ifndef LOOM_WAY_H
#define LOOM_WAY_H

#include <loom/base/str.h>

/* id, word. From PREFILL on, how a chat model is made to continue a text. */
#define LOOM_WAYS(X)                                                                               \
	X(UNSAID, "")                                                                              \
	X(COMPLETION, "completion") /* the text, unchanged */                                      \
	X(TRANSCRIPT, "transcript") /* a conversation written out, for a model of texts */         \
	X(CHAT, "chat")             /* messages */                                                 \
	X(PREFILL, "prefill")       /* the text is the beginning of the answer */                  \
	X(SYSTEM, "system")         /* the system prompt asks to continue what the user says */    \
	X(FEW_SHOT, "few-shot")     /* … and examples show how */                                \
	X(FRAMED, "framed")         /* a document between marks, with the request to continue */   \
	X(FILL, "fill")             /* … with a gap at its end, to be filled */
enum loom_way {
#define X(id, word) LOOM_WAY_##id,
	LOOM_WAYS(X)
#undef X
		LOOM_WAY_COUNT
};
/* Returns the word for a way: "few-shot". Static. */
const char *loom_way_name(enum loom_way way);
/* Returns the way that continues texts and has this name; UNSAID if none has. */
enum loom_way loom_way_of(struct loom_str name);

#endif
