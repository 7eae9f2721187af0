/* Checking XML with libxml2's tree parser, which the product does not use for it. */
#include "support/xml.h"

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>

static void keep_quiet(void *ctx, const char *message, ...)
{
	(void)ctx;
	(void)message;
}

static xmlDocPtr parse(struct loom_str text)
{
	xmlSetGenericErrorFunc(NULL, keep_quiet);
	return xmlReadMemory(text.p, (int)text.n, "block", "UTF-8",
			     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
}

bool xml_is_valid(struct loom_str text, const char *schema)
{
	xmlDocPtr document = parse(text);
	xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(schema);
	xmlRelaxNGPtr rules = parser ? xmlRelaxNGParse(parser) : NULL;
	xmlRelaxNGValidCtxtPtr check = rules ? xmlRelaxNGNewValidCtxt(rules) : NULL;
	bool valid = false;

	if (check)
		xmlRelaxNGSetValidErrors(check, keep_quiet, keep_quiet, NULL);
	if (document && check)
		valid = xmlRelaxNGValidateDoc(check, document) == 0;
	xmlRelaxNGFreeValidCtxt(check);
	xmlRelaxNGFree(rules);
	xmlRelaxNGFreeParserCtxt(parser);
	xmlFreeDoc(document);
	return valid;
}

static void outline_element(const xmlNode *node, int level, struct loom_buf *out)
{
	loom_buf_add_repeat(out, ' ', 2 * (size_t)level);
	loom_buf_adds(out, (const char *)node->name);
	for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
		const xmlNode *text = attribute->children;

		loom_buf_addf(out, " %s=", (const char *)attribute->name);
		for (; text; text = text->next)
			loom_buf_adds(out, (const char *)text->content);
	}
	loom_buf_addc(out, '\n');
}

bool xml_outline(struct loom_str text, struct loom_buf *out)
{
	xmlDocPtr document = parse(text);
	const xmlNode *node = document ? xmlDocGetRootElement(document) : NULL;
	int level = 0;

	while (node) {
		if (node->type == XML_ELEMENT_NODE)
			outline_element(node, level, out);
		if (node->type == XML_ELEMENT_NODE && node->children) {
			node = node->children;
			level++;
			continue;
		}
		while (node && !node->next) {
			node = level > 0 ? node->parent : NULL;
			level--;
		}
		node = node ? node->next : NULL;
	}
	xmlFreeDoc(document);
	return document != NULL;
}

bool xml_text(struct loom_str page, struct loom_buf *out)
{
	xmlDocPtr document = parse(page);
	xmlChar *text = document ? xmlNodeGetContent(xmlDocGetRootElement(document)) : NULL;

	loom_buf_adds(out, (const char *)text);
	xmlFree(text);
	xmlFreeDoc(document);
	return document != NULL;
}
