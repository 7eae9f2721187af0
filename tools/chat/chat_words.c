/* The words of a chat: what it is doing, and why a turn ended. */
#include <loom/chat/chat.h>

#include <loom/language/parse.h>
#include <loom/tree/say_node.h>

const char *loom_chat_state_word(enum loom_chat_state state)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_CHAT_##name] = word,
		LOOM_CHAT_STATE_LIST(X)
#undef X
	};

	return words[state];
}

void loom_chat_limit_text(const struct loom_chat_end *end, struct loom_buf *out)
{
	const bool calls = end->calls >= LOOM_CALLS_MAX;
	const bool rounds = !calls && end->rounds >= LOOM_CHAT_ROUNDS_MAX;

	loom_buf_adds(out, "the turn ends here, at its limit of ");
	if (calls)
		loom_buf_addf(out, "%d calls: ", LOOM_CALLS_MAX);
	else if (rounds)
		loom_buf_addf(out, "%d rounds: ", LOOM_CHAT_ROUNDS_MAX);
	else
		loom_buf_adds(out, "tokens: ");
	if (!rounds)
		loom_show_many(end->rounds, "round", "rounds", out);
	loom_buf_adds(out, calls || rounds ? "" : " · ");
	if (!calls)
		loom_show_many((int64_t)end->calls, "call", "calls", out);
	loom_buf_adds(out, " · ");
	loom_show_many(loom_usage_tokens(&end->usage), "token", "tokens", out);
}
