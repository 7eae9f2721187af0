/* Parses and prints times. Milliseconds since 1970 in the proleptic Gregorian calendar, without
 * leap seconds; years outside 0000–9999 have a sign and six digits, as in JavaScript. */
#include <loom/base/env.h>

#include <inttypes.h>
#include <time.h>

#define SECOND ((int64_t)1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

struct date {
	int64_t year;
	int month;
	int day;
};

static int64_t floor_div(int64_t a, int64_t b)
{
	LOOM_ASSERT(b > 0);
	return a / b - (a % b < 0);
}

/* Counts in eras of 400 years that begin on 1 March, which puts the leap day last. */
static int64_t days_of(struct date date)
{
	int64_t year = date.year - (date.month <= 2);
	int64_t era = floor_div(year, 400);
	int64_t in_era = year - era * 400;
	int64_t in_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;

	LOOM_ASSERT(date.month >= 1 && date.month <= 12);
	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static struct date date_of(int64_t days)
{
	int64_t from_march = days + 719468;
	int64_t era = floor_div(from_march, 146097);
	int64_t in_era = from_march - era * 146097;
	int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153;
	struct date date = {
		.year = year + era * 400 + (month >= 10),
		.month = (int)(month < 10 ? month + 3 : month - 9),
		.day = (int)(in_year - (153 * month + 2) / 5 + 1),
	};

	LOOM_ASSERT(date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31);
	return date;
}

static void add_year(struct loom_buf *out, int64_t year)
{
	if (year >= 0 && year <= 9999)
		loom_buf_addf(out, "%04" PRId64, year);
	else
		loom_buf_addf(out, "%c%06" PRIu64, year < 0 ? '-' : '+',
			      year < 0 ? (uint64_t)-year : (uint64_t)year);
}

static void add_date(struct loom_buf *out, struct date date)
{
	add_year(out, date.year);
	loom_buf_addf(out, "-%02d-%02d", date.month, date.day);
}

static void put_digits(char *to, int n, int value)
{
	LOOM_ASSERT(value >= 0);
	while (n-- > 0) {
		to[n] = (char)('0' + value % 10);
		value /= 10;
	}
}

/* Formatted by hand, because hashing a node formats its time. */
void loom_time_iso(int64_t ms, struct loom_buf *out)
{
	char text[] = "0000-00-00T00:00:00.000Z";
	struct date date = date_of(floor_div(ms, DAY));
	int rest = (int)((ms % DAY + DAY) % DAY);
	bool plain = date.year >= 0 && date.year <= 9999;

	LOOM_ASSERT(rest >= 0 && rest < (int)DAY);
	put_digits(text, 4, plain ? (int)date.year : 0);
	put_digits(text + 5, 2, date.month);
	put_digits(text + 8, 2, date.day);
	put_digits(text + 11, 2, rest / (int)HOUR);
	put_digits(text + 14, 2, rest / (int)MINUTE % 60);
	put_digits(text + 17, 2, rest / (int)SECOND % 60);
	put_digits(text + 20, 3, rest % (int)SECOND);
	if (!plain)
		add_year(out, date.year);
	loom_buf_adds(out, plain ? text : text + 4);
}

/* Reads exactly `n` digits. */
static bool take_digits(struct loom_str *rest, size_t n, int *out)
{
	uint64_t value = 0;

	if (rest->n < n || !loom_str_to_u64(loom_str_sub(*rest, 0, n), &value))
		return false;
	*out = (int)value;
	*rest = loom_str_sub(*rest, n, rest->n);
	return true;
}

static bool take_char(struct loom_str *rest, const char *one_of)
{
	if (!rest->n || !rest->p[0] || !strchr(one_of, rest->p[0]))
		return false;
	*rest = loom_str_sub(*rest, 1, rest->n);
	return true;
}

static int month_days(int64_t year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	LOOM_ASSERT(month >= 1 && month <= 12);
	return days[month - 1] + (month == 2 && leap);
}

static bool take_date(struct loom_str *rest, int64_t *out_days)
{
	struct date date = {0};
	bool minus = rest->n && rest->p[0] == '-';
	bool far = take_char(rest, "+-");
	int year = 0;

	if (!take_digits(rest, far ? 6 : 4, &year) || !take_char(rest, "-") ||
	    !take_digits(rest, 2, &date.month) || !take_char(rest, "-") ||
	    !take_digits(rest, 2, &date.day))
		return false;
	date.year = minus ? -year : year;
	if (date.month < 1 || date.month > 12 || date.day < 1 ||
	    date.day > month_days(date.year, date.month))
		return false;
	*out_days = days_of(date);
	return true;
}

/* Reads ".123456"; digits beyond milliseconds are dropped. */
static bool take_fraction(struct loom_str *rest, int *out_ms)
{
	int unit = 100;

	*out_ms = 0;
	if (!take_char(rest, "."))
		return true;
	if (!rest->n || rest->p[0] < '0' || rest->p[0] > '9')
		return false;
	while (rest->n && rest->p[0] >= '0' && rest->p[0] <= '9') {
		*out_ms += (rest->p[0] - '0') * unit;
		unit /= 10;
		*rest = loom_str_sub(*rest, 1, rest->n);
	}
	return true;
}

/* A leap second counts as the second after it. */
static bool take_clock(struct loom_str *rest, int64_t *out_ms)
{
	int hour = 0;
	int minute = 0;
	int second = 0;
	int ms = 0;

	if (!take_digits(rest, 2, &hour) || !take_char(rest, ":") ||
	    !take_digits(rest, 2, &minute) || !take_char(rest, ":") ||
	    !take_digits(rest, 2, &second) || !take_fraction(rest, &ms))
		return false;
	*out_ms = hour * HOUR + minute * MINUTE + second * SECOND + ms;
	return hour <= 23 && minute <= 59 && second <= 60;
}

static bool take_offset(struct loom_str *rest, int64_t *out_ms)
{
	bool minus = rest->n && rest->p[0] == '-';
	int hour = 0;
	int minute = 0;

	*out_ms = 0;
	if (take_char(rest, "Zz"))
		return true;
	if (!take_char(rest, "+-") || !take_digits(rest, 2, &hour) || !take_char(rest, ":") ||
	    !take_digits(rest, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*out_ms = (hour * HOUR + minute * MINUTE) * (minus ? -1 : 1);
	return true;
}

bool loom_time_parse(struct loom_str text, int64_t *out_ms)
{
	int64_t days = 0;
	int64_t clock = 0;
	int64_t offset = 0;

	if (loom_str_to_i64(text, out_ms))
		return true;
	if (!take_date(&text, &days) || !take_char(&text, "Tt ") || !take_clock(&text, &clock) ||
	    !take_offset(&text, &offset) || text.n)
		return false;
	*out_ms = days * DAY + clock - offset;
	return true;
}

static struct date local_date(int64_t ms)
{
	time_t seconds = (time_t)floor_div(ms, SECOND);
	struct tm tm = {0};

	if (!localtime_r(&seconds, &tm))
		return date_of(floor_div(ms, DAY));
	return (struct date){(int64_t)tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday};
}

static void add_ago(struct loom_buf *out, int64_t count, const char *unit)
{
	loom_buf_add_int(out, count);
	loom_buf_adds(out, unit);
}

void loom_time_ago(int64_t then_ms, int64_t now_ms, bool local, struct loom_buf *out)
{
	int64_t age = 0;

	/* A clock that was set back must not give a negative age. */
	if (__builtin_sub_overflow(now_ms, then_ms, &age))
		age = then_ms < now_ms ? INT64_MAX : 0;
	if (age < 0)
		age = 0;
	if (age < MINUTE)
		add_ago(out, age / SECOND, "s ago");
	else if (age < HOUR)
		add_ago(out, age / MINUTE, "m ago");
	else if (age < DAY)
		add_ago(out, age / HOUR, "h ago");
	else if (age < 30 * DAY)
		add_ago(out, age / DAY, "d ago");
	else
		add_date(out, local ? local_date(then_ms) : date_of(floor_div(then_ms, DAY)));
}
