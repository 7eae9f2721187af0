"""A client of `loom mcp --http` for tests: one connection, requests and streams byte by byte."""
import atexit
import json
import os
import select
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse

MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}}
BOTH = "application/json, text/event-stream"
# Not a limit to meet: it only ends a wait for what never comes.
PATIENCE = 60


class Server:
    """The program, serving in a grove until `stop`."""

    def __init__(self, loom, *options, address="127.0.0.1:0", cwd=None, env=None):
        self.child = subprocess.Popen([loom, "mcp", "--http", address, *options], cwd=cwd, env=env,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
        atexit.register(self.child.kill)
        self.url = self.child.stdout.readline().decode().strip()
        if not self.url:
            raise SystemExit("no server: " + self.child.stderr.read().decode())
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port, self.secure = parts.hostname, parts.port, parts.scheme == "https"

    def memory(self):
        """Resident kilobytes."""
        with open("/proc/%d/status" % self.child.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def seconds(self):
        """Of the processor, used so far."""
        with open("/proc/%d/stat" % self.child.pid) as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, sign=signal.SIGTERM):
        self.child.send_signal(sign)
        try:
            self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            raise SystemExit("the server does not stop")
        self.child.stdout.close()
        self.child.stderr.close()
        return self.child.returncode


class Answer:
    def __init__(self, status, headers):
        self.status, self.headers, self.body = status, headers, b""

    def json(self):
        return json.loads(self.body)

    def events(self):
        """The messages of a stream that has ended, each with its id."""
        found = []
        for block in self.body.decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if lines.get("data"):
                found.append((lines.get("id"), json.loads(lines["data"])))
        return found

    def message(self):
        """The message that answers, whichever form it came in."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            return self.events()[-1][1]
        return self.json()


class Connection:
    """A connection that carries one request after the other."""

    def __init__(self, server, trust=None):
        self.server = server
        self.socket = socket.create_connection((server.host, server.port), timeout=PATIENCE)
        if server.secure:
            self.socket = ssl.create_default_context(cafile=trust).wrap_socket(
                self.socket, server_hostname=server.host)
        self.rest = b""

    def close(self):
        self.socket.close()

    def send(self, method, path, headers=None, body=None):
        head = {"Host": "%s:%d" % (self.server.host, self.server.port), **(headers or {})}
        if body is not None:
            head["Content-Length"] = str(len(body))
        text = "%s %s HTTP/1.1\r\n" % (method, path)
        text += "".join("%s: %s\r\n" % item for item in head.items()) + "\r\n"
        self.socket.sendall(text.encode() + (body or b""))

    def more(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise ConnectionError("closed")
        self.rest += piece

    def until(self, end):
        while end not in self.rest:
            self.more()
        found, self.rest = self.rest.split(end, 1)
        return found

    def take(self, count):
        while len(self.rest) < count:
            self.more()
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def head(self):
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        return Answer(int(lines[0].split()[1]), headers)

    def chunk(self):
        """The next piece of a stream; b"" at its end."""
        size = int(self.until(b"\r\n"), 16)
        piece = self.take(size)
        self.take(2)
        return piece

    def whole(self):
        answer = self.head()
        if answer.headers.get("transfer-encoding") == "chunked":
            piece = self.chunk()
            while piece:
                answer.body += piece
                piece = self.chunk()
        else:
            answer.body = self.take(int(answer.headers.get("content-length", 0)))
        return answer

    def ask(self, method, path, headers=None, body=None):
        self.send(method, path, headers, body)
        return self.whole()


def ask(server, method, path, headers=None, body=None, trust=None):
    """One request on a connection of its own."""
    connection = Connection(server, trust)
    try:
        return connection.ask(method, path, headers, body)
    finally:
        connection.close()


class Session:
    """A client of the versions with a handshake."""

    def __init__(self, server, token, version="2025-11-25", trust=None):
        self.server, self.token, self.version, self.trust = server, token, version, trust
        self.number = 0
        self.headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json",
                        "Accept": BOTH}
        answer = self.ask("initialize", protocolVersion=version, capabilities={},
                          clientInfo={"name": "test", "version": "1"})
        self.id = answer.headers["mcp-session-id"]
        self.headers["Mcp-Session-Id"] = self.id
        self.headers["MCP-Protocol-Version"] = version

    def text(self, method, params):
        self.number += 1
        return json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                           "params": params}).encode()

    def ask(self, method, **params):
        return ask(self.server, "POST", "/mcp", self.headers, self.text(method, params), self.trust)

    def call(self, text, **more):
        """The result of → lines."""
        answer = self.ask("tools/call", name="loom", arguments={"text": text, **more})
        return answer.message()["result"]

    def tell(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
        return ask(self.server, "POST", "/mcp", self.headers, body, self.trust)

    def listen(self, after=None):
        """A connection on which the events come, and the head of its answer."""
        headers = dict(self.headers, Accept="text/event-stream")
        if after is not None:
            headers["Last-Event-ID"] = after
        connection = Connection(self.server, self.trust)
        connection.send("GET", "/mcp", headers)
        return connection, connection.head()


def modern(method, token, version=MODERN, headers=None, **params):
    """Headers and body of a request of 2026."""
    head = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": BOTH,
            "MCP-Protocol-Version": version, "Mcp-Method": method}
    for key in ("name", "uri"):
        if method in ("tools/call", "prompts/get", "resources/read") and key in params:
            head["Mcp-Name"] = params[key]
    body = {"jsonrpc": "2.0", "id": 1, "method": method,
            "params": {**params, "_meta": {**META, "io.modelcontextprotocol/protocolVersion": version}}}
    return {**head, **(headers or {})}, json.dumps(body).encode()


def wait(what, true):
    """Waits for a condition."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise SystemExit("never: " + what)
        select.select([], [], [], 0.02)
