/* What the files of the line protocol share. */
#ifndef CHAT_DRIVE_INSIDE_H
#define CHAT_DRIVE_INSIDE_H

#include <loom/chat/drive.h>

struct loom_drive {
	struct loom_log log;
	struct loom_run *run;
	struct loom_arena *arena; /* one command's texts */
	struct loom_str thread;
	struct loom_str prompt;
	struct loom_arena *home;
	struct loom_str unheard; /* of a run that was found dead */
};

/* One command under way. */
struct chat_drive_command {
	struct loom_drive *drive;
	struct loom_str object;
	struct loom_json *json;
	struct loom_err *err;
};

/* What a member says, empty when it is no string. */
struct loom_str chat_drive_text(const struct chat_drive_command *command, const char *key);
/* A member's value; absent when null. */
struct loom_str chat_drive_value(const struct chat_drive_command *command, const char *key);
/* The result's word, with the reason behind a colon when there is one. */
void chat_drive_answer(struct loom_json *json, const char *word, const char *why);

/* The commands that only look. */
enum loom_status chat_drive_project(struct chat_drive_command *command) LOOM_MUST;
enum loom_status chat_drive_state(struct chat_drive_command *command) LOOM_MUST;
enum loom_status chat_drive_log(struct chat_drive_command *command) LOOM_MUST;

#endif
