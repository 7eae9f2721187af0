/* Streams of models: what a token costs beside the bare library that reads the same stream from the
 * same server, and ten streams into one grove while somebody reads in it.
 *
 * The server is a process of its own and paces itself by the clock; what is counted as cost is the
 * processor time of this process alone. */
#include "bench/bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <loom/actor/act.h>
#include <loom/config/config.h>
#include <loom/language/parse.h>
#include <loom/providers/voice.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/fake.h"
#include "support/grove.h"

#define STREAMS 10
#define ROWS    40 /* on a reader's page */
#define READS   20000
#define SECOND  1000000000

#define EVENT                                                                                      \
	"data: {\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,"            \
	"\"text\":\" word\",\"logprobs\":null,\"finish_reason\":null}]}\n\n"
#define LAST                                                                                       \
	"data: {\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,"            \
	"\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"
#define BODY "{\"model\":\"base\",\"prompt\":\"Once.\",\"stream\":true}"

/* What the server does for each request. */
struct pace {
	size_t tokens;
	int64_t gap; /* ns between two; 0: as fast as it goes */
};

struct hall {
	struct pace pace;
	struct fake fake;
	struct grove grove;
	struct loom_config config;
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct loom_voices *voices;
	struct loom_actor *actor;
	size_t streams;
	bool done;
	size_t chunks;
	size_t bytes;
	/* the reader */
	struct loom_store *store;
	pthread_t thread;
	atomic_bool over;
	int64_t root;
	double *waits; /* ms, one a page */
	size_t wait_count;
};

/* ---- the server ---- */

static void say_tokens(void *ctx, const struct fake_ask *ask)
{
	const struct pace *pace = ctx;
	struct timespec when = {0};
	bool there = true;

	clock_gettime(CLOCK_MONOTONIC, &when);
	for (size_t i = 0; i < pace->tokens && there; i++) {
		when.tv_nsec += pace->gap;
		when.tv_sec += when.tv_nsec / SECOND;
		when.tv_nsec %= SECOND;
		if (pace->gap)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
		there = fake_say(ask, 200, "text/event-stream", LOOM_STR(EVENT));
	}
	if (there)
		(void)fake_say(ask, 200, "text/event-stream", LOOM_STR(LAST));
}

/* ---- opening ---- */

static void configure(struct hall *hall)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str text = loom_arena_format(
		hall->grove.arena,
		"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:%d\","
		"\"max_parallel\":%d}},\"models\":{\"base\":{\"provider\":\"p\",\"id\":\"base\","
		"\"endpoint\":\"completions\",\"caps\":{\"n\":1}}}}",
		hall->fake.port, STREAMS);

	loom_config_init(&hall->config, NULL, hall->grove.arena);
	grove_must(loom_config_read(text, LOOM_STR("bench"), hall->grove.arena, &hall->config,
				    &err),
		   &err, "config");
}

/* The server is forked off before there is a thread. */
static struct hall *open_hall(size_t tokens, int64_t gap, size_t streams)
{
	struct hall *hall = loom_alloc(sizeof *hall);

	signal(SIGPIPE, SIG_IGN);
	hall->pace = (struct pace){tokens, gap};
	hall->streams = streams;
	fake_start_with(&hall->fake, say_tokens, &hall->pace);
	grove_init(&hall->grove);
	configure(hall);
	hall->loop = loom_loop_create();
	hall->voices = loom_voices_create(&(struct loom_voices_opts){.env = &hall->grove.env,
								     .loop = hall->loop,
								     .config = &hall->config});
	return hall;
}

static void *open_fast(size_t tokens)
{
	return open_hall(tokens, 0, 1);
}

static void *open_paced(size_t tokens)
{
	return open_hall(tokens, SECOND / 1000, 1);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	(void)ctx;
	(void)act;
	grove_must(result->status, &result->err, "continue");
}

static void on_choice_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct hall *hall = ctx;

	(void)choice;
	hall->chunks++;
	hall->bytes += text.n;
}

static void on_acted(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct hall *hall = ctx;

	grove_must(status, err, "act");
	hall->done = true;
}

static void add_subject(struct hall *hall)
{
	const struct loom_agent spec = {.name = LOOM_STR_INIT("base"),
					.kind = LOOM_AGENT_MODEL,
					.model = LOOM_STR_INIT("base")};
	struct loom_err err = {.status = LOOM_OK};
	int64_t agent = 0;

	grove_begin(&hall->grove, "agent");
	grove_must(loom_agent_create(hall->grove.store, &spec, &agent, &err), &err, "agent");
	grove_commit(&hall->grove);
}

/* A tree with children enough for a page, an actor that writes into it, a reader's connection. */
static void *open_ten(size_t tokens)
{
	struct hall *hall = open_hall(tokens, SECOND / 1000, STREAMS);
	int64_t tree = grove_tree(&hall->grove, LOOM_BUFFER, "Once.");

	hall->root = grove_root(&hall->grove, tree);
	for (size_t i = 0; i < ROWS; i++)
		grove_node(&hall->grove, hall->root, "and then, as it happened, it rained.");
	add_subject(hall);
	hall->waits = loom_alloc(READS * sizeof *hall->waits);
	hall->store = grove_connect(&hall->grove, LOOM_READ);
	hall->worker =
		loom_worker_create(&(struct loom_worker_opts){hall->loop, grove_writer_open,
							      grove_writer_close, &hall->grove});
	hall->actor = loom_actor_create(
		&(struct loom_actor_opts){.engine = {.agent = hall->grove.owner, .tree = tree},
					  .loop = hall->loop,
					  .worker = hall->worker,
					  .generator = loom_voices_generator(hall->voices),
					  .sink = {.result = on_result,
						   .chunk = on_choice_chunk,
						   .done = on_acted,
						   .ctx = hall}});
	return hall;
}

static void close_hall(void *state)
{
	struct hall *hall = state;

	loom_actor_destroy(hall->actor);
	loom_worker_destroy(hall->worker);
	loom_voices_destroy(hall->voices);
	loom_loop_destroy(hall->loop);
	loom_store_close(hall->store);
	grove_fini(&hall->grove);
	fake_stop(&hall->fake);
	free(hall->waits);
	free(hall);
}

/* ---- ours ---- */

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	const struct hall *hall = ctx;

	(void)choice;
	grove_must(result->finish == LOOM_FINISH_LENGTH ? LOOM_OK : LOOM_MODEL, &result->err,
		   "stream");
	if (result->text.n != hall->pace.tokens * strlen(" word"))
		abort();
}

static void on_done(void *ctx)
{
	struct hall *hall = ctx;

	hall->done = true;
}

static double cpu_us(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Processor time a token of one stream, as a generation tells it. */
static double stream_ours(void *state)
{
	struct hall *hall = state;
	const struct loom_generate_sink sink = {.chunk = on_choice_chunk,
						.end = on_end,
						.done = on_done,
						.ctx = hall};
	const struct loom_generate_request request = {.voice = {.model = LOOM_STR_INIT("base")},
						      .text = LOOM_STR_INIT("Once."),
						      .n = 1,
						      .tokens = (int64_t)hall->pace.tokens};
	const struct loom_generator *generator = loom_voices_generator(hall->voices);
	struct loom_generation *generation = NULL;
	struct loom_err err = {.status = LOOM_OK};
	double begin = cpu_us();

	hall->done = false;
	grove_must(generator->start(generator->ctx, &request, &sink, &generation, &err), &err,
		   "start");
	while (!hall->done)
		(void)loom_loop_step(hall->loop, 1000);
	return (cpu_us() - begin) / (double)hall->pace.tokens;
}

static void write_ten(struct hall *hall)
{
	char line[96];
	int n = snprintf(line, sizeof line,
			 "continue from r001 n:%d tokens:%zu using agent:\"base\"", STREAMS,
			 hall->pace.tokens);
	struct loom_call call;
	struct loom_refusal refusal;
	const struct loom_act act = {.call = &call};

	if (loom_parse_line(hall->grove.arena, loom_str_make(line, (size_t)n), &call, &refusal) !=
	    LOOM_OK)
		abort();
	call.line = 1; /* as in a turn */
	hall->done = false;
	hall->bytes = 0;
	loom_actor_turn(hall->actor, -1);
	loom_actor_act(hall->actor, &act, 1);
	while (!hall->done)
		(void)loom_loop_step(hall->loop, 1000);
	if (hall->bytes != hall->pace.tokens * strlen(" word") * STREAMS)
		abort();
}

/* From the call to ten nodes that a power cut leaves standing. */
static double ten_ours(void *state)
{
	write_ten(state);
	return 1;
}

/* ---- the bare library ---- */

static size_t count_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
	struct hall *hall = ctx;

	(void)bytes;
	hall->bytes += size * count;
	return size * count;
}

static CURL *ask_bare(struct hall *hall)
{
	CURL *curl = curl_easy_init();
	char url[64];

	snprintf(url, sizeof url, "http://127.0.0.1:%d/completions", hall->fake.port);
	if (!curl || curl_easy_setopt(curl, CURLOPT_URL, url) ||
	    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) ||
	    curl_easy_setopt(curl, CURLOPT_PROXY, "") ||
	    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, BODY) ||
	    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, count_bytes) ||
	    curl_easy_setopt(curl, CURLOPT_WRITEDATA, hall))
		abort();
	return curl;
}

static double stream_bare(void *state)
{
	struct hall *hall = state;
	CURL *curls[STREAMS];
	CURLM *multi = curl_multi_init();
	double begin = cpu_us();
	int running = 1;

	hall->bytes = 0;
	for (size_t i = 0; i < hall->streams; i++) {
		curls[i] = ask_bare(hall);
		curl_multi_add_handle(multi, curls[i]);
	}
	while (running)
		if (curl_multi_perform(multi, &running) ||
		    (running && curl_multi_poll(multi, NULL, 0, 1000, NULL)))
			abort();
	for (size_t i = 0; i < hall->streams; i++) {
		curl_multi_remove_handle(multi, curls[i]);
		curl_easy_cleanup(curls[i]);
	}
	curl_multi_cleanup(multi);
	if (hall->bytes < hall->streams * hall->pace.tokens * strlen(EVENT))
		abort();
	return (cpu_us() - begin) / (double)hall->pace.tokens / (double)hall->streams;
}

static double ten_ours_cpu(void *state)
{
	const struct hall *hall = state;
	double begin = cpu_us();

	write_ten(state);
	return (cpu_us() - begin) / (double)hall->pace.tokens / STREAMS;
}

/* ---- who reads meanwhile ---- */

static void read_page(struct hall *hall, struct loom_arena *arena)
{
	struct loom_page page = {.limit = ROWS, .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_nodes nodes = {.count = 0};
	int64_t begin = clock_ns();

	loom_arena_reset(arena);
	grove_must(loom_node_children(hall->store, hall->root, &page, arena, &nodes, &err), &err,
		   "page");
	if (nodes.count != ROWS)
		abort();
	if (hall->wait_count < READS)
		hall->waits[hall->wait_count++] = (double)(clock_ns() - begin) / 1e6;
}

static void *read_on(void *ctx)
{
	const struct timespec rest = {0, 2000000};
	struct loom_arena *arena = loom_arena_create();
	struct hall *hall = ctx;

	while (!atomic_load(&hall->over)) {
		read_page(hall, arena);
		nanosleep(&rest, NULL);
	}
	loom_arena_destroy(arena);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

/* The wait that one page in a hundred exceeds, while ten streams come in. */
static double slowest_page(void *state)
{
	struct hall *hall = state;

	hall->wait_count = 0;
	atomic_store(&hall->over, false);
	if (pthread_create(&hall->thread, NULL, read_on, hall))
		abort();
	write_ten(hall);
	atomic_store(&hall->over, true);
	pthread_join(hall->thread, NULL);
	qsort(hall->waits, hall->wait_count, sizeof *hall->waits, compare);
	return hall->waits[hall->wait_count * 99 / 100];
}

static const struct bench_row ROW_LIST[] = {
	{
		.name = "voices: a token of a stream at 1,000 a second",
		.ours = "processor time from the socket to text that is whole",
		.peer = "libcurl that counts the bytes of the same stream",
		.unit = "us",
		.limit = 2,
		.size = 2000,
		.small = 500,
		.open = open_paced,
		.close = close_hall,
		.run = stream_ours,
		.run_peer = stream_bare,
	},
	{
		.name = "voices: a token of a stream at full speed",
		.ours = "processor time from the socket to text that is whole",
		.peer = "libcurl that counts the bytes of the same stream",
		.unit = "us",
		.limit = 5,
		.size = 40000,
		.small = 4000,
		.open = open_fast,
		.close = close_hall,
		.run = stream_ours,
		.run_peer = stream_bare,
	},
	{
		.name = "voices: a token of ten streams into a grove",
		.ours = "processor time from the sockets to nodes that are durable",
		.peer = "libcurl that counts the bytes of the same streams",
		.unit = "us",
		.limit = 2,
		.size = 2000,
		.small = 200,
		.open = open_ten,
		.close = close_hall,
		.run = ten_ours_cpu,
		.run_peer = stream_bare,
	},
	{
		.name = "voices: ten streams of 1,000 tokens a second",
		.ours = "from the call to ten nodes that are durable",
		.peer = "libcurl reading the same ten to their end",
		.limit = 1.1,
		.size = 2000,
		.small = 500,
		.open = open_ten,
		.close = close_hall,
		.run = ten_ours,
		.run_peer = stream_bare,
	},
	{
		.name = "voices: a page read beside ten such streams",
		.ours = "40 rows with text and marks, one in a hundred is slower",
		.unit = "ms",
		.limit = 4,
		.size = 2000,
		.small = 500,
		.open = open_ten,
		.close = close_hall,
		.run = slowest_page,
	},
};

const struct bench_suite bench_voices = {"voices", ROW_LIST, LOOM_COUNT(ROW_LIST)};
