/* Untrusted XML as a flat list of events.
 *
 * The parser runs in a separate process that can open nothing, has limited memory and time, and
 * answers through a pipe; its answer is checked again. */
#ifndef MODEL_THREAD_XML_IMPL_H
#define MODEL_THREAD_XML_IMPL_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

enum model_xml_kind {
	MODEL_XML_START,
	MODEL_XML_END,
	MODEL_XML_TEXT,  /* more than blanks between elements */
	MODEL_XML_BROKEN /* not well-formed, or refused; name is the reason; the last event */
};

struct model_xml_attribute {
	struct loom_str name;
	struct loom_str value;
};

struct model_xml_event {
	enum model_xml_kind kind;
	size_t line; /* line in the given text, from 1 */
	struct loom_str name;
	struct model_xml_attribute *attributes;
	size_t attribute_count;
};

struct model_xml_events {
	struct model_xml_event *items;
	size_t count;
	size_t cap;
};

/* Parses `text`, one element. Fails only if libxml2 is missing, or fork or pipe fail. */
enum loom_status model_xml_read(struct loom_str text, struct loom_arena *arena,
				struct model_xml_events *out, struct loom_err *err) LOOM_MUST;

#endif
