/* The layout of a weave: sizes, and where the fields of each structure are. One list serves the
 * reader and the writer. Not for other rooms. */
#ifndef WEAVE_INSIDE_H
#define WEAVE_INSIDE_H

#include <loom/weave/weave.h>

enum {
	/* A list: the distance to its items, and their number. A text of at most eight bytes lies
	 * in its place, the rest filled with 0xFF; a longer one has its length and its distance. */
	WEAVE_LIST = 8,
	WEAVE_TEXT = 8,
	/* A table: the distance to its control bytes, the number of items and of slots. The slots
	 * lie before the control bytes, in reverse. */
	WEAVE_TABLE = 12,
	WEAVE_TABLE_COUNT = 4,
	WEAVE_TABLE_SLOTS = 8,
	/* A map in order: a table of the numbers of its items, and the distance to the items. */
	WEAVE_MAP = 16,
	WEAVE_MAP_ITEMS = WEAVE_TABLE,
	WEAVE_FACT = 2 * WEAVE_TEXT,
	/* Something that may be missing: whether it is there, and then it, aligned. */
	WEAVE_THERE = 1,
	/* A control byte of a slot that is free. */
	WEAVE_FREE = 0xFF,
	WEAVE_USED = 0x80, /* this bit is not set */
	WEAVE_GROUP = 16,  /* control bytes are looked at in groups of this size */
	/* The kinds of a node's content: its tag, and the list in it. */
	WEAVE_SNIPPET = 0,
	WEAVE_TOKENS = 1,
	WEAVE_NOTHING = 2, /* version 1 */
	WEAVE_KIND_LIST = 4,
};

/* Version 0. */
enum {
	WEAVE0_ID = 16,
	WEAVE0_NODE = 144, /* a slot of the table of nodes: the id once more, and the node */
	WEAVE0_NODE_ID = 16,
	WEAVE0_NODE_FROM = 32, /* may be missing; the id is 16 bytes behind */
	WEAVE0_NODE_TO = 64,
	WEAVE0_NODE_ACTIVE = 80,
	WEAVE0_NODE_BOOKMARKED = 81,
	WEAVE0_NODE_CONTENT = 84,
	WEAVE0_NODE_FACTS = 96,
	WEAVE0_NODE_MODEL = 112, /* may be missing */
	WEAVE0_NODE_LABEL = 116,
	WEAVE0_NODE_MODEL_FACTS = 124,
	WEAVE0_TOKEN = 24,
	WEAVE0_TOKEN_FACTS = 8,
	WEAVE0_ROOT = 112,
	WEAVE0_ROOT_ROOTS = 12,
	WEAVE0_ROOT_ACTIVE = 32, /* may be missing; the id is 16 bytes behind */
	WEAVE0_ROOT_BOOKMARKS = 64,
	WEAVE0_ROOT_THREAD = 80, /* a list of ids */
	WEAVE0_ROOT_FACTS = 88,
};

/* Version 1. */
enum {
	WEAVE1_ID = 8,
	WEAVE1_NODE = 224,
	WEAVE1_NODE_ID = 16,
	WEAVE1_NODE_FROM = 24,
	WEAVE1_NODE_TO = 40,
	WEAVE1_NODE_ACTIVE = 56,
	WEAVE1_NODE_BOOKMARKED = 57,
	WEAVE1_NODE_TIME = 64,
	WEAVE1_NODE_MODIFIED = 72,
	WEAVE1_NODE_CONTENT = 76,
	WEAVE1_NODE_FACTS = 88,
	WEAVE1_NODE_MAKER = 112, /* 0: a model, 1: a person, 2: unknown */
	WEAVE1_NODE_NAMED = 128, /* whether the model or person is named */
	WEAVE1_NODE_LABEL = 144, /* of both */
	WEAVE1_NODE_HUMAN_ID = 160,
	WEAVE1_NODE_COLOR = 152, /* may be missing; the text is 4 bytes behind */
	WEAVE1_NODE_MODEL_ID = 176,
	WEAVE1_NODE_SEED = 192, /* may be missing; the number is 4 bytes behind */
	WEAVE1_NODE_MODEL_FACTS = 200,
	WEAVE1_TOKEN = 72,
	WEAVE1_OTHER = 48,
	WEAVE1_TOKEN_LOGPROB = 8,
	WEAVE1_TOKEN_ID = 16, /* may be missing; the number is 8 bytes behind */
	WEAVE1_TOKEN_FACTS = 32,
	WEAVE1_TOKEN_ENTROPY = 48,  /* not a number: missing */
	WEAVE1_TOKEN_OTHERS = 52,   /* the distance to a list */
	WEAVE1_TOKEN_ORIGINAL = 56, /* 0: not modified, 1: known, a list; 2: unknown */
	WEAVE1_ROOT = 112,
	WEAVE1_ROOT_ROOTS = 12,
	WEAVE1_ROOT_BOOKMARKS = 40,
	WEAVE1_ROOT_TITLE = 56,       /* may be missing; the text is 4 bytes behind */
	WEAVE1_ROOT_DESCRIPTION = 68, /* the same */
	WEAVE1_ROOT_CREATED = 80,
	WEAVE1_ROOT_SOURCES = 88,
	WEAVE1_ROOT_FACTS = 96,
	WEAVE1_SOURCE = 28,
	WEAVE1_SOURCE_VERSION = 8, /* may be missing; the text is 4 bytes behind */
	WEAVE1_SOURCE_TIME = 20,
};

#endif
