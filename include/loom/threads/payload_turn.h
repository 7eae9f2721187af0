/* The project's payload as one turn of a conversation: its text, and the report that the turn
 * leaves beside it. */
#ifndef LOOM_THREADS_PAYLOAD_TURN_H
#define LOOM_THREADS_PAYLOAD_TURN_H

#include <loom/cli/open_grove.h>

struct threads_payload_turn;

/* Builds the payload of a session's turn (empty: the newest), fetching URLs as `loom payload` does.
 * Needs no grove and opens none for long: call it before the conversation's own. */
enum loom_status threads_payload_turn_open(struct loom_cli *cli, struct loom_str session,
					   struct loom_str turn, struct threads_payload_turn **out,
					   struct loom_err *err) LOOM_MUST;
/* The whole document; valid until close. */
struct loom_str threads_payload_turn_text(const struct threads_payload_turn *turn);
/* Leaves what happened in the thread's last turn as report.md in the folder of the payload's turn,
 * and notes where; a project without turns gets none. */
enum loom_status threads_payload_turn_report(const struct threads_payload_turn *turn,
					     struct cli_grove *grove, int64_t thread,
					     struct loom_err *err) LOOM_MUST;
/* Frees it; NULL is fine. */
void threads_payload_turn_close(struct threads_payload_turn *turn);

#endif
