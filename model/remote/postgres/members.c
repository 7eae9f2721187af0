/* Members on the server: roles, and what each may in a grove. */
#include "inside.h"

static enum loom_status has_role(struct postgres *pg, const char *role, bool *out,
				 struct loom_err *err)
{
	return postgres_ask(pg, "SELECT 1 FROM pg_roles WHERE rolname = $1", role, out, err);
}

/* A name in a statement is quoted by the server itself. */
static enum loom_status make_role(struct postgres *pg, const char *role, struct loom_err *err)
{
	struct postgres_call call = {.sql = "SELECT format('CREATE ROLE %I LOGIN', $1)"};
	struct loom_buf sql = LOOM_BUF_INIT(1024);
	PGresult *answer = NULL;
	enum loom_status status;

	postgres_text(&call, role);
	status = postgres_run(pg, &call, 1, 1, &answer, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_add(&sql, postgres_get(pg, answer, 0, 0));
	pg->lib.PQclear(answer);
	status = postgres_do(pg, &(struct postgres_call){.sql = loom_buf_cstr(&sql)}, err);
	loom_buf_fini(&sql);
	if (status != LOOM_PERMISSION)
		return status;
	loom_fail(err, status, "%s has no role \"%s\", and you may not make one", pg->address.hosts,
		  role);
	return loom_hint(err, status, "its administrator: CREATE ROLE \"%s\" LOGIN", role);
}

enum loom_status postgres_admit(void *ctx, const char *role, int may, bool *out_made,
				struct loom_err *err)
{
	struct postgres *pg = ctx;
	struct postgres_call call = {.sql = may < 0 ? "SELECT loom.set_member($1, $2::name, NULL)"
						    : "SELECT loom.set_member($1, $2::name, $3)"};
	bool there = false;
	enum loom_status status = postgres_connect(pg, err);

	LOOM_ASSERT(role[0] && out_made);
	*out_made = false;
	if (status == LOOM_OK && may >= 0)
		status = has_role(pg, role, &there, err);
	if (status == LOOM_OK && may >= 0 && !there) {
		status = make_role(pg, role, err);
		*out_made = status == LOOM_OK;
	}
	if (status != LOOM_OK)
		return status;
	postgres_int(&call, pg->grove);
	postgres_text(&call, role);
	if (may >= 0)
		postgres_int(&call, may);
	return postgres_do(pg, &call, err);
}
