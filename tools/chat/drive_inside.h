/* Shared by the files of the line protocol. */
#ifndef CHAT_DRIVE_INSIDE_H
#define CHAT_DRIVE_INSIDE_H

#include <loom/chat/drive.h>

struct loom_drive {
	struct loom_log log;
	struct loom_run *run;
	struct loom_arena *arena; /* for the texts of one command */
	struct loom_str thread;
	struct loom_str prompt;
	struct loom_arena *home;
	struct loom_str unheard; /* by a run that was found dead */
	struct loom_drive_head head;
};

/* One command in progress. */
struct chat_drive_command {
	struct loom_drive *drive;
	struct loom_str object;
	struct loom_json *json;
	struct loom_err *err;
};

/* Returns the text of a member, empty when it is not a string. Lives for the command. */
struct loom_str chat_drive_text(const struct chat_drive_command *command, const char *key);
/* Returns the value of a member; p NULL when it is absent or null. */
struct loom_str chat_drive_value(const struct chat_drive_command *command, const char *key);
/* Writes the result's word, followed by a colon and the reason if there is one. */
void chat_drive_answer(struct loom_json *json, const char *word, const char *why);

/* Answers the command project. Fails as the log does. */
enum loom_status chat_drive_project(struct chat_drive_command *command) LOOM_MUST;
/* Answers the command state. Fails as the log does. */
enum loom_status chat_drive_state(struct chat_drive_command *command) LOOM_MUST;
/* Answers the command log. Fails as the log does. */
enum loom_status chat_drive_log(struct chat_drive_command *command) LOOM_MUST;

#endif
