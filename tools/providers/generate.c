/* Names shared by all users of the generation interface; the backends are elsewhere. */
#include <loom/providers/generate.h>

const char *loom_finish_name(enum loom_finish finish)
{
	static const char *const names[] = {
		[LOOM_FINISH_STOP] = "stop",           [LOOM_FINISH_STOP_TEXT] = "stop_seq",
		[LOOM_FINISH_LENGTH] = "length",       [LOOM_FINISH_FILTER] = "filter",
		[LOOM_FINISH_CANCELLED] = "cancelled", [LOOM_FINISH_ERROR] = "error",
	};

	return names[finish];
}
