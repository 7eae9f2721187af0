/* Inside the search: its two databases. For model/store_search*.c only. */
#ifndef LOOM_STORE_SEARCH_IMPL_H
#define LOOM_STORE_SEARCH_IMPL_H

#include "store_impl.h"

struct loom_search {
	struct loom_store *grove; /* borrowed */
	struct loom_store index;  /* only its connection, statements and file are used */
};

#endif
