/* What a database of logs has: three tables that only functions write, and the functions.
 *
 * Invariants: an entry is added by `append` alone, which stamps it with the role that is logged in
 * and makes the chain itself; members see the groves they are members of, and nobody else does.
 * The functions run as the owner of the tables, so each of them asks first what the caller may. */
#include "inside.h"

/* clang-format off */
#define AS_OWNER  " SECURITY DEFINER SET search_path = pg_catalog, pg_temp "
#define MAY(what) "IF coalesce(loom.may(g), -1) < " what " THEN RAISE EXCEPTION USING ERRCODE = " \
	"'insufficient_privilege', MESSAGE = 'the role ' || session_user || CASE loom.may(g) WHEN 0 " \
	"THEN ' may only read this grove' WHEN 1 THEN ' is no admin of this grove' ELSE ' is no member " \
	"of this grove' END; END IF;"

const char *const postgres_tables[] = {
	"CREATE SCHEMA loom",
	"CREATE TABLE loom.tables(version int NOT NULL)",
	"INSERT INTO loom.tables VALUES (1)",
	"CREATE TABLE loom.grove("
	"  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,"
	"  first bytea NOT NULL CHECK(length(first) = 32), seq bigint NOT NULL DEFAULT 0,"
	"  chain bytea NOT NULL CHECK(length(chain) = 32), founder name NOT NULL DEFAULT session_user,"
	"  at timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 50)",
	"CREATE TABLE loom.member("
	"  grove int NOT NULL REFERENCES loom.grove, role name NOT NULL,"
	"  may int NOT NULL CHECK(may BETWEEN 0 AND 2), PRIMARY KEY(grove, role))",
	"CREATE TABLE loom.entry("
	"  grove int NOT NULL, seq bigint NOT NULL, uid bytea NOT NULL,"
	"  role name NOT NULL DEFAULT session_user, at timestamptz NOT NULL DEFAULT clock_timestamp(),"
	"  chain bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY(grove, seq), UNIQUE(grove, uid))",
	"ALTER TABLE loom.entry ALTER bytes SET STORAGE EXTERNAL",
	"CREATE TABLE loom.snapshot("
	"  grove int NOT NULL, seq bigint NOT NULL, n int NOT NULL, role name NOT NULL DEFAULT session_user,"
	"  bytes bytea NOT NULL, PRIMARY KEY(grove, seq, n))",
	"ALTER TABLE loom.snapshot ALTER bytes SET STORAGE EXTERNAL",

	/* what the caller may in a grove: 0 read, 1 write, 2 all; NULL: not even read */
	"CREATE FUNCTION loom.may(g int) RETURNS int LANGUAGE sql STABLE" AS_OWNER "AS $$"
	"  SELECT m.may FROM loom.member m WHERE m.grove = g AND m.role = session_user $$",
	"CREATE FUNCTION loom.mine() RETURNS SETOF int LANGUAGE sql STABLE" AS_OWNER "AS $$"
	"  SELECT m.grove FROM loom.member m WHERE m.role = session_user $$",
	"ALTER TABLE loom.grove ENABLE ROW LEVEL SECURITY",
	"ALTER TABLE loom.member ENABLE ROW LEVEL SECURITY",
	"ALTER TABLE loom.entry ENABLE ROW LEVEL SECURITY",
	"ALTER TABLE loom.snapshot ENABLE ROW LEVEL SECURITY",
	"CREATE POLICY members ON loom.grove FOR SELECT USING (id IN (SELECT loom.mine()))",
	"CREATE POLICY members ON loom.member FOR SELECT USING (grove IN (SELECT loom.mine()))",
	"CREATE POLICY members ON loom.entry FOR SELECT USING (grove IN (SELECT loom.mine()))",
	"CREATE POLICY members ON loom.snapshot FOR SELECT USING (grove IN (SELECT loom.mine()))",
	"GRANT USAGE ON SCHEMA loom TO PUBLIC",
	"GRANT SELECT ON loom.tables, loom.grove, loom.member, loom.entry, loom.snapshot TO PUBLIC",

	/* A page of entries after a mark. The first row has the head's number, or -1 if the log does not
	 * have the mark. */
	"CREATE FUNCTION loom.since(g int, mark bigint, mark_chain bytea)"
	"  RETURNS TABLE(seq bigint, role text, bytes bytea) LANGUAGE plpgsql STABLE AS $$"
	"  #variable_conflict use_column\n"
	"DECLARE head loom.grove; there bytea; row record; size bigint := 0; BEGIN"
	"  SELECT * INTO head FROM loom.grove WHERE id = g;"
	"  there := head.first;"
	"  IF mark > 0 THEN SELECT e.chain INTO there FROM loom.entry e WHERE e.grove = g AND e.seq = mark; END IF;"
	"  IF there IS DISTINCT FROM mark_chain THEN head.seq := -1; END IF;"
	"  RETURN QUERY SELECT head.seq, NULL::text, NULL::bytea;"
	"  IF head.seq <= mark THEN RETURN; END IF;"
	"  FOR row IN SELECT e.seq, e.role, e.bytes FROM loom.entry e"
	"    WHERE e.grove = g AND e.seq > mark ORDER BY e.seq LIMIT 1000 LOOP"
	"    RETURN QUERY SELECT row.seq, 'role:' || row.role, row.bytes;"
	"    size := size + length(row.bytes);"
	"    EXIT WHEN size > 4000000;"
	"  END LOOP; END $$",

	/* Until the transaction ends nobody else appends; one that hangs loses its turn. */
	"CREATE FUNCTION loom.turn(g int, mark bigint, mark_chain bytea)"
	"  RETURNS TABLE(seq bigint, role text, bytes bytea) LANGUAGE plpgsql" AS_OWNER
	"  SET lock_timeout = '20s' AS $$ BEGIN " MAY("1")
	"  PERFORM set_config('idle_in_transaction_session_timeout', '2000', true);"
	"  PERFORM FROM loom.grove WHERE id = g FOR UPDATE;"
	"  RETURN QUERY SELECT * FROM loom.since(g, mark, mark_chain); END $$",

	/* 0: it is the next entry now; 1: another was first; 2: it was in already, with that number */
	"CREATE FUNCTION loom.append(g int, base bigint, base_chain bytea, u bytea, b bytea)"
	"  RETURNS TABLE(what int, seq bigint) LANGUAGE plpgsql" AS_OWNER
	"  SET lock_timeout = '20s' AS $$"
	"  #variable_conflict use_column\n"
	"DECLARE head loom.grove; n bigint; next bytea; BEGIN " MAY("1")
	"  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN"
	"    PERFORM set_config('synchronous_commit', 'on', true); END IF;"
	"  SELECT * INTO head FROM loom.grove WHERE id = g FOR UPDATE;"
	"  SELECT e.seq INTO n FROM loom.entry e WHERE e.grove = g AND e.uid = u;"
	"  IF FOUND THEN RETURN QUERY SELECT 2, n; RETURN; END IF;"
	"  IF head.seq <> base OR head.chain <> base_chain THEN RETURN QUERY SELECT 1, head.seq; RETURN; END IF;"
	"  IF length(u) <> 16 OR length(b) > 201326592 THEN RAISE EXCEPTION 'this is no entry'; END IF;"
	"  next := sha256(base_chain || b);"
	"  INSERT INTO loom.entry(grove, seq, uid, chain, bytes) VALUES (g, base + 1, u, next, b);"
	"  UPDATE loom.grove SET seq = base + 1, chain = next WHERE id = g;"
	"  RETURN QUERY SELECT 0, base + 1; END $$",

	/* A later state of the grove, in pieces; clones begin with the last one. It is believed, so only
	 * those who may do all put it there. */
	"CREATE FUNCTION loom.put_snapshot(g int, s bigint, piece int, b bytea) RETURNS void LANGUAGE plpgsql"
	AS_OWNER "AS $$ BEGIN " MAY("2")
	"  IF NOT EXISTS(SELECT FROM loom.entry WHERE grove = g AND seq = s) THEN"
	"    RAISE EXCEPTION 'the log has no entry with this number'; END IF;"
	"  IF piece = 0 THEN DELETE FROM loom.snapshot WHERE grove = g AND seq > 0; END IF;"
	"  INSERT INTO loom.snapshot(grove, seq, n, bytes) VALUES (g, s, piece, b); END $$",

	"CREATE FUNCTION loom.set_member(g int, r name, m int) RETURNS void LANGUAGE plpgsql" AS_OWNER
	"  AS $$ BEGIN " MAY("2")
	"  IF m IS NULL THEN DELETE FROM loom.member WHERE grove = g AND role = r;"
	"  ELSE INSERT INTO loom.member VALUES (g, r, m) ON CONFLICT(grove, role) DO UPDATE SET may = m;"
	"  END IF;"
	"  IF NOT EXISTS(SELECT FROM loom.member WHERE grove = g AND may = 2) THEN"
	"    RAISE EXCEPTION 'a grove needs somebody who may do all'; END IF; END $$",
	NULL,
};

/* What a machine says is not kept: it passes with the server. A word is of the role that said it. */
const char *const postgres_words[] = {
	"CREATE UNLOGGED TABLE loom.here("
	"  grove int NOT NULL, machine text NOT NULL CHECK(length(machine) <= 64),"
	"  role name NOT NULL DEFAULT session_user, at timestamptz NOT NULL DEFAULT clock_timestamp(),"
	"  says bytea NOT NULL CHECK(length(says) <= 65536), PRIMARY KEY(grove, machine, role))"
	"  WITH (fillfactor = 50)",
	"ALTER TABLE loom.here ENABLE ROW LEVEL SECURITY",
	"CREATE FUNCTION loom.say(g int, m text, s bytea) RETURNS void LANGUAGE plpgsql" AS_OWNER
	"  AS $$ BEGIN " MAY("1")
	"  DELETE FROM loom.here WHERE grove = g AND (at < clock_timestamp() - interval '10 minutes'"
	"    OR (machine = m AND role = session_user AND length(s) = 0));"
	"  IF length(s) > 0 THEN INSERT INTO loom.here(grove, machine, says) VALUES (g, m, s)"
	"    ON CONFLICT(grove, machine, role) DO UPDATE SET says = s, at = clock_timestamp(); END IF; END $$",
	"CREATE FUNCTION loom.others(g int, m text) RETURNS TABLE(machine text, age bigint, says bytea)"
	"  LANGUAGE sql VOLATILE" AS_OWNER "AS $$"
	"  SELECT h.machine, (extract(epoch FROM clock_timestamp() - h.at) * 1000)::bigint, h.says"
	"  FROM loom.here h WHERE h.grove = g AND h.machine <> m AND loom.may(g) IS NOT NULL"
	"    AND h.at > clock_timestamp() - interval '2 minutes' ORDER BY h.at DESC LIMIT 256 $$",
	NULL,
};
/* clang-format on */
