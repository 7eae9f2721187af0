"""A grove in a log on a server, while things go wrong: the connection is cut at any byte, clients are
killed, the server dies and its standby takes over. What was acknowledged is in the grove once, the
clones are alike, and a fork tells what only it has.
usage: server_storm.py LOOM SUPPORT SEED CUTS KILLS PROMOTIONS, in an empty folder."""
import os
import random
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from storm import must

loom, support, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
CUTS, KILLS, PROMOTIONS = (int(word) for word in sys.argv[4:7])
rng = random.Random(seed)
os.environ["PGPASSWORD"] = "secret"
servers = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One of our own, which ends with us."""

    def __init__(self, name, *more, of=None):
        self.dir = f"/tmp/loom-pg-{os.getpid()}-{name}"
        self.port = free_port()
        self.start("standby" if of else "run", *([of.dir] if of else []), f"port={self.port}",
                   "listen_addresses=127.0.0.1", *more)
        servers.append(self)

    def start(self, *words):
        env = dict(os.environ, PGPORT=str(self.port))
        if words[0] == "standby":
            env["PGPORT"] = str(next(s.port for s in servers if s.dir == words[1]))
        self.process = subprocess.Popen([support, words[0], self.dir, *words[1:]], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while self.script("ready").returncode:
            if self.process.poll() is not None:
                print(self.process.stderr.read().decode(), end="", file=sys.stderr)
                sys.exit(self.process.returncode)
            time.sleep(0.05)

    def script(self, doing, *words):
        return subprocess.run([support, doing, self.dir, *words], capture_output=True,
                              env=dict(os.environ, PGPORT=str(self.port)))

    def sql(self, *statements):
        said = self.script("sql", *statements)
        must(said.returncode == 0, "psql: ", said.stderr.decode())
        return said.stdout.decode().strip()

    def kill(self):
        """As a machine that loses its power: nothing that it knows is written."""
        for child in self.children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:  # it ended by itself
                pass
        self.process.kill()
        self.process.wait()

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return [int(word) for word in f.read().split()]

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        subprocess.run(["rm", "-rf", self.dir], check=True)


class Relay:
    """Passes bytes on; one connection is cut when `left` of them have passed, and if it `stays` so,
    there is none after it."""

    def __init__(self, port):
        self.to = port
        self.left = None
        self.stays = False
        self.away = False
        self.passed = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        if self.away:
            client.close()
            return
        with client, socket.create_connection(("127.0.0.1", self.to)) as server:
            pair = {client: server, server: client}
            while True:
                for ready in select.select(list(pair), [], [])[0]:
                    try:
                        data = ready.recv(1 if self.left is not None and self.left < 4096 else 65536)
                        if self.left is not None:
                            if self.left == 0:
                                self.left = None
                                self.away = self.stays
                                return
                            self.left -= 1
                        if not data:
                            return
                        pair[ready].sendall(data)
                        self.passed += len(data)
                    except OSError:
                        return


def run(*argv):
    return subprocess.run([loom, *argv], capture_output=True, stdin=subprocess.DEVNULL)


def good(*argv):
    said = run(*argv)
    must(said.returncode == 0, " ".join(argv), ": ", said.stdout.decode(), said.stderr.decode())
    return said.stdout.decode()


def respond(grove, text, op):
    return run("-g", grove, "do", "--op", op, "respond", "r001", text).returncode == 0


def op_id():
    return "%032x" % rng.getrandbits(128)


def is_once(grove, acknowledged):
    """Every acknowledged text is there once, and no other more than once."""
    said = everything(grove)
    for text in acknowledged:
        must(said.get(text, 0) == 1, text, " is there ", said.get(text, 0), " times")
    for text, times in said.items():
        must(times == 1, text, " is there ", times, " times")


def everything(grove):
    out = {}
    with sqlite3.connect(f"file:{grove}/.loom/grove.db?mode=ro", uri=True) as db:
        for (text,) in db.execute("SELECT CAST(b.text AS TEXT) FROM body b JOIN node n ON n.id = b.id JOIN op o ON o.id = n.op "
                                  "WHERE o.state = 1 AND CAST(b.text AS TEXT) LIKE 'text-%'"):
            out[text] = out.get(text, 0) + 1
    return out


def found(server, name, params=""):
    """A grove with one tree, and its address."""
    url = f"postgresql://marie@127.0.0.1:{server.port}/loom/{name}?sslmode=disable{params}"
    good("init", name, "--store", url)
    good("-g", name, "new", "--title", "Ours", "--root", "It stood empty.")
    return url


# --- every byte ---

def cut(server):
    url = found(server, "cut")
    relay = Relay(server.port)
    good("clone", url.replace(str(server.port), str(relay.port)), "cutting")
    relay.passed = 0
    must(respond("cutting", "text-whole", op_id()), "nothing goes through the relay")
    whole = relay.passed
    acknowledged = ["text-whole"]
    places = range(whole) if CUTS >= whole else sorted(rng.sample(range(whole), CUTS))
    tries = 0
    for place in places:
        text, op = f"text-{place}", op_id()
        relay.left = place
        while not respond("cutting", text, op):
            tries += 1
            must(tries < 3 * len(places) + 10, "it is refused again and again")
        relay.left = None
        acknowledged.append(text)
    good("-g", "cut", "sync", "--wait")
    is_once("cut", acknowledged)
    is_once("cutting", acknowledged)
    good("-g", "cutting", "check", "--deep")
    print(f"cut at {len(places)} of {whole} bytes: {tries} were to be sent again, none lost, none twice")


# --- the same, and nobody answers afterwards ---

WORKERS = 16  # each waits some seconds for the server to come back


def write_or_send(grove, relay, place):
    """With an id of its own it is asked again; without one the draft is sent."""
    text, named = f"text-off-{place}", ["--op", op_id()] if place % 4 == 0 else []
    relay.left, relay.stays = place, True
    said = run("-g", grove, "do", *named, "respond", "r001", text)
    relay.left, relay.stays, relay.away = None, False, False
    if said.returncode == 0:
        return 0
    must(b"your text is kept as a draft" in said.stdout, place, ": ", said.stdout.decode(), said.stderr.decode())
    if named:
        good("-g", grove, "do", *named, "respond", "r001", text)
    good("-g", grove, "drafts", "send")
    must(good("-g", grove, "drafts") == "", "a draft that was sent is still there")
    return 1


def cut_off(server):
    url = found(server, "off")
    relay = Relay(server.port)
    good("clone", url.replace(str(server.port), str(relay.port)), "off0")
    relay.passed = 0
    good("-g", "off0", "do", "respond", "r001", "text-off-whole")
    whole = relay.passed
    relay.listener.close()
    places = list(range(whole)) if CUTS >= whole else sorted(rng.sample(range(whole), CUTS))
    drafts, wrong, lock = [0], [], threading.Lock()

    def work(number):
        relay, grove = Relay(server.port), f"off-{number}"
        try:
            good("clone", url.replace(str(server.port), str(relay.port)), grove)
            for place in places[number::WORKERS]:
                kept = write_or_send(grove, relay, place)
                with lock:
                    drafts[0] += kept
        except BaseException as error:  # must() ends the program, which a thread cannot
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(min(WORKERS, len(places)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    must(not wrong, wrong)
    good("-g", "off", "sync", "--wait")
    is_once("off", [f"text-off-{place}" for place in places])
    good("-g", "off", "check", "--deep")
    print(f"cut off at {len(places)} of {whole} bytes: {drafts[0]} became drafts, all sent, none lost, none twice")


# --- clients that are killed ---

def client(grove, lines, stop):
    """Writes until it is told to stop, and is killed again and again."""
    while not stop.is_set():
        text, op = f"text-{grove}-{len(lines)}", op_id()
        while not stop.is_set():
            process = subprocess.Popen([loom, "-g", grove, "do", "--op", op, "respond", "r001", text],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       stdin=subprocess.DEVNULL)
            timer = threading.Timer(rng.uniform(0.0, 0.08), process.kill) if rng.random() < 0.5 else None
            if timer:
                client.kills += 1
                timer.start()
            status = process.wait()
            if timer:
                timer.cancel()
            if status == 0:
                lines.append(text)
                break
    return lines


def storm(groves, until):
    stop = threading.Event()
    lines = {grove: [] for grove in groves}
    threads = [threading.Thread(target=client, args=(grove, lines[grove], stop)) for grove in groves]
    for thread in threads:
        thread.start()
    try:
        until()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return [text for grove in groves for text in lines[grove]]


def kill_clients(server):
    url = found(server, "kill")
    groves = ["kill", "kill2", "kill3"]
    for grove in groves[1:]:
        good("clone", url, grove)
    client.kills = 0

    def enough():
        while client.kills < KILLS:
            time.sleep(0.05)
    acknowledged = storm(groves, enough)
    for grove in groves:
        good("-g", grove, "sync", "--wait")
        is_once(grove, acknowledged)
        good("-g", grove, "check", "--deep")
    print(f"{client.kills} kills of clients: {len(acknowledged)} acknowledged, none lost, none twice")


# --- a standby takes over ---

def promote(round, sync):
    first = Server(f"a{round}")
    first.sql("ALTER ROLE marie PASSWORD 'secret'")
    second = Server(f"b{round}", of=first)
    if sync:
        first.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
    name = f"take{round}"
    url = f"postgresql://marie@{hosts}/loom/{name}?sslmode=disable"
    said = good("init", name, "--store", url)
    must(("loses nothing when the server dies" if sync else "may lose the last second") in said,
         "what is promised: ", said)
    good("-g", name, "new", "--title", "Ours", "--root", "It stood empty.")
    groves = [name, name + "b"]
    good("clone", url, groves[1])
    client.kills = 0

    def fail_over():
        time.sleep(rng.uniform(0.5, 1.5))
        if not sync:  # it does not hear of the last second
            second.sql("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
            time.sleep(1.0)
        first.kill()
        must(second.script("promote").returncode == 0, "the standby does not take over")
        time.sleep(1.0)
    acknowledged = storm(groves, fail_over)
    told = ""
    for grove in groves:
        if run("-g", grove, "sync").returncode and not sync:
            told += good("-g", grove, "sync", "--wait")
            for line in good("-g", grove, "drafts").splitlines():
                told += good("-g", grove, "drafts", "show", line.split()[0])
        good("-g", grove, "sync", "--wait")
    there = everything(groves[0])
    must(there == everything(groves[1]), "the clones differ")
    for text in acknowledged:
        if sync or there.get(text):
            must(there.get(text, 0) == 1, text, " is there ", there.get(text, 0), " times")
        else:
            must(text in told, text, " was lost, and nobody was told")
    for text, times in there.items():
        must(times == 1, text, " is there ", times, " times")
    for grove in groves:
        good("-g", grove, "check", "--deep")
    first.end()
    second.end()
    gone = sum(1 for text in acknowledged if not there.get(text))
    print(f"a {'synchronous' if sync else 'late'} standby took over: {len(acknowledged)} acknowledged, "
          f"{gone} lost" + (", each told" if gone else ""))


try:
    main = Server("main")
    main.sql("ALTER ROLE marie PASSWORD 'secret'")
    cut(main)
    cut_off(main)
    kill_clients(main)
    for i in range(PROMOTIONS):
        promote(i, i % 2 == 0)
finally:
    for one in servers:
        one.end()
