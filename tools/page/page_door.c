/* The door to the pages of a grove: its connection, its passes, its end. */
#include "inside.h"

#include <loom/tree/open_store.h>

enum loom_status page_door_open(struct cli_grove *grove, struct page_door **out,
				struct loom_err *err)
{
	struct page_door *door = loom_alloc(sizeof *door);
	enum loom_status status;

	*door = (struct page_door){.cli = grove->cli,
				   .loop = loom_cli_loop(grove->cli),
				   .home = grove,
				   .grove = *grove};
	/* A connection of its own sees the changes of all others. */
	door->grove.store = NULL;
	door->grove.worker = NULL;
	status = loom_store_open(&grove->cli->env, loom_store_dir(grove->store), LOOM_READ,
				 &door->grove.store, err);
	if (status == LOOM_OK)
		status = loom_passes_open(grove->store, &door->passes, err);
	if (status != LOOM_OK) {
		page_door_close(door);
		door = NULL;
	}
	*out = door;
	return status;
}

void page_door_close(struct page_door *door)
{
	if (!door)
		return;
	LOOM_ASSERT(!door->listeners);
	page_listen_close(door);
	loom_passes_close(door->passes);
	loom_store_close(door->grove.store);
	free(door);
}
