/* The clipboard by OSC 52. Copied text is often pasted into a shell, and a text that ends its own
 * bracketed paste would then type commands. So controls are replaced by the names they are drawn
 * with. Other invisible characters, such as direction marks, are part of the text and stay. */
#include <loom/terminal/clip.h>

#include <loom/base/hash.h>
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

/* A control, or an invalid byte, which some terminals take for one. */
static bool may_type(struct loom_str source)
{
	bool types = false;

	for (size_t at = 0; at < source.n && !types;) {
		const uint32_t cp = loom_utf8_next(source, &at);

		types = cp == LOOM_CP_BAD || cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
	}
	return types;
}

static void add_piece(const struct loom_piece *piece, struct loom_buf *out, size_t *named)
{
	if (piece->newline) {
		loom_buf_addc(out, '\n');
	} else if (!piece->tab && may_type(piece->source)) {
		loom_buf_add(out, loom_str_make(piece->text, piece->len));
		(*named)++;
	} else {
		loom_buf_add(out, piece->source);
	}
}

/* False when the text is too long. */
static bool sanitise(struct loom_str text, struct loom_buf *out, size_t *named)
{
	struct loom_piece piece;

	for (size_t at = 0; at < text.n && out->n <= TUI_CLIP_MAX;) {
		loom_shown_next(text, &at, &piece);
		add_piece(&piece, out, named);
	}
	return out->n <= TUI_CLIP_MAX;
}

/* Base64 with padding, as terminals expect it. */
static void add_base64(struct loom_str text, struct loom_buf *out)
{
	const size_t from = out->n;

	loom_base64url(text, out);
	for (size_t i = from; i < out->n; i++)
		out->p[i] = out->p[i] == '-' ? '+' : out->p[i] == '_' ? '/' : out->p[i];
	loom_buf_add_repeat(out, '=', (3 - text.n % 3) % 3);
}

bool tui_clip(struct loom_str text, struct loom_buf *out, size_t *named)
{
	struct loom_buf clean = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t count = 0;
	const bool fits = sanitise(text, &clean, &count);

	if (fits) {
		loom_buf_adds(out, "\x1b]52;c;");
		add_base64(loom_buf_str(&clean), out);
		loom_buf_adds(out, "\x1b\\");
	}
	if (named)
		*named = count;
	loom_buf_fini(&clean);
	return fits;
}
