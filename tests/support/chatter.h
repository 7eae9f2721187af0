/* A chat with an agent whose model says what a test tells it to, in marie's grove. */
#ifndef LOOM_TESTS_SUPPORT_CHATTER_H
#define LOOM_TESTS_SUPPORT_CHATTER_H

#include <loom/chat/chat.h>
#include <loom/context/context.h>

#include "support/marie.h"

struct talk {
	struct marie *marie;
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct loom_chat *chat;
	struct loom_generator generator;
	/* the collaborator's answers, one a call of the model; the last one for ever */
	const char *const *answers;
	size_t answer_count;
	size_t asked;
	bool broken;          /* the model cannot be reached */
	bool alone;           /* nobody can be asked for leave */
	bool handed;          /* what is said to it comes from a pipe */
	bool cut;             /* its answers end at their limit */
	const char *native;   /* calls that come beside its first answer; NULL: none */
	size_t pieces;        /* of the first answer, until it ended or was stopped */
	struct loom_buf seen; /* the last request: messages, `role: text` a line each */
	/* at this chunk of this call of the model (from 1) `at` is called; 0: never */
	size_t at_ask;
	size_t at_chunk;
	void (*at)(struct talk *talk);
	struct loom_str with;
	/* the generation under way */
	struct loom_generate_sink sink;
	struct loom_generate_voice voice;
	size_t n;
	size_t chunk;
	bool cancelled[10];
	size_t subject_asked;
	/* what the sink heard */
	struct loom_buf heard;
	struct loom_buf warned;
	size_t chunks_heard;
	size_t queued;
	bool over;
	struct loom_chat_end end;
};

static inline struct loom_str talk_answer(const struct talk *talk)
{
	size_t last = talk->answer_count - 1;

	if (talk->voice.use != LOOM_GENERATE_COLLABORATOR)
		return LOOM_STR("one two three four");
	return loom_str_of(talk->answers[talk->asked - 1 < last ? talk->asked - 1 : last]);
}

static inline void talk_end(struct talk *talk)
{
	if (talk->asked == 1)
		talk->pieces = talk->chunk;
	for (size_t i = 0; i < talk->n; i++) {
		struct loom_generated result = {.record = LOOM_STR("{}"),
						.finish = talk->cancelled[i] ? LOOM_FINISH_CANCELLED
							  : talk->cut        ? LOOM_FINISH_LENGTH
									     : LOOM_FINISH_STOP};

		if (talk->native && talk->asked == 1)
			result.native = loom_str_of(talk->native);
		result.text = result.raw = loom_str_sub(talk_answer(talk), 0, talk->chunk * 5);
		talk->sink.end(talk->sink.ctx, i, &result);
	}
	talk->sink.done(talk->sink.ctx);
}

static inline void talk_tick(void *ctx)
{
	struct talk *talk = ctx;
	struct loom_str rest = loom_str_sub(talk_answer(talk), talk->chunk * 5, 5);
	bool all = true;

	for (size_t i = 0; i < talk->n; i++)
		all &= talk->cancelled[i];
	if (!rest.n || all) {
		talk_end(talk);
		return;
	}
	talk->chunk++;
	for (size_t i = 0; i < talk->n; i++)
		if (!talk->cancelled[i])
			talk->sink.chunk(talk->sink.ctx, i, rest);
	if (talk->at && talk->asked == talk->at_ask && talk->chunk == talk->at_chunk)
		talk->at(talk);
	if (talk->chat)
		loom_loop_timer(talk->loop, 1, talk_tick, talk);
}

static inline void talk_see(struct talk *talk, const struct loom_generate_request *request)
{
	loom_buf_clear(&talk->seen);
	for (size_t i = 0; i < request->message_count; i++)
		loom_buf_addf(&talk->seen, "%s: %.*s\n", loom_role_name(request->messages[i].role),
			      LOOM_STR_ARG(request->messages[i].text));
}

static inline enum loom_status talk_start(void *ctx, const struct loom_generate_request *request,
					  const struct loom_generate_sink *sink,
					  struct loom_generation **out, struct loom_err *err)
{
	struct talk *talk = ctx;

	if (talk->broken)
		return loom_fail(err, LOOM_MODEL, "fake: nobody is there");
	talk->sink = *sink;
	talk->voice = request->voice;
	talk->n = request->n;
	talk->chunk = 0;
	memset(talk->cancelled, 0, sizeof talk->cancelled);
	if (request->voice.use == LOOM_GENERATE_COLLABORATOR) {
		talk->asked++;
		talk_see(talk, request);
	} else {
		talk->subject_asked++;
	}
	*out = (struct loom_generation *)(void *)talk;
	loom_loop_timer(talk->loop, 1, talk_tick, talk);
	return LOOM_OK;
}

static inline void talk_cancel(void *ctx, struct loom_generation *generation, size_t choice)
{
	struct talk *talk = ctx;

	(void)generation;
	for (size_t i = 0; i < talk->n; i++)
		talk->cancelled[i] |= choice == LOOM_CHOICES_ALL || choice == i;
}

static inline enum loom_status talk_describe(void *ctx, const struct loom_generate_voice *voice,
					     struct loom_voice_info *out, struct loom_err *err)
{
	(void)ctx;
	(void)err;
	*out = (struct loom_voice_info){.context = 100000,
					.tokens = 100,
					.configured = voice->use != LOOM_GENERATE_CLASSIFIER};
	return LOOM_OK;
}

static inline void talk_on_said(void *ctx, struct loom_str text)
{
	loom_buf_add(&((struct talk *)ctx)->heard, text);
}

static inline void talk_on_warning(void *ctx, struct loom_str text)
{
	loom_buf_add(&((struct talk *)ctx)->warned, text);
}

static inline void talk_on_result(void *ctx, const struct loom_act *act,
				  const struct loom_result *result)
{
	struct talk *talk = ctx;
	struct loom_buf line = LOOM_BUF_INIT(1 << 20);

	(void)act;
	loom_buf_addf(&line, "<%.*s: %s>", LOOM_STR_ARG(result->line),
		      loom_status_code(result->status));
	marie_translate(talk->marie, loom_buf_str(&line), false, &talk->heard);
	loom_buf_fini(&line);
}

static inline void talk_on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct talk *talk = ctx;

	(void)choice;
	(void)text;
	talk->chunks_heard++;
}

/* When it comes depends on the disk: counted, not written down where it came. */
static inline void talk_on_queued(void *ctx, struct loom_str text, enum loom_status status,
				  const struct loom_err *err)
{
	struct talk *talk = ctx;

	(void)err;
	if (status == LOOM_OK)
		talk->queued++;
	else
		loom_buf_addf(&talk->heard, "<queued %.*s: %s>", LOOM_STR_ARG(text),
			      loom_status_code(status));
}

static inline void talk_on_heard(void *ctx, size_t count)
{
	loom_buf_addf(&((struct talk *)ctx)->heard, "<heard %zu>", count);
}

static inline void talk_on_returned(void *ctx, struct loom_str text, struct loom_str draft)
{
	loom_buf_addf(&((struct talk *)ctx)->heard, "<returned %.*s%s>", LOOM_STR_ARG(text),
		      draft.n ? "" : " unsaved");
}

static inline void talk_on_done(void *ctx, const struct loom_chat_end *end)
{
	struct talk *talk = ctx;

	talk->over = true;
	talk->end = *end;
}

static inline void talk_open(struct talk *talk, struct marie *marie, int64_t agent, int64_t thread)
{
	struct loom_worker_opts worker = {.open = grove_writer_open,
					  .close = grove_writer_close,
					  .ctx = &marie->grove};
	struct loom_chat_opts opts = {.agent = agent,
				      .tree = marie->tree,
				      .thread = thread,
				      .alone = talk->alone,
				      .generator = &talk->generator,
				      .sink = {.warning = talk_on_warning,
					       .said = talk_on_said,
					       .result = talk_on_result,
					       .chunk = talk_on_chunk,
					       .queued = talk_on_queued,
					       .heard = talk_on_heard,
					       .returned = talk_on_returned,
					       .done = talk_on_done,
					       .ctx = talk}};

	talk->marie = marie;
	loom_buf_init(&talk->heard, 1 << 24);
	loom_buf_init(&talk->seen, 1 << 24);
	loom_buf_init(&talk->warned, 1 << 24);
	talk->generator = (struct loom_generator){.start = talk_start,
						  .cancel = talk_cancel,
						  .describe = talk_describe,
						  .ctx = talk};
	talk->loop = worker.loop = opts.loop = loom_loop_create();
	talk->worker = opts.worker = loom_worker_create(&worker);
	talk->chat = loom_chat_create(&opts);
}

static inline void talk_close(struct talk *talk)
{
	struct loom_chat *chat = talk->chat;

	talk->chat = NULL;
	loom_chat_destroy(chat);
	while (loom_worker_pending(talk->worker))
		(void)loom_loop_step(talk->loop, 100);
	loom_worker_destroy(talk->worker);
	loom_loop_destroy(talk->loop);
	loom_buf_fini(&talk->heard);
	loom_buf_fini(&talk->seen);
	loom_buf_fini(&talk->warned);
}

/* Says one thing and waits for the end of the turn; what was heard, in marie's naming. */
static inline const char *talk_say(struct talk *talk, const char *text)
{
	talk->over = false;
	loom_buf_clear(&talk->heard);
	loom_buf_clear(&talk->warned);
	if (talk->handed)
		loom_chat_hand(talk->chat, loom_str_of(text));
	else
		loom_chat_start(talk->chat, loom_str_of(text));
	while (!talk->over)
		(void)loom_loop_step(talk->loop, 1000);
	return loom_buf_cstr(&talk->heard);
}

#endif
