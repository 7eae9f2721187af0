/* The camp that a suite's tests share, made anew for each of them. */
#ifndef LOOM_TESTS_SUPPORT_CAMP_SUITE_H
#define LOOM_TESTS_SUPPORT_CAMP_SUITE_H

#include <loom/base/json.h>

#include "support/camp.h"

#define RELATIONS  ".leslie/thread_relations.json"
#define OBJECTIVES ".leslie/objectives.json"
#define T          ".leslie/threads/"

static struct camp camp;

static inline void set_up(void *ctx)
{
	(void)ctx;
	camp_init(&camp);
}

static inline void tear_down(void *ctx)
{
	(void)ctx;
	camp_fini(&camp);
}

/* A file of the camp as JSON, NULL when it is none. */
static inline cJSON *parsed(const char *path)
{
	const char *text = camp_read(&camp, path);
	cJSON *json = NULL;

	if (!text || loom_json_parse(loom_str_of(text), NULL, &json, NULL) != LOOM_OK)
		return NULL;
	return json;
}

/* How many there are below up to three names; -1: nothing. */
static inline int length_of(const cJSON *json, const char *a, const char *b, const char *c)
{
	json = loom_json_get(json, a);
	json = b ? loom_json_get(json, b) : json;
	json = c ? loom_json_get(json, c) : json;
	return json ? cJSON_GetArraySize(json) : -1;
}

#endif
