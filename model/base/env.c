/* Clocks, randomness, variables and the user's directories. Everything a test must be able to own
 * goes through struct loom_env; calendar arithmetic is in time.c. */
#include <loom/base/env.h>

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/mix.h>
#include <loom/base/system.h>

static const char *process_var(void *ctx, const char *name)
{
	(void)ctx;
	return getenv(name);
}

static const char *no_var(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

const char *loom_env_var(const struct loom_env *env, const char *name)
{
	const char *value = env->var(env->ctx, name);

	return value && value[0] ? value : NULL;
}

enum loom_status loom_env_init(struct loom_env *env, struct loom_err *err)
{
	const char *now = NULL;
	const char *seed = NULL;

	*env = (struct loom_env){.var = process_var};
	now = loom_env_var(env, "LOOM_NOW");
	seed = loom_env_var(env, "LOOM_SEED");
	env->now_fixed = now != NULL;
	env->seeded = seed != NULL;
	if (now && !loom_time_parse(loom_str_of(now), &env->now_ms)) {
		loom_fail(err, LOOM_SYNTAX, "LOOM_NOW is not a time: %s", now);
		return loom_hint(err, LOOM_SYNTAX,
				 "write 2026-02-23T10:00:00Z, or milliseconds since 1970");
	}
	if (seed && !loom_str_to_u64(loom_str_of(seed), &env->seed)) {
		loom_fail(err, LOOM_SYNTAX,
			  "LOOM_SEED is not a whole number from 0 to 18446744073709551615: %s",
			  seed);
		return loom_hint(err, LOOM_SYNTAX, "write decimal digits, such as 7");
	}
	return LOOM_OK;
}

void loom_env_init_fixed(struct loom_env *env, int64_t now_ms, uint64_t seed)
{
	*env = (struct loom_env){
		.now_fixed = true,
		.now_ms = now_ms,
		.seeded = true,
		.seed = seed,
		.var = no_var,
	};
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t loom_env_now(const struct loom_env *env)
{
	return env->now_fixed ? env->now_ms : clock_ns(CLOCK_REALTIME) / 1000000;
}

int64_t loom_env_boot(void)
{
	return clock_ns(CLOCK_BOOTTIME) / 1000000;
}

int64_t loom_env_ticks(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Without randomness two nodes could get the same id, so end the program. */
static _Noreturn void no_randomness(void)
{
	static const char text[] = "loom: the system provides no random bytes\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);

	(void)written;
	exit(3);
}

static void system_random(char *out, size_t n)
{
	for (size_t some; n; out += some, n -= some) {
		some = n < MODEL_RANDOM_MAX ? n : MODEL_RANDOM_MAX;
		if (!model_random(out, some))
			no_randomness();
	}
}

static uint64_t turn(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

/* One step of xoshiro256**. */
static uint64_t draw(uint64_t s[4])
{
	uint64_t result = turn(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = turn(s[3], 45);
	return result;
}

void loom_env_random(const struct loom_env *env, uint64_t salt, void *out, size_t n)
{
	/* The first two words hold seed and salt whole, so two different pairs never start from the
	 * same state. */
	uint64_t state[4] = {model_mix64(env->seed), model_mix64(~salt),
			     model_mix64(env->seed ^ turn(salt, 32)), 1};
	char *to = out;

	LOOM_ASSERT(out || !n);
	if (!env->seeded) {
		system_random(out, n);
		return;
	}
	for (int i = 0; i < 8; i++)
		(void)draw(state);
	while (n) {
		uint64_t word = draw(state);
		size_t part = n < sizeof word ? n : sizeof word;

		for (size_t i = 0; i < part; i++)
			to[i] = (char)(unsigned char)(word >> 8 * i);
		to += part;
		n -= part;
	}
}

uint64_t loom_env_next_salt(struct loom_env *env)
{
	LOOM_ASSERT(env->drawn < (uint64_t)1 << 63);
	/* The upper half of the range, which no row number reaches. */
	return (uint64_t)1 << 63 | env->drawn++;
}

static const struct {
	const char *var;
	const char *below_home;
} dirs[] = {
	[LOOM_DIR_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
	[LOOM_DIR_DATA] = {"XDG_DATA_HOME", ".local/share"},
	[LOOM_DIR_STATE] = {"XDG_STATE_HOME", ".local/state"},
	[LOOM_DIR_CACHE] = {"XDG_CACHE_HOME", ".cache"},
};

enum loom_status loom_env_dir(const struct loom_env *env, enum loom_dir dir, struct loom_buf *out,
			      struct loom_err *err)
{
	const char *base = loom_env_var(env, dirs[dir].var);
	const char *home = loom_env_var(env, "HOME");

	LOOM_ASSERT((size_t)dir < LOOM_COUNT(dirs));
	/* By the XDG rules a relative path counts as unset. */
	if (base && base[0] == '/') {
		loom_buf_addf(out, "%s/loom", base);
		return LOOM_OK;
	}
	if (home && home[0] == '/') {
		loom_buf_addf(out, "%s/%s/loom", home, dirs[dir].below_home);
		return LOOM_OK;
	}
	loom_fail(err, LOOM_NOT_FOUND, "no home directory for loom's files");
	return loom_hint(err, LOOM_NOT_FOUND, "set HOME or %s to an absolute path", dirs[dir].var);
}
