/* Projects of tests, and looking into the document built of one. */
#include "support/project.h"

#include "support/child.h"

void project_init(struct project *project)
{
	*project = (struct project){.arena = loom_arena_create()};
	temp_init(&project->temp);
	if (loom_root_open(project->temp.path, &project->root, NULL) != LOOM_OK)
		abort();
	project->opts = (struct loom_payload_opts){
		.place = {.root = &project->root, .root_path = loom_str_of(project->temp.path)},
		.os = "Linux 6.1.0",
		.shell = "/bin/bash",
	};
}

void project_fini(struct project *project)
{
	loom_payload_fini(&project->payload);
	loom_root_close(&project->root);
	loom_arena_destroy(project->arena);
	temp_fini(&project->temp);
}

void project_put(const struct project *project, const char *name, const char *text)
{
	temp_write(&project->temp, name, loom_str_of(text));
}

void project_put_turn(const struct project *project, const char *text)
{
	project_put(project, ".teddy/s/01/turn.context", text);
}

enum loom_status project_build(struct project *project)
{
	loom_payload_fini(&project->payload);
	return loom_payload_build(&project->opts, project->arena, &project->payload, NULL);
}

const char *project_text_of(const struct project *project)
{
	return loom_buf_cstr(&project->payload.text);
}

bool project_has(const struct project *project, const char *part)
{
	return loom_str_find(loom_buf_str(&project->payload.text), loom_str_of(part), 0) !=
	       SIZE_MAX;
}

size_t text_occurrences(struct loom_str text, const char *part)
{
	size_t count = 0;
	size_t at = 0;

	while ((at = loom_str_find(text, loom_str_of(part), at)) != SIZE_MAX) {
		count++;
		at++;
	}
	return count;
}

size_t project_times(const struct project *project, const char *part)
{
	return text_occurrences(loom_buf_str(&project->payload.text), part);
}

bool project_warned(const struct project *project, const char *part)
{
	for (size_t i = 0; i < project->payload.warning_count; i++)
		if (loom_str_find(project->payload.warnings[i], loom_str_of(part), 0) != SIZE_MAX)
			return true;
	return false;
}

bool project_parse(const struct project *project, struct loom_buf *out)
{
	const char *argv[] = {"cmark", "-t", "xml", NULL};
	struct child_opts opts = {.input = loom_buf_str(&project->payload.text)};
	struct child_result result;
	bool parsed = child_run(argv, &opts, &result) && result.status == 0;

	if (parsed)
		loom_buf_add(out, loom_buf_str(&result.out));
	child_fini(&result);
	return parsed;
}
