/* XML of strangers, as a flat list of events.
 *
 * The parser runs in a process of its own that can open nothing, take no more memory or time than
 * it is given, and speaks through a pipe; what comes back is checked again. */
#ifndef MODEL_THREAD_XML_IMPL_H
#define MODEL_THREAD_XML_IMPL_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

enum model_xml_kind {
	MODEL_XML_START,
	MODEL_XML_END,
	MODEL_XML_TEXT,  /* anything but blanks between elements */
	MODEL_XML_BROKEN /* not well-formed, or refused; name says why; nothing follows */
};

struct model_xml_attribute {
	struct loom_str name;
	struct loom_str value;
};

struct model_xml_event {
	enum model_xml_kind kind;
	size_t line; /* from 1, within the text that was given */
	struct loom_str name;
	struct model_xml_attribute *attributes;
	size_t attribute_count;
};

struct model_xml_events {
	struct model_xml_event *items;
	size_t count;
	size_t cap;
};

/* Parses `text`, one element. Only a machine that has no libxml2, or that cannot fork or make a
 * pipe, is an error. */
enum loom_status model_xml_read(struct loom_str text, struct loom_arena *arena,
				struct model_xml_events *out, struct loom_err *err) LOOM_MUST;

#endif
