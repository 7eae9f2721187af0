"""MCP over HTTP from outside: tokens, sessions, resumed streams, both eras, hostile clients.
http_doors.py PROGRAM, in an empty folder that is HOME."""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

from http_client import (BOTH, MODERN, Connection, Server, Session, ask, modern, wait)

loom = sys.argv[1]
checks = 0
wrong = 0
slow = 4 if "ASAN_OPTIONS" in os.environ else 1


def check(true, what, more=""):
    global checks, wrong
    checks += 1
    if not true:
        wrong += 1
        print("FAIL", what, more)


def run(*words, cwd="grove", status=0, agent=None, text=""):
    env = dict(os.environ, LOOM_AGENT=agent) if agent else os.environ
    done = subprocess.run([loom, *words], cwd=cwd, env=env, input=text, text=True, capture_output=True)
    check(done.returncode == status, "loom " + " ".join(words), done.stdout + done.stderr)
    return done.stdout, done.stderr


def make_grove():
    os.mkdir("grove")
    run("init")
    run("new", "--title", "Marie", "--root", "She waited at the harbour.")
    run("doc", "write", "notes & plans", text="# Notes\nThe ship is late.\n")
    run("agent", "add", "Writer", "--permissions", "all", "--approval", "auto")
    run("agent", "add", "Asker", "--permissions", "all")
    run("agent", "add", "Reader", "--permissions", "analyst")
    return {name: run("token", "new", name)[0].strip() for name in ("Writer", "Asker", "Reader")}


# ---- tokens ----

def test_tokens(tokens):
    for name, token in tokens.items():
        check(token.startswith("loom_") and len(token) == 48, "the form of a token", token)
        found = subprocess.run(["grep", "-rlF", token[5:], "."], capture_output=True, text=True)
        check(found.stdout == "", "a token lies in a file", found.stdout)
        check(name in run("token", "list")[0], "the list has " + name)
    listed = json.loads(run("token", "list", "--json")[0])["tokens"]
    check(sorted(one["agent"] for one in listed) == ["Asker", "Reader", "Writer"], "three tokens", listed)
    run("token", "new", "Nobody", status=1)
    run("token", "new", "Olga", status=1)
    run("token", "revoke", "00000000", status=1)
    run("token", "revoke", listed[0]["name"][:4], status=1)
    for words in (["token", "new", "Writer"], ["token", "list"], ["token", "revoke", "Writer"],
                  ["mcp", "--http", "127.0.0.1:0"]):
        out, err = run(*words, agent="Writer", status=1)
        check(out == "" and "PERMISSION" in err, "an agent is refused", (words, err))


def forge(token):
    """Another token, a little or very different."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
    kind = random.randrange(5)
    at = random.randrange(5, len(token))
    if kind == 0:
        return token[:at] + random.choice(letters.replace(token[at], "")) + token[at + 1:]
    if kind == 1:
        return token[:at]
    if kind == 2:
        return token + random.choice(letters)
    if kind == 3:
        return "loom_" + "".join(random.choice(letters) for _ in range(43))
    return token.swapcase()


def test_forged(server, token):
    """Ten thousand wrong tokens, many to a connection."""
    refused = 0
    batch = 250
    for _ in range(10000 // slow // batch):
        connection = Connection(server)
        connection.socket.sendall("".join(
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
            "Authorization: Bearer %s\r\n\r\n" % forge(token) for _ in range(batch)).encode())
        refused += sum(connection.whole().status == 401 for _ in range(batch))
        connection.close()
    check(refused == 10000 // slow // batch * batch, "forged tokens refused", refused)


def test_doors_closed(server, token):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"protocolVersion": "2025-11-25"}}).encode()
    good = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": BOTH}

    def status(**more):
        headers = {**good, **{name.replace("_", "-"): value for name, value in more.items()}}
        return ask(server, "POST", "/mcp", {k: v for k, v in headers.items() if v}, body).status

    check(status() == 200, "the right token")
    check(status(Authorization=None) == 401, "no token")
    check(status(Authorization="Basic " + token) == 401, "another scheme")
    check(status(Host="evil.example.com") == 403, "another name")
    check(status(Host="evil.example.com:%d" % server.port) == 403, "another name with our port")
    check(status(Host="127.0.0.1.example.com") == 403, "a name that begins as ours")
    check(status(Host="localhost:%d" % server.port) == 200, "localhost")
    check(status(Host="[::1]:80") == 200, "the other loopback")
    check(status(Origin="http://evil.example.com") == 403, "a page of another origin")
    check(status(Origin="null") == 403, "a page of no origin")
    check(status(Origin="http://localhost:%d" % server.port) == 200, "our own origin")
    check(status(Content_Type="text/plain") == 415, "not JSON")
    check(status(Accept="text/html") == 406, "a browser")
    check(status(Accept="application/json") == 200, "JSON alone")
    check(ask(server, "PUT", "/mcp", good, body).status == 405, "PUT")
    check(ask(server, "GET", "/other", good).status == 404, "another path")
    check(ask(server, "GET", "/mcp?token=" + token, {"Accept": "text/event-stream"}).status == 401,
          "a token in the URL")


# ---- sessions ----

def test_session(server, tokens):
    session = Session(server, tokens["Writer"])
    check(session.tell("notifications/initialized").status == 202, "a notification")
    check(session.ask("ping").json()["result"] == {}, "ping")
    check(session.ask("no/such").json()["error"]["code"] == -32601, "no such method")
    made = session.call("→ respond r001 \"The ship came.\"\n→ tree")
    check("✓ created" in made["content"][0]["text"], "a call writes", made)
    stolen = Session(server, tokens["Reader"])
    stolen.headers["Mcp-Session-Id"] = session.id
    check(stolen.ask("ping").status == 404, "a session of another token")
    del stolen.headers["Mcp-Session-Id"]
    check(stolen.ask("ping").status == 400, "no session")
    session.headers["MCP-Protocol-Version"] = "1999-01-01"
    check(session.ask("ping").status == 400, "a version that is not spoken")
    session.headers["MCP-Protocol-Version"] = "2025-11-25"
    batch = json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).encode()
    check(ask(server, "POST", "/mcp", session.headers, batch).status == 400, "a list of messages")
    check(ask(server, "POST", "/mcp", session.headers, b"{").json()["error"]["code"] == -32700, "no JSON")
    check(ask(server, "DELETE", "/mcp", session.headers).status == 204, "the end")
    check(session.ask("ping").status == 404, "after the end")
    old = Session(server, tokens["Writer"], version="2025-03-26")
    batch = json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "ping"},
                        {"jsonrpc": "2.0", "method": "notifications/initialized"},
                        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                            "name": "loom", "arguments": {"text": "→ tree"}}}]).encode()
    answer = ask(server, "POST", "/mcp", old.headers, batch)
    check([one["id"] for one in answer.message()] == [1, 2], "a list of 2025-03-26", answer.body)


def test_agents(server, tokens):
    """Each with its own permissions and approvals."""
    reader = Session(server, tokens["Reader"]).call("→ respond r001 \"No.\"")
    check(reader["isError"] and "PERMISSION_DENIED" in reader["content"][0]["text"], "reading only", reader)
    asker = Session(server, tokens["Asker"])
    check("proposed" in asker.call("→ respond r001 \"May I?\"")["content"][0]["text"], "asked first")
    run("approve", json.loads(run("approve", "--json")[0])["proposals"][0]["hash"])
    check("May I?" in asker.call("→ list r001 continuations")["content"][0]["text"], "done as the agent")


def test_resumed(server, tokens):
    """A connection that breaks in the middle of a call loses nothing."""
    session = Session(server, tokens["Writer"])
    connection = Connection(server)
    connection.send("POST", "/mcp", session.headers, session.text(
        "tools/call", {"name": "loom", "arguments": {"text": "→ respond r001 \"Broken off.\""}}))
    check(connection.head().status == 200, "a stream begins")
    first = connection.chunk().decode()
    check(first.startswith("id: ") and "data: \n" in first, "its first event has an id only", first)
    connection.close()
    begun = first.split("\n")[0][4:]
    again, head = session.listen(after=begun)
    text = ""
    while "Broken off." not in text:
        text += again.chunk().decode()
    check(head.status == 200 and text.count("\nid: ") + text.startswith("id: ") == 1, "the answer, once", text)
    check(again.chunk() == b"", "and then the end")
    again.close()
    once_more, head = session.listen(after=begun)
    check(b"Broken off." in once_more.chunk(), "a client may ask twice")
    once_more.close()
    for nonsense in ("", "7", "999-1", "-", "1-x", "18446744073709551616-1"):
        connection, head = session.listen(after=nonsense or "0")
        check(head.status == 400, "an event that never was", nonsense)
        connection.close()
    listed = session.call("→ list r001 continuations")["content"][0]["text"]
    check(listed.count("Broken off.") == 1, "done once", listed)


def test_notices(server, tokens):
    """A session's subscription, missed and taken up again; one of 2026."""
    session = Session(server, tokens["Reader"])
    check(session.ask("resources/subscribe", uri="loom://node/r001").json()["result"] == {}, "subscribed")
    session.ask("resources/subscribe", uri="loom://doc/notes%20%26%20plans")
    events, head = session.listen()
    run("do", "annotate", "r001", "seen")
    piece = events.chunk().decode()
    check("loom://node/r001" in piece, "a change is told", piece)
    events.close()
    run("doc", "write", "notes & plans", text="# Notes\nThe ship is here.\n")
    last = piece.split("\n")[0][4:]
    events, head = session.listen(after=last)
    check("loom://doc/notes%20%26%20plans" in events.chunk().decode(), "and what came meanwhile")
    events.close()

    headers, body = modern("subscriptions/listen", tokens["Reader"],
                           notifications={"resourceSubscriptions": ["loom://node/r001"]})
    connection = Connection(server)
    connection.send("POST", "/mcp", headers, body)
    check(connection.head().status == 200, "a subscription of 2026")
    check("acknowledged" in connection.chunk().decode(), "is acknowledged")
    run("do", "annotate", "r001", "seen again")
    check("resources/updated" in connection.chunk().decode(), "and told")
    connection.close()


# ---- 2026 ----

def test_modern(server, tokens):
    token = tokens["Writer"]

    def post(method, headers=None, **params):
        head, body = modern(method, token, headers=headers, **params)
        return ask(server, "POST", "/mcp", {k: v for k, v in head.items() if v is not None}, body)

    found = post("server/discover").json()["result"]
    check(found["supportedVersions"] == [MODERN] and "completions" in found["capabilities"], "discovered")
    check("mcp-session-id" not in post("server/discover").headers, "no session")
    check(post("tools/call", name="loom", arguments={"text": "→ tree"}).message()["result"]["content"],
          "a call")
    for what, headers in (("a method that is not the message's", {"Mcp-Method": "tools/list"}),
                          ("no method", {"Mcp-Method": None}), ("no name", {"Mcp-Name": None}),
                          ("another name", {"Mcp-Name": "loom_context"}),
                          ("another case", {"Mcp-Method": "Tools/call"}),
                          ("no version", {"MCP-Protocol-Version": None}),
                          ("another version", {"MCP-Protocol-Version": "2025-11-25"})):
        answer = post("tools/call", headers=headers, name="loom", arguments={"text": "→ tree"})
        check(answer.status == 400 and answer.json()["error"]["code"] == -32020, what, answer.body)
    for name in ("loom", "=?base64?bG9vbQ==?=", "  loom  "):
        answer = post("tools/call", headers={"Mcp-Name": name}, name="loom", arguments={"text": "→ tree"})
        check("result" in answer.message(), "a name, plain or not", answer.body)
    answer = post("no/such")
    check(answer.status == 404 and answer.json()["error"]["code"] == -32601, "no such method")
    check(post("initialize").status == 404, "no handshake")
    head, body = modern("tools/list", token, version="2031-01-01")
    answer = ask(server, "POST", "/mcp", head, body)
    check(answer.status == 400 and answer.json()["error"]["code"] == -32022, "a version to come")
    answer = ask(server, "POST", "/mcp", head, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    check(answer.status == 400 and answer.json()["error"]["code"] == -32602, "without _meta", answer.body)


def test_completion(server, tokens):
    def values(token, uri, name, value):
        head, body = modern("completion/complete", token, ref={"type": "ref/resource", "uri": uri},
                            argument={"name": name, "value": value})
        answer = ask(server, "POST", "/mcp", head, body).json()
        return answer["result"]["completion"]["values"] if "result" in answer else answer["error"]["code"]

    check(values(tokens["Reader"], "loom://tree/{id}", "id", "mar") == ["Marie"], "a title")
    check("r001" in values(tokens["Reader"], "loom://node/{id}", "id", "r0"), "an id")
    check(values(tokens["Reader"], "loom://doc/{name}", "name", "plans") == ["notes & plans"], "a document")
    check(values(tokens["Reader"], "loom://none/{id}", "id", "") == -32602, "no such template")


# ---- hostile clients ----

def head_of(session, length):
    return ("POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n" % (
        "".join("%s: %s\r\n" % item for item in session.headers.items()), length)).encode()


def test_hostile(server, tokens):
    """Slow, huge, vanishing and silent ones, beside whom everybody else is served at once."""
    session = Session(server, tokens["Writer"])
    before = server.memory()
    held = []
    for i in range(700):
        client = socket.create_connection((server.host, server.port))
        if i % 3 == 1:
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: lo")
        elif i % 3 == 2:
            client.sendall(head_of(session, 1000) + b"{")
        held.append(client)
        if i % 100 == 99:
            start = time.monotonic()
            check("result" in session.ask("ping").json(), "served beside %d who wait" % i)
            check(time.monotonic() - start < slow, "and at once", time.monotonic() - start)
    check(server.memory() - before < 60000 * slow, "memory for those who wait", server.memory() - before)
    for client in held:
        client.close()

    check(ask(server, "POST", "/mcp", {**session.headers, "Content-Length": str(1 << 40)}).status == 413,
          "a body of a terabyte")
    check(ask(server, "POST", "/mcp", {**session.headers, "X": "a" * 100000}).status == 431,
          "a head without end")
    for junk in (b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\x00" * 5000, b"A" * 100000,
                 b"GET /mcp HTTP/9.9\r\n\r\n", b"GET /%00/../mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"POST /mcp HTTP/1.1\r\nHost: a\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1"):
        client = socket.create_connection((server.host, server.port))
        try:
            client.sendall(junk)
            client.shutdown(socket.SHUT_WR)
            client.settimeout(30)
            answer = client.recv(1 << 16)
            check(not answer.startswith(b"HTTP/1.1 2"), "junk is not answered kindly", junk[:20])
        except OSError:
            pass
        client.close()

    # A body without end, of one who is let in.
    client = Connection(server)
    client.send("POST", "/mcp", {**session.headers, "Transfer-Encoding": "chunked"})
    piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    sent = 0
    try:
        while sent < 100:
            client.socket.sendall(piece)
            sent += 1
    except OSError:
        pass
    check(sent < 60, "a body without end is cut off", sent)
    client.close()
    check(server.memory() - before < 120000 * slow, "memory after all", server.memory() - before)

    # Clients that leave in the middle, a thousand times.
    def leave():
        for _ in range(250 // slow):
            one = socket.create_connection((server.host, server.port))
            text = session.text("tools/call", {"name": "loom", "arguments": {"text": "→ tree"}})
            one.sendall((head_of(session, len(text)) + text)[:random.randrange(1, 900)])
            one.close()

    leavers = [threading.Thread(target=leave) for _ in range(4)]
    for one in leavers:
        one.start()
    for one in leavers:
        one.join()
    check("result" in session.ask("ping").json(), "alive after those who left")


def test_cancelled(server, tokens):
    """Who closes the stream of a request of 2026 takes the request back."""
    head, body = modern("tools/call", tokens["Writer"], name="loom",
                        arguments={"text": "→ continue from r001 n:8 tokens:4000"})
    connection = Connection(server)
    connection.send("POST", "/mcp", head, body)
    check(connection.head().status == 200, "a long call begins")
    connection.close()
    wait("the call ends", lambda: "no work" in run("jobs")[1] + run("jobs")[0]
         or "continue" not in run("jobs")[0])


# ---- both doors ----

LINES = ["→ tree", "→ respond r001 \"Both.\"", "→ view here", "→ annotate r001 \"seen\"", "→ view r001 with-annotations",
         "→ view zz99", "→ nonsense", "→ edit here \"Both, again.\"", "→ bookmark here", "→ tag here \"x\"", "→ list tags",
         "→ pin r001", "→ stash \"s\" \"kept\"", "→ memory", "→ prune here", "→ restore here", "→ undo", "→ help view",
         "→ write \"d\" \"# D\"", "→ read \"d\"", "→ search \"Both\"", "→ think a thought ←", "no line", "→ continue n:2 tokens:20",
         "→ tree\n→ nonsense\n→ view r001"]


def test_both_doors():
    """The same agent, the same lines: the same answers, and the same grove."""
    fixed = {"LOOM_NOW": "2026-03-01T12:00:00Z", "LOOM_SEED": "11"}
    answers, groves = {}, {}
    for door in ("pipe", "http"):
        os.mkdir(door)
        env = dict(os.environ, **fixed)

        def do(*words):
            return subprocess.run([loom, *words], cwd=door, env=env, capture_output=True, text=True, check=True).stdout

        do("init")
        do("new", "--title", "T", "--root", "Begin.")
        do("agent", "add", "Writer", "--permissions", "all", "--approval", "auto")
        do("agent", "add", "Reader", "--permissions", "analyst")
        said = []
        for agent in ("Writer", "Reader"):
            if door == "http":
                token = do("token", "new", agent).strip()
                server = Server(loom, cwd=door, env=env)
                session = Session(server, token)
                said += [json.dumps(session.call(line), sort_keys=True) for line in LINES]
                server.stop()
                continue
            child = subprocess.Popen([loom, "mcp", "--agent", agent], cwd=door, env=env, text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)

            def ask_pipe(number, method, params):
                child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
                child.stdin.flush()
                return json.loads(child.stdout.readline())["result"]

            ask_pipe(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
            said += [json.dumps(ask_pipe(i + 1, "tools/call", {"name": "loom", "arguments": {"text": line}}), sort_keys=True)
                     for i, line in enumerate(LINES)]
            child.stdin.close()
            child.wait()
            child.stdout.close()
        answers[door] = said
        groves[door] = do("export", "--format", "txt", "--tree") + do("tree") + do("ops")
    for line, a, b in zip(LINES * 2, answers["pipe"], answers["http"]):
        check(a == b, "the same answer to " + line, (a, b))
    check(groves["pipe"] == groves["http"], "the same grove", (groves["pipe"], groves["http"]))


# ---- revoked ----

def test_revoked(server, tokens):
    session = Session(server, tokens["Asker"])
    events, head = session.listen()
    run("token", "revoke", "Asker")
    check(session.ask("ping").status == 401, "a revoked token")
    try:
        while events.chunk():
            pass
    except ConnectionError:
        pass
    check(events.rest == b"", "its stream ends")
    events.close()
    check(Session(server, tokens["Reader"]).id, "others stay")


def test_copy(tokens):
    """A copied grove brings no token."""
    shutil.copytree("grove", "copy")
    server = Server(loom, cwd="copy")
    check(ask(server, "GET", "/mcp", {"Authorization": "Bearer " + tokens["Writer"],
                                      "Accept": "text/event-stream"}).status == 401, "a token in a copy")
    check("no tokens" in run("token", "list", cwd="copy")[1], "and none is listed")
    server.stop()


def test_usage(server):
    for words, text in ((["--http", "0.0.0.0:0"], "other machines"), (["--http", "example.org:80"], "address"),
                        (["--http", "127.0.0.1"], "address"), (["--http", "127.0.0.1:99999"], "address"),
                        (["--http", "127.0.0.1:%d" % server.port], "listens"),
                        (["--http", "127.0.0.1:0", "--cert", "x"], "together"),
                        (["--cert", "x", "--key", "y"], "--http"),
                        (["--http", "127.0.0.1:0", "--agent", "Nobody"], "NOT_FOUND")):
        done = subprocess.run([loom, "mcp", *words], cwd="grove", stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        check(done.returncode in (1, 2) and text in done.stderr and "hint" in done.stderr
              and not done.stdout, "refused: " + " ".join(words), done.stderr)


def test_tls(tokens):
    if not shutil.which("openssl"):
        print("(no openssl program: TLS is not tried)")
        return
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1,DNS:loom.test", "-keyout", "key.pem", "-out", "cert.pem"],
                   check=True, capture_output=True)
    os.chmod("key.pem", 0o644)
    options = ["--cert", "../cert.pem", "--key", "../key.pem"]
    done = subprocess.run([loom, "mcp", "--http", "127.0.0.1:0", *options], cwd="grove",
                          capture_output=True, text=True)
    check(done.returncode == 1 and "chmod 600" in done.stderr, "a key that others can read", done.stderr)
    os.chmod("key.pem", 0o600)
    server = Server(loom, *options, "--host", "127.0.0.1", address="0.0.0.0:0", cwd="grove")
    check(server.secure, "https", server.url)
    session = Session(server, tokens["Writer"], trust="cert.pem")
    check("✓" in session.call("→ annotate r001 \"by TLS\"")["content"][0]["text"], "a call by TLS")
    events, head = session.listen()
    session.ask("resources/subscribe", uri="loom://node/r001")
    run("do", "annotate", "r001", "more")
    check(b"updated" in events.chunk(), "events by TLS")
    events.close()
    plain = socket.create_connection((server.host, server.port))
    plain.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
    plain.close()
    check("result" in session.ask("ping").json(), "alive after one who speaks plainly")
    server.stop()


def main():
    random.seed(int(os.environ.get("LOOM_TEST_SEED", "7"), 0))
    tokens = make_grove()
    test_tokens(tokens)
    server = Server(loom, cwd="grove")
    test_usage(server)
    test_doors_closed(server, tokens["Writer"])
    test_forged(server, tokens["Writer"])
    test_session(server, tokens)
    test_agents(server, tokens)
    test_resumed(server, tokens)
    test_notices(server, tokens)
    test_modern(server, tokens)
    test_completion(server, tokens)
    test_cancelled(server, tokens)
    test_hostile(server, tokens)
    test_copy(tokens)
    test_both_doors()
    test_revoked(server, tokens)
    check(server.stop() == 0, "the server ends as asked")
    test_tls(tokens)
    print("%d checks, %d wrong" % (checks, wrong))
    sys.exit(1 if wrong else 0)


main()
