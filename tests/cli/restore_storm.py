"""A restore is killed at a random moment, again and again: afterwards the grove is the one that was
there or the one of the backup, whole, and what was there can still be had.
usage: restore_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from storm import must

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)


def run(*argv, where="g"):
    return subprocess.run([loom, *argv], capture_output=True, stdin=subprocess.DEVNULL, cwd=where)


def done(*argv, where="g"):
    got = run(*argv, where=where)
    must(got.returncode == 0, argv, got.stdout, got.stderr)
    return got.stdout


def nodes(where="g"):
    return json.loads(done("trees", "--json", where=where))["trees"][0]["nodes"]


def kept():
    return [name for name in glob.glob("g/.loom/grove.db.kept-*") if not name.endswith("-wal")]


def look_at_kept(name, wanted):
    shutil.rmtree("k", ignore_errors=True)
    os.makedirs("k/.loom")
    shutil.copy(name, "k/.loom/grove.db")
    must(nodes("k") in wanted, "what was kept is another grove", name)
    if rng.random() < 0.1:
        done("check", "--deep", where="k")


os.mkdir("g")
done("init")
done("new", "--title", "T", "--root", "r")
done("backup", "../few.db")
for i in range(4):
    done("do", "respond", "r001", "text %d" % i)
done("backup", "../many.db")
backups = {1: "../few.db", 5: "../many.db"}
start = time.monotonic()
done("restore", "../many.db", "--yes")
takes = time.monotonic() - start
killed = changed = 0
for step in range(steps):
    before = nodes()
    goal = 1 if before == 5 else 5
    for name in kept():
        os.unlink(name)
    process = subprocess.Popen([loom, "restore", backups[goal], "--yes"], cwd="g",
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * takes)
    process.send_signal(signal.SIGKILL)
    dead = process.wait() == -signal.SIGKILL
    killed += dead
    takes *= 1.04 if dead else 0.9  # about one in four comes to its end
    now = nodes()
    must(now in (before, goal), "step", step, "neither the old grove nor the new one:", now)
    if now == goal:
        changed += 1
        must(kept(), "step", step, "nothing was kept")
    for name in kept():
        look_at_kept(name, (before,))
    if step % 10 == 0:
        done("check", "--deep")
        done("do", "respond", "r001", "probe")
        done("restore", backups[goal], "--yes")
        must(nodes() == goal, "step", step, "a restore after a kill")
        left = [n for n in os.listdir("g/.loom") if n.startswith("restoring-")]
        must(not left, "left behind", left)
print("%d restores, %d killed, %d had put the new one in place; the old one or the new one each time"
      % (steps, killed, changed))
