/* A project to look at: threads that share, and lists of what an agent is given. */
#ifndef LOOM_TESTS_SUPPORT_SCENE_H
#define LOOM_TESTS_SUPPORT_SCENE_H

#include <loom/base/env.h>

#include "support/grove.h"
#include "support/temp.h"

/* Three threads of one objective: thread-ui reads the designs of thread-api (frozen),
 * thread-review reads thread-ui (live) and thread-gone, which is not there. */
void scene_threads(const struct temp *temp, struct loom_env *env);
/* A conversation between the agent "Claude" (loom-aware) and a person, in the thread "thread-ui" of
 * a tree. */
void scene_talk(struct grove *grove, int64_t tree);
/* A `.teddy` with lists of all three scopes, a memo, rules that hide, and the files they name. */
void scene_payload(const struct temp *temp);

#endif
