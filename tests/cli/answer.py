"""Runs a program on a terminal of its own and types one answer once it has asked.

usage: answer.py WORDS ANSWER PROGRAM ARGUMENT…   prints what it showed, ends with its status
"""
import os
import pty
import select
import signal
import sys
import time

wait_for, answer, argv = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
shown, answered, until = b"", False, time.monotonic() + 30
while time.monotonic() < until:
    # a screen that was let in is left at once, as soon as it hears
    if answered and b"\x1b[?1049h" in shown:
        os.write(terminal, b"Q")
    if not select.select([terminal], [], [], 0.2)[0]:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
    if not answered and wait_for in shown:
        answered = True
        os.write(terminal, answer + b"\n")
else:
    os.kill(pid, signal.SIGKILL)  # it went on without a question, or waits for what nobody says
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
