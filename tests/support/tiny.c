/* The architecture, straight: each layer adds to the stream of a position what its attention finds
 * in the positions before (heads share keys in groups, positions are told by rotation) and then
 * what its gated network makes of it; both look at the stream scaled to unit length. Nothing is
 * fast and everything is in the order in which it is written down. */
#include "support/tiny.h"

#include <math.h>

#include <loom/base/base.h>
#include <loom/base/utf8.h>

#include "support/temp.h"

#define HEADER_INTS 7
#define BYTE_TOKENS 3 /* the token of byte 0 */

struct layer {
	const float *norm; /* before attention */
	const float *q, *k, *v, *out;
	const float *net_norm; /* before the network */
	const float *gate, *down, *up;
};

struct tiny {
	int width, hidden, layers, heads, key_heads, words, window;
	struct loom_buf model;
	struct loom_buf vocabulary;
	const float *embedding, *last_norm, *last;
	struct layer *layer;
	struct loom_str *pieces;
	float *scores;
	char bytes[256];
};

struct tiny_run {
	const struct tiny *tiny;
	int at;
	float *stream, *scaled, *found, *query, *gate, *up, *weights, *logits;
	float *keys, *values; /* [layer][position][key width] */
};

static int head_width(const struct tiny *tiny)
{
	return tiny->width / tiny->heads;
}

static int key_width(const struct tiny *tiny)
{
	return head_width(tiny) * tiny->key_heads;
}

/* ---- reading ---- */

struct cursor {
	const float *at;
	size_t left;
	bool short_of;
};

static const float *take(struct cursor *cursor, size_t count)
{
	const float *at = cursor->at;

	if (cursor->left < count) {
		cursor->short_of = true;
		return at;
	}
	cursor->at += count;
	cursor->left -= count;
	return at;
}

/* Tensors of one kind stand together, layer after layer. */
static void take_each(struct cursor *cursor, struct tiny *tiny, size_t field, int rows, int columns)
{
	size_t size = (size_t)rows * (size_t)columns;

	for (int i = 0; i < tiny->layers; i++) {
		const float *tensor = take(cursor, size);

		memcpy((char *)&tiny->layer[i] + field, &tensor, sizeof tensor);
	}
}

static bool read_header(struct tiny *tiny, bool *shared)
{
	int32_t header[HEADER_INTS];

	if (tiny->model.n < sizeof header)
		return false;
	memcpy(header, tiny->model.p, sizeof header);
	*shared = header[5] > 0;
	for (size_t i = 0; i < HEADER_INTS; i++)
		if (header[i] == 0 || abs(header[i]) > 1000000 || (header[i] < 0 && i != 5))
			return false;
	tiny->width = header[0];
	tiny->hidden = header[1];
	tiny->layers = header[2];
	tiny->heads = header[3];
	tiny->key_heads = header[4];
	tiny->words = abs(header[5]);
	tiny->window = header[6];
	return tiny->width % tiny->heads == 0 && tiny->heads % tiny->key_heads == 0;
}

static bool read_model(struct tiny *tiny)
{
	const size_t head = HEADER_INTS * sizeof(int32_t);
	struct cursor cursor = {.at = (const void *)(tiny->model.p + head),
				.left = (tiny->model.n - head) / sizeof(float)};
	bool shared = false;

	if (!read_header(tiny, &shared))
		return false;
	const int width = tiny->width, keys = key_width(tiny), hidden = tiny->hidden;

	tiny->layer = loom_alloc((size_t)tiny->layers * sizeof *tiny->layer);
	tiny->embedding = take(&cursor, (size_t)tiny->words * (size_t)width);
	take_each(&cursor, tiny, offsetof(struct layer, norm), width, 1);
	take_each(&cursor, tiny, offsetof(struct layer, q), width, width);
	take_each(&cursor, tiny, offsetof(struct layer, k), keys, width);
	take_each(&cursor, tiny, offsetof(struct layer, v), keys, width);
	take_each(&cursor, tiny, offsetof(struct layer, out), width, width);
	take_each(&cursor, tiny, offsetof(struct layer, net_norm), width, 1);
	take_each(&cursor, tiny, offsetof(struct layer, gate), hidden, width);
	take_each(&cursor, tiny, offsetof(struct layer, down), width, hidden);
	take_each(&cursor, tiny, offsetof(struct layer, up), hidden, width);
	tiny->last_norm = take(&cursor, (size_t)width);
	/* tables of rotations that readers make for themselves */
	(void)take(&cursor, (size_t)tiny->window * (size_t)head_width(tiny));
	tiny->last = shared ? tiny->embedding : take(&cursor, (size_t)tiny->words * (size_t)width);
	return !cursor.short_of;
}

/* "<0x0A>" is that byte. */
static struct loom_str piece_of(struct tiny *tiny, struct loom_str spelled)
{
	unsigned byte = 0;

	if (spelled.n == 6 && loom_str_starts(spelled, LOOM_STR("<0x")) &&
	    sscanf(spelled.p, "<0x%2x>", &byte) == 1)
		return loom_str_make(&tiny->bytes[byte], 1);
	return spelled;
}

/* The longest piece's length, then a score, a length and the bytes for each. */
static bool read_vocabulary(struct tiny *tiny)
{
	struct loom_str all = loom_buf_str(&tiny->vocabulary);
	size_t at = sizeof(int32_t);

	tiny->pieces = loom_alloc((size_t)tiny->words * sizeof *tiny->pieces);
	tiny->scores = loom_alloc((size_t)tiny->words * sizeof *tiny->scores);
	for (int i = 0; i < 256; i++)
		tiny->bytes[i] = (char)i;
	for (int i = 0; i < tiny->words; i++) {
		int32_t length = 0;

		if (at + 8 > all.n)
			return false;
		memcpy(&tiny->scores[i], all.p + at, 4);
		memcpy(&length, all.p + at + 4, 4);
		at += 8;
		if (length < 0 || (size_t)length > all.n - at)
			return false;
		tiny->pieces[i] = piece_of(tiny, loom_str_sub(all, at, (size_t)length));
		at += (size_t)length;
	}
	return true;
}

struct tiny *tiny_open(const char *model, const char *vocabulary)
{
	struct tiny *tiny = loom_alloc(sizeof *tiny);

	loom_buf_init(&tiny->model, (size_t)64 << 20);
	loom_buf_init(&tiny->vocabulary, (size_t)16 << 20);
	if (temp_read(model, &tiny->model) && temp_read(vocabulary, &tiny->vocabulary) &&
	    read_model(tiny) && read_vocabulary(tiny))
		return tiny;
	tiny_close(tiny);
	return NULL;
}

void tiny_close(struct tiny *tiny)
{
	if (!tiny)
		return;
	loom_buf_fini(&tiny->model);
	loom_buf_fini(&tiny->vocabulary);
	free(tiny->layer);
	free(tiny->pieces);
	free(tiny->scores);
	free(tiny);
}

int tiny_window(const struct tiny *tiny)
{
	return tiny->window;
}

int tiny_words(const struct tiny *tiny)
{
	return tiny->words;
}

/* ---- tokens ---- */

static int find_piece(const struct tiny *tiny, struct loom_str text)
{
	for (int i = BYTE_TOKENS; i < tiny->words; i++)
		if (loom_str_eq(tiny->pieces[i], text))
			return i;
	return -1;
}

struct loom_str tiny_piece(const struct tiny *tiny, int token)
{
	return token <= TINY_END ? LOOM_STR("") : tiny->pieces[token];
}

/* Characters first; those that have no piece of their own as bytes. */
static size_t split_characters(const struct tiny *tiny, struct loom_str text, int *out)
{
	size_t n = 0;

	for (size_t at = 0, end = 0; at < text.n; at = end) {
		(void)loom_utf8_next(text, &end);
		int token = find_piece(tiny, loom_str_sub(text, at, end - at));

		if (token >= 0)
			out[n++] = token;
		for (size_t i = at; token < 0 && i < end; i++)
			out[n++] = (unsigned char)text.p[i] + BYTE_TOKENS;
	}
	return n;
}

/* The token of two joined, or -1. */
static int join(const struct tiny *tiny, int left, int right)
{
	char both[256];
	struct loom_str a = tiny_piece(tiny, left);
	struct loom_str b = tiny_piece(tiny, right);

	if (a.n + b.n > sizeof both)
		return -1;
	memcpy(both, a.p, a.n);
	memcpy(both + a.n, b.p, b.n);
	return find_piece(tiny, loom_str_make(both, a.n + b.n));
}

/* Joins the pair that scores best, until none can be joined; joints[i] is what i and the one behind
 * it would make. */
static size_t join_all(const struct tiny *tiny, int *tokens, int *joints, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		joints[i] = join(tiny, tokens[i], tokens[i + 1]);
	for (;;) {
		size_t best = n;

		for (size_t i = 0; i + 1 < n; i++)
			if (joints[i] >= 0 &&
			    (best == n || tiny->scores[joints[i]] > tiny->scores[joints[best]]))
				best = i;
		if (best == n)
			return n;
		tokens[best] = joints[best];
		memmove(&tokens[best + 1], &tokens[best + 2], (n - best - 2) * sizeof *tokens);
		memmove(&joints[best], &joints[best + 1], (n - best - 1) * sizeof *joints);
		n--;
		if (best + 1 < n)
			joints[best] = join(tiny, tokens[best], tokens[best + 1]);
		if (best > 0)
			joints[best - 1] = join(tiny, tokens[best - 1], tokens[best]);
	}
}

size_t tiny_split(const struct tiny *tiny, struct loom_str text, int *out, size_t max)
{
	struct loom_buf spaced = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int *tokens = loom_alloc((text.n + 2) * sizeof *tokens);
	int *joints = loom_alloc((text.n + 2) * sizeof *joints);
	size_t n = 0;

	if (text.n)
		loom_buf_addc(&spaced, ' ');
	loom_buf_add(&spaced, text);
	tokens[0] = TINY_BEGIN;
	n = split_characters(tiny, loom_buf_str(&spaced), tokens + 1);
	n = 1 + join_all(tiny, tokens + 1, joints, n);
	memcpy(out, tokens, (n < max ? n : max) * sizeof *tokens);
	loom_buf_fini(&spaced);
	free(tokens);
	free(joints);
	return n;
}

/* ---- thinking ---- */

static float *floats(size_t count)
{
	return loom_alloc(count * sizeof(float));
}

struct tiny_run *tiny_run_create(const struct tiny *tiny)
{
	struct tiny_run *run = loom_alloc(sizeof *run);
	size_t kept = (size_t)tiny->layers * (size_t)tiny->window * (size_t)key_width(tiny);

	run->tiny = tiny;
	run->stream = floats((size_t)tiny->width);
	run->scaled = floats((size_t)tiny->width);
	run->found = floats((size_t)tiny->width);
	run->query = floats((size_t)tiny->width);
	run->gate = floats((size_t)tiny->hidden);
	run->up = floats((size_t)tiny->hidden);
	run->weights = floats((size_t)tiny->window);
	run->logits = floats((size_t)tiny->words);
	run->keys = floats(kept);
	run->values = floats(kept);
	return run;
}

void tiny_run_destroy(struct tiny_run *run)
{
	if (!run)
		return;
	free(run->stream);
	free(run->scaled);
	free(run->found);
	free(run->query);
	free(run->gate);
	free(run->up);
	free(run->weights);
	free(run->logits);
	free(run->keys);
	free(run->values);
	free(run);
}

static float dot(const float *a, const float *b, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void multiply(float *out, const float *matrix, const float *x, int rows, int columns)
{
	for (int i = 0; i < rows; i++)
		out[i] = dot(matrix + (ptrdiff_t)i * columns, x, columns);
}

static void scale(float *out, const float *x, const float *weight, int n)
{
	float by = 1 / sqrtf(dot(x, x, n) / (float)n + 1e-5f);

	for (int i = 0; i < n; i++)
		out[i] = weight[i] * by * x[i];
}

/* Turns each pair of a head by an angle that grows with the position. */
static void rotate(float *x, int n, int head, int at)
{
	for (int i = 0; i < n; i += 2) {
		float angle = (float)at / powf(10000, (float)(i % head) / (float)head);
		float a = x[i], b = x[i + 1];

		x[i] = a * cosf(angle) - b * sinf(angle);
		x[i + 1] = a * sinf(angle) + b * cosf(angle);
	}
}

/* Makes weights of scores: positive, their sum 1. */
static void weigh(float *scores, int n)
{
	float most = scores[0], sum = 0;

	for (int i = 1; i < n; i++)
		most = fmaxf(most, scores[i]);
	for (int i = 0; i < n; i++)
		sum += scores[i] = expf(scores[i] - most);
	for (int i = 0; i < n; i++)
		scores[i] /= sum;
}

static void attend_head(struct tiny_run *run, int head, const float *keys, const float *values)
{
	const struct tiny *tiny = run->tiny;
	const int width = head_width(tiny), step = key_width(tiny);
	const int shared = head / (tiny->heads / tiny->key_heads) * width;
	float *out = run->found + (ptrdiff_t)head * width;

	for (int i = 0; i <= run->at; i++)
		run->weights[i] = dot(run->query + (ptrdiff_t)head * width,
				      keys + (ptrdiff_t)i * step + shared, width) /
				  sqrtf((float)width);
	weigh(run->weights, run->at + 1);
	memset(out, 0, (size_t)width * sizeof *out);
	for (int i = 0; i <= run->at; i++)
		for (int j = 0; j < width; j++)
			out[j] += run->weights[i] * values[(ptrdiff_t)i * step + shared + j];
}

static void add_attention(struct tiny_run *run, int number)
{
	const struct tiny *tiny = run->tiny;
	const struct layer *layer = &tiny->layer[number];
	const int width = tiny->width, step = key_width(tiny);
	float *keys = run->keys + (ptrdiff_t)number * tiny->window * step;
	float *values = run->values + (ptrdiff_t)number * tiny->window * step;
	float *key = keys + (ptrdiff_t)run->at * step;

	scale(run->scaled, run->stream, layer->norm, width);
	multiply(run->query, layer->q, run->scaled, width, width);
	multiply(key, layer->k, run->scaled, step, width);
	multiply(values + (ptrdiff_t)run->at * step, layer->v, run->scaled, step, width);
	rotate(run->query, width, head_width(tiny), run->at);
	rotate(key, step, head_width(tiny), run->at);
	for (int head = 0; head < tiny->heads; head++)
		attend_head(run, head, keys, values);
	multiply(run->scaled, layer->out, run->found, width, width);
	for (int i = 0; i < width; i++)
		run->stream[i] += run->scaled[i];
}

static void add_network(struct tiny_run *run, const struct layer *layer)
{
	const int width = run->tiny->width, hidden = run->tiny->hidden;

	scale(run->scaled, run->stream, layer->net_norm, width);
	multiply(run->gate, layer->gate, run->scaled, hidden, width);
	multiply(run->up, layer->up, run->scaled, hidden, width);
	for (int i = 0; i < hidden; i++)
		run->gate[i] = run->gate[i] / (1 + expf(-run->gate[i])) * run->up[i];
	multiply(run->scaled, layer->down, run->gate, width, hidden);
	for (int i = 0; i < width; i++)
		run->stream[i] += run->scaled[i];
}

float *tiny_step(struct tiny_run *run, int token)
{
	const struct tiny *tiny = run->tiny;
	const int width = tiny->width;

	memcpy(run->stream, tiny->embedding + (ptrdiff_t)token * width,
	       (size_t)width * sizeof *run->stream);
	for (int i = 0; i < tiny->layers; i++) {
		add_attention(run, i);
		add_network(run, &tiny->layer[i]);
	}
	scale(run->scaled, run->stream, tiny->last_norm, width);
	multiply(run->logits, tiny->last, run->scaled, tiny->words, width);
	run->at++;
	return run->logits;
}
