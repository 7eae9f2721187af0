/* A path as an EPUB 3: a zip of XHTML, a title page and a file for each chapter. */
#include "write_zip.h"

#define HEAD                                                                                       \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n"                            \
	"<html xmlns=\"http://www.w3.org/1999/xhtml\" "                                            \
	"xmlns:epub=\"http://www.idpf.org/2007/ops\"><head><title>"

static const char container[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\">"
	"<rootfiles><rootfile full-path=\"book/package.opf\" "
	"media-type=\"application/oebps-package+xml\"/></rootfiles></container>\n";

static const char style[] = "p{margin:0;text-indent:1.5em}\n"
			    "h1+p,h2+p,h3+p,hr+p,p.item,.title p{text-indent:0}\n"
			    ".title{text-align:center;margin-top:30%}\n"
			    "hr{border:0;text-align:center;margin:1em 0}\n"
			    "hr::after{content:\"* * *\"}\n"
			    "pre{white-space:pre-wrap}\n";

struct epub {
	struct export_zip zip;
	struct export_book book;
	const struct loom_tree *tree;
	struct loom_buf page;
};

static void begin_page(struct epub *e, struct loom_str title)
{
	loom_buf_clear(&e->page);
	loom_buf_adds(&e->page, HEAD);
	loom_xml_escape(&e->page, title);
	loom_buf_adds(&e->page, "</title><link rel=\"stylesheet\" type=\"text/css\" "
				"href=\"style.css\"/></head><body>\n");
}

static enum loom_status end_page(struct epub *e, const char *name, struct loom_err *err)
{
	loom_buf_adds(&e->page, "</body></html>\n");
	return export_zip_add(&e->zip, name, loom_buf_str(&e->page), false, err);
}

static enum loom_status put_title(struct epub *e, struct loom_err *err)
{
	begin_page(e, e->book.title);
	loom_buf_adds(&e->page, "<section class=\"title\" epub:type=\"titlepage\">\n<h1>");
	loom_xml_escape(&e->page, e->book.title);
	loom_buf_adds(&e->page, "</h1>\n<p>");
	loom_xml_escape(&e->page, e->book.by);
	loom_buf_adds(&e->page, "</p>\n</section>\n");
	return end_page(e, "book/title.xhtml", err);
}

static enum loom_status put_chapters(struct epub *e, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < e->book.count && status == LOOM_OK; i++) {
		const struct export_chapter *chapter = &e->book.chapters[i];
		char name[40];

		snprintf(name, sizeof name, "book/c%zu.xhtml", i + 1);
		begin_page(e, chapter->name);
		loom_buf_adds(&e->page, "<section epub:type=\"chapter\">\n");
		loom_xhtml_add(&e->page, chapter->text, 1 - e->book.level);
		loom_buf_adds(&e->page, "</section>\n");
		status = end_page(e, name, err);
	}
	return status;
}

static enum loom_status put_contents(struct epub *e, struct loom_err *err)
{
	begin_page(e, e->book.title);
	loom_buf_adds(&e->page, "<nav epub:type=\"toc\"><ol>\n"
				"<li><a href=\"title.xhtml\">");
	loom_xml_escape(&e->page, e->book.title);
	loom_buf_adds(&e->page, "</a></li>\n");
	for (size_t i = 0; i < e->book.count; i++) {
		loom_buf_addf(&e->page, "<li><a href=\"c%zu.xhtml\">", i + 1);
		loom_xml_escape(&e->page, e->book.chapters[i].name);
		loom_buf_adds(&e->page, "</a></li>\n");
	}
	loom_buf_adds(&e->page, "</ol></nav>\n");
	return end_page(e, "book/contents.xhtml", err);
}

/* A book has a UUID of its own: that of its tree, marked as one of our making (RFC 9562, 8). */
static void add_identifier(struct loom_buf *out, const struct loom_ulid *ulid)
{
	loom_buf_adds(out, "urn:uuid:");
	for (size_t i = 0; i < sizeof ulid->bytes; i++) {
		const unsigned byte = i == 6   ? (ulid->bytes[i] & 0x0Fu) | 0x80u
				      : i == 8 ? (ulid->bytes[i] & 0x3Fu) | 0x80u
					       : ulid->bytes[i];

		loom_buf_addf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      byte);
	}
}

static void add_facts(struct epub *e)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(e->book.changed, &iso);
	loom_buf_adds(&e->page, "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n"
				"<dc:identifier id=\"book\">");
	add_identifier(&e->page, &e->tree->ulid);
	loom_buf_adds(&e->page, "</dc:identifier>\n<dc:language>und</dc:language>\n<dc:title>");
	loom_xml_escape(&e->page, e->book.title);
	loom_buf_adds(&e->page, "</dc:title>\n");
	if (e->book.by.n) {
		loom_buf_adds(&e->page, "<dc:creator>");
		loom_xml_escape(&e->page, e->book.by);
		loom_buf_adds(&e->page, "</dc:creator>\n");
	}
	loom_buf_addf(&e->page, "<meta property=\"dcterms:modified\">%.19sZ</meta>\n</metadata>\n",
		      loom_buf_cstr(&iso));
	loom_buf_fini(&iso);
}

static enum loom_status put_package(struct epub *e, struct loom_err *err)
{
	static const char page[] = "<item id=\"%s\" href=\"%s.xhtml\" "
				   "media-type=\"application/xhtml+xml\"%s/>\n";
	char name[40];

	loom_buf_clear(&e->page);
	loom_buf_adds(&e->page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				"<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" "
				"unique-identifier=\"book\">\n");
	add_facts(e);
	loom_buf_adds(&e->page,
		      "<manifest>\n"
		      "<item id=\"style\" href=\"style.css\" media-type=\"text/css\"/>\n");
	loom_buf_addf(&e->page, page, "contents", "contents", " properties=\"nav\"");
	loom_buf_addf(&e->page, page, "title", "title", "");
	for (size_t i = 0; i < e->book.count; i++) {
		snprintf(name, sizeof name, "c%zu", i + 1);
		loom_buf_addf(&e->page, page, name, name, "");
	}
	loom_buf_adds(&e->page, "</manifest>\n<spine>\n<itemref idref=\"title\"/>\n");
	for (size_t i = 0; i < e->book.count; i++)
		loom_buf_addf(&e->page, "<itemref idref=\"c%zu\"/>\n", i + 1);
	loom_buf_adds(&e->page, "</spine>\n</package>\n");
	return export_zip_add(&e->zip, "book/package.opf", loom_buf_str(&e->page), false, err);
}

/* Readers know the archive by its first file, which is not compressed. */
static enum loom_status put_all(struct epub *e, struct loom_err *err)
{
	enum loom_status status =
		export_zip_add(&e->zip, "mimetype", LOOM_STR("application/epub+zip"), true, err);

	if (status == LOOM_OK)
		status = export_zip_add(&e->zip, "META-INF/container.xml", loom_str_of(container),
					false, err);
	if (status == LOOM_OK)
		status = put_package(e, err);
	if (status == LOOM_OK)
		status = put_contents(e, err);
	if (status == LOOM_OK)
		status = export_zip_add(&e->zip, "book/style.css", loom_str_of(style), false, err);
	if (status == LOOM_OK)
		status = put_title(e, err);
	return status == LOOM_OK ? put_chapters(e, err) : status;
}

static enum loom_status put_epub(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	struct epub e = {.tree = &tree->row, .page = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status = export_book_read(ex, tree, &e.book, err);

	export_zip_init(&e.zip, ex);
	if (status == LOOM_OK)
		status = put_all(&e, err);
	status = export_zip_fini(&e.zip, status, err);
	loom_buf_fini(&e.page);
	return status;
}

static enum loom_status run(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_epub, .put = put_epub};

	return export_each(what, &way, err);
}

const struct loom_export_format export_epub = {
	.name = "epub",
	.title = "a book for e-readers: a path in chapters",
	.path_only = true,
	.one_tree = true,
	.book = true,
	.binary = true,
	.holds = {[LOOM_EXPORT_TALK] = LOOM_BESIDE(EXCLUDED),
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(EXCLUDED),
		  [LOOM_EXPORT_BOOK] = LOOM_BESIDE(EXCLUDED)},
	.run = run,
};
