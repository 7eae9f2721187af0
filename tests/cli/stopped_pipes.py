#!/usr/bin/env python3
"""Every command that reads, each into a pipe that nobody empties, while others write beside them:
the store's log stays small, for none of them keeps a view of the grove while it waits.

usage: stopped_pipes.py PROGRAM MEBIBYTES"""
import fcntl
import json
import os
import subprocess
import sys
import time

SET_PIPE_SIZE = 1031
WAITING = 0x541B
PIPE = 4096
LOG = ".loom/grove.db-wal"

loom, mebibytes = sys.argv[1], int(sys.argv[2])
# 64 MiB of log for 100 MiB written, and in proportion.
most = mebibytes * 64 * 1024 * 1024 // 100

READERS = [
    ["show", "r001"], ["show", "r001", "--json"],
    ["log"], ["log", "--json"],
    ["tree", "-t", "wide", "--json"],
    ["trees"], ["trees", "--json"],
    ["ops", "--last", "5000"], ["ops", "--last", "5000", "--json"],
    ["events"],
    ["doc", "list"], ["doc", "list", "--json"],
    ["doc", "show", "long"], ["doc", "show", "long", "--json"],
    ["tag"],
    ["context", "--node", "r001"],
    ["diff", "r001", "long"],
    ["grep", "--last", "5000", "word"], ["grep", "--last", "5000", "word", "--json"],
    ["export"], ["export", "--grove"],
]


def do(*words):
    done = subprocess.run([loom, *words], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"loom {words[:3]}: {done.stderr.decode()}")
    return done.stdout.decode()


def text(n):
    return "".join(f"word {i} of a line\n" for i in range(n // 15))[:n]


def write(name, data):
    with open(name, "w") as out:
        out.write(data)


def furnish():
    """Enough of everything that no answer fits into a pipe and a program's own buffer."""
    os.mkdir("docs")
    for i in range(500):
        write(f"docs/{i:04}{'d' * 190}.md", "small")
    for i in range(250):
        do("new", "--title", f"word {i} " + "t" * 400)
    write("docs/long.md", text(200000))
    do("doc", "import", *[f"docs/{name}" for name in sorted(os.listdir("docs"))])
    write("wide.json", json.dumps({"root": {"text": "top", "children": [
        {"text": f"word {i}"} for i in range(1500)]}}))
    do("import", "--format", "pyloom", "wide.json")
    do("new", "--title", "last", "--root", text(120000))
    for i in range(0, 900, 300):
        do("tag", "r001", *[f"tag {k} " + "g" * 100 for k in range(i, i + 300)])
    return do("do", "respond", "r001", text(120000)).split("[")[1].split("]")[0]


def is_stuck(reader, pipe):
    """Whether the program sleeps, and did all the while, with something in the pipe."""
    waiting = int.from_bytes(fcntl.ioctl(pipe, WAITING, b"\0" * 4), sys.byteorder)
    with open(f"/proc/{reader.pid}/stat") as stat:
        state = stat.read().rsplit(")", 1)[1].split()[0]
    if state == "Z":
        sys.exit(f"{reader.args[1:]}: its answer fits into a pipe, or it failed")
    return waiting > 0 and state == "S"


def begin(words):
    out, into = os.pipe()
    fcntl.fcntl(into, SET_PIPE_SIZE, PIPE)
    reader = subprocess.Popen([loom, *words], stdout=into, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL)
    os.close(into)
    return reader, out


def holds_view(pid):
    """Whether it has one of the read marks of the store's shared memory."""
    with open("/proc/locks") as locks:
        rows = [line.split() for line in locks]
    return any(row[1] == "POSIX" and int(row[4]) == pid and 123 <= int(row[6]) <= 127
               for row in rows)


def empty(reader, out):
    """Afterwards the answer is there, whole."""
    size = 0
    while piece := os.read(out, 1 << 16):
        size += len(piece)
    os.close(out)
    if reader.wait() != 0 or size < 1 << 16:
        sys.exit(f"{reader.args[1:]}: exit status {reader.returncode}, {size} bytes")


def main():
    readers = []
    do("init")
    # Somebody who has the grove open, and holds nothing: the log lives on between two commands.
    watcher = subprocess.Popen([loom, "events", "--follow"], stdout=subprocess.DEVNULL)
    try:
        other = furnish()
        for words in READERS:
            readers.append(begin([other if word == "long" and words[0] == "diff" else word
                                  for word in words]))
        for reader, out in readers:
            until = time.monotonic() + 120
            seen = 0
            while seen < 10:
                seen = seen + 1 if is_stuck(reader, out) else 0
                if time.monotonic() > until:
                    sys.exit(f"{reader.args[1:]}: does not come to wait for its pipe")
                time.sleep(0.02)
        high = 0
        for i in range(mebibytes):
            write("new", os.urandom(1 << 19).hex())
            do("doc", "import", "--replace", "--name", "new", "new")
            high = max(high, os.stat(LOG).st_size)
        if high > most:
            sys.exit(f"the log grew to {high >> 20} MiB of {mebibytes} written; views are held by "
                     + str([r.args[1:] for r, _ in readers if holds_view(r.pid)]))
        while readers:
            empty(*readers.pop())
        print(f"{len(READERS)} commands, {mebibytes} MiB, log at most {high / (1 << 20):.1f} MiB")
    finally:
        for reader, _ in readers:
            reader.kill()
            reader.wait()
        watcher.kill()
        watcher.wait()


main()
