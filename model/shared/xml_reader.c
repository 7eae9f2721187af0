/* Reads XML in a child process.
 *
 * libxml2's push parser without network, entities or DTD: a DOCTYPE stops it, and the entity loader
 * refuses external entities. The child writes each event as a kind, a line and counted texts, all
 * numbers in 32 bits; the parent validates everything but the texts, which were untrusted to begin
 * with. */
#include "xml_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <loom/base/library.h>

#define ANSWER_MAX ((size_t)16 << 20)
#define CHUNK      4096

/* The parts of the library we use. It is loaded when there is XML to read: with its dependencies it
 * takes longer to load than everything else at startup. */
/* clang-format off */
#define XML_LIB(X) \
	X(SAX2GetLineNumber) X(StopParser) X(SetExternalEntityLoader) X(CreatePushParserCtxt) \
	X(CtxtUseOptions) X(SwitchEncoding) X(ParseChunk)
/* clang-format on */

/* The ABI changed with the soname. */
#if LIBXML_VERSION >= 21400
#define XML_FILES "libxml2.so.16", "libxml2.16.dylib"
#else
#define XML_FILES "libxml2.so.2", "libxml2.2.dylib"
#endif

struct xml_lib {
#define X(name) __typeof__(&(xml##name)) name;
	XML_LIB(X)
#undef X
};

static enum loom_status load(struct xml_lib *lib, struct loom_err *err)
{
	static const char *const files[] = {XML_FILES, NULL};
	static const struct loom_symbol symbols[] = {
#define X(name) {"xml" #name, offsetof(struct xml_lib, name)},
		XML_LIB(X)
#undef X
	};

	if (loom_library_load(files, symbols, LOOM_COUNT(symbols), lib))
		return LOOM_OK;
	loom_fail(err, LOOM_FAULT, "libxml2 is missing, and XML cannot be read without it");
	return loom_hint(err, LOOM_FAULT, "install libxml2 (Debian: libxml2)");
}

/* ---- the child ---- */

struct child {
	const struct xml_lib *lib;
	xmlParserCtxtPtr parser;
	struct loom_buf out;
	bool stopped;
};

static void put_number(struct child *child, size_t n)
{
	uint32_t number = (uint32_t)n;

	loom_buf_add(&child->out, loom_str_make((const char *)&number, sizeof(number)));
}

static void put_text(struct child *child, const char *p, size_t n)
{
	put_number(child, n);
	loom_buf_add(&child->out, loom_str_make(p, n));
}

static void put_event(struct child *child, enum model_xml_kind kind, size_t line, const char *name)
{
	LOOM_ASSERT(name && line > 0);
	put_number(child, kind);
	put_number(child, line);
	put_text(child, name, strlen(name));
}

static size_t line_of(const struct child *child)
{
	int line = child->lib->SAX2GetLineNumber(child->parser);

	return line > 0 ? (size_t)line : 1;
}

static void stop(struct child *child, size_t line, const char *why)
{
	LOOM_ASSERT(line > 0);
	if (child->stopped)
		return;
	child->stopped = true;
	put_event(child, MODEL_XML_BROKEN, line, why);
	put_number(child, 0);
	child->lib->StopParser(child->parser);
}

/* The parameters are libxml2's. NOLINTNEXTLINE(readability-function-size) */
static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		     int namespaces, const xmlChar **declared, int count, int defaulted,
		     const xmlChar **attributes)
{
	struct child *child = ctx;

	(void)uri;
	(void)declared;
	(void)defaulted;
	if (child->stopped)
		return;
	put_event(child, MODEL_XML_START, line_of(child),
		  prefix ? "an element with a namespace" : (const char *)name);
	put_number(child, (size_t)count + (namespaces > 0));
	if (namespaces > 0) {
		put_text(child, "xmlns", 5);
		put_text(child, "", 0);
	}
	/* localname, prefix, URI, value, end of value */
	for (int i = 0; i < count; i++) {
		const char *own = (const char *)attributes[5 * i];
		const char *value = (const char *)attributes[5 * i + 3];
		const char *end = (const char *)attributes[5 * i + 4];

		put_text(child, own, attributes[5 * i + 1] ? 0 : strlen(own));
		put_text(child, value, (size_t)(end - value));
	}
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct child *child = ctx;

	(void)name;
	(void)prefix;
	(void)uri;
	if (child->stopped)
		return;
	put_event(child, MODEL_XML_END, line_of(child), "");
	put_number(child, 0);
}

/* The parser is past the text: count the line back to where the text begins. */
static void on_text(void *ctx, const xmlChar *text, int length)
{
	struct child *child = ctx;
	struct loom_str words = loom_str_make((const char *)text, (size_t)length);
	size_t line = line_of(child);
	bool begun = false;

	if (child->stopped || loom_str_trim(words).n == 0)
		return;
	for (size_t i = 0; i < words.n; i++) {
		begun = begun || !strchr(" \t\r\n", words.p[i]);
		if (begun && words.p[i] == '\n' && line > 1)
			line--;
	}
	put_event(child, MODEL_XML_TEXT, line, "");
	put_number(child, 0);
}

static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *external,
		       const xmlChar *system)
{
	struct child *child = ctx;

	(void)name;
	(void)external;
	(void)system;
	stop(child, line_of(child), "a DOCTYPE is not allowed");
}

static void on_error(void *ctx, xmlErrorPtr error)
{
	struct child *child = ctx;
	struct loom_str why = loom_str_trim(loom_str_of(error->message));
	char text[200];

	snprintf(text, sizeof(text), "%.*s", why.n < 160 ? (int)why.n : 160, why.p ? why.p : "");
	if (error->level >= XML_ERR_ERROR)
		stop(child, error->line > 0 ? (size_t)error->line : 1, text);
}

static xmlParserInputPtr no_entity(const char *url, const char *id, xmlParserCtxtPtr parser)
{
	(void)url;
	(void)id;
	(void)parser;
	return NULL;
}

static struct rlimit at_most(rlim_t limit)
{
	return (struct rlimit){.rlim_cur = limit, .rlim_max = limit};
}

/* The address sanitizer's shadow takes terabytes of address space; compilers announce it in two
 * ways. */
#ifdef __SANITIZE_ADDRESS__
#define ADDRESSES RLIM_INFINITY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESSES RLIM_INFINITY
#endif
#endif
#ifndef ADDRESSES
#define ADDRESSES ((rlim_t)512 << 20)
#endif

static void limit_child(void)
{
	const struct rlimit none = at_most(0);
	const struct rlimit seconds = at_most(10);
	const struct rlimit bytes = at_most(ADDRESSES);

	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &bytes);
}

static void write_all(int fd, struct loom_str bytes)
{
	LOOM_ASSERT(fd >= 0);
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0)
			bytes = loom_str_sub(bytes, (size_t)n, SIZE_MAX);
	}
}

static void parse(struct child *child, struct loom_str text)
{
	LOOM_ASSERT(!child->stopped);
	for (size_t at = 0; at < text.n && !child->stopped; at += CHUNK) {
		struct loom_str chunk = loom_str_sub(text, at, CHUNK);

		child->lib->ParseChunk(child->parser, chunk.p, (int)chunk.n, 0);
	}
	if (!child->stopped)
		child->lib->ParseChunk(child->parser, "", 0, 1);
	if (!child->stopped && !child->parser->wellFormed)
		stop(child, line_of(child), "not well-formed");
}

/* Runs the parser; never returns. */
static void run_child(const struct xml_lib *lib, struct loom_str text, int out)
{
	struct child child = {.lib = lib, .out = LOOM_BUF_INIT(ANSWER_MAX)};
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
		.internalSubset = on_doctype,
		.serror = on_error,
	};

	limit_child();
	lib->SetExternalEntityLoader(no_entity);
	child.parser = lib->CreatePushParserCtxt(&sax, &child, NULL, 0, NULL);
	if (!child.parser)
		_exit(1);
	/* Without NOENT the reader gets `&#38;` for `&amp;` in an attribute. There are no other
	 * entities to expand: declaring one takes a DOCTYPE, which ends the reading. */
	lib->CtxtUseOptions(child.parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_NOERROR |
						  XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
	lib->SwitchEncoding(child.parser, XML_CHAR_ENCODING_UTF8);
	parse(&child, text);
	write_all(out, loom_buf_str(&child.out));
	_exit(child.out.bad != LOOM_OK);
}

/* ---- the parent ---- */

static bool take_number(struct loom_str *rest, size_t *out)
{
	uint32_t number = 0;

	if (rest->n < sizeof(number))
		return false;
	memcpy(&number, rest->p, sizeof(number));
	*rest = loom_str_sub(*rest, sizeof(number), SIZE_MAX);
	*out = number;
	return true;
}

static bool take_text(struct loom_str *rest, struct loom_arena *arena, struct loom_str *out)
{
	size_t n = 0;

	if (!take_number(rest, &n) || n > rest->n)
		return false;
	*out = loom_arena_str(arena, loom_str_sub(*rest, 0, n));
	*rest = loom_str_sub(*rest, n, SIZE_MAX);
	return true;
}

static bool take_event(struct loom_str *rest, struct loom_arena *arena, struct model_xml_event *out)
{
	size_t kind = 0;

	*out = (struct model_xml_event){0};
	if (!take_number(rest, &kind) || kind > MODEL_XML_BROKEN ||
	    !take_number(rest, &out->line) || !take_text(rest, arena, &out->name) ||
	    !take_number(rest, &out->attribute_count) || out->attribute_count > rest->n)
		return false;
	out->kind = (enum model_xml_kind)kind;
	out->attributes = LOOM_ARENA_ARRAY(arena, out->attribute_count, struct model_xml_attribute);
	for (size_t i = 0; i < out->attribute_count; i++) {
		if (!take_text(rest, arena, &out->attributes[i].name) ||
		    !take_text(rest, arena, &out->attributes[i].value))
			return false;
	}
	return true;
}

static void add_event(struct loom_arena *arena, struct model_xml_events *events,
		      struct model_xml_event event)
{
	events->items = loom_arena_grow(arena, events->items, events->count, &events->cap,
					sizeof(*events->items));
	events->items[events->count++] = event;
}

static void take_events(struct loom_str answer, bool whole, struct loom_arena *arena,
			struct model_xml_events *out)
{
	LOOM_ASSERT(out->count == 0);
	while (whole && answer.n) {
		struct model_xml_event event;

		whole = take_event(&answer, arena, &event);
		if (whole)
			add_event(arena, out, event);
	}
	if (!whole)
		add_event(arena, out,
			  (struct model_xml_event){.kind = MODEL_XML_BROKEN,
						   .line = 1,
						   .name = LOOM_STR("the XML reader failed")});
}

static void read_answer(int fd, struct loom_buf *out)
{
	char block[CHUNK];
	ssize_t n = 0;

	LOOM_ASSERT(fd >= 0);
	do {
		n = read(fd, block, sizeof(block));
		if (n > 0)
			loom_buf_add(out, loom_str_make(block, (size_t)n));
	} while (n > 0 || (n < 0 && errno == EINTR));
}

enum loom_status model_xml_read(struct loom_str text, struct loom_arena *arena,
				struct model_xml_events *out, struct loom_err *err)
{
	struct loom_buf answer = LOOM_BUF_INIT(ANSWER_MAX);
	struct xml_lib lib;
	int ends[2] = {-1, -1};
	int state = 0;
	pid_t child = -1;
	enum loom_status status = load(&lib, err);

	*out = (struct model_xml_events){0};
	if (status != LOOM_OK)
		return status;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return loom_fail(err, LOOM_IO, "no pipe: %s", strerror(errno));
	child = fork();
	if (child == 0)
		run_child(&lib, text, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return loom_fail(err, LOOM_IO, "no process: %s", strerror(errno));
	}
	LOOM_ASSERT(child > 0);
	read_answer(ends[0], &answer);
	close(ends[0]);
	while (waitpid(child, &state, 0) < 0 && errno == EINTR)
		;
	take_events(loom_buf_str(&answer), state == 0 && answer.bad == LOOM_OK, arena, out);
	loom_buf_fini(&answer);
	return LOOM_OK;
}
