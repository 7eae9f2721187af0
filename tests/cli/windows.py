"""Conversations of eight turns in windows of 1k to 32k tokens; talk.py has the rules.

usage: windows.py PROGRAM SEED TURNS
"""
from talk import Conversation, asked, seed, turns

count = 0
for window in (1024, 2048, 4096, 8192, 16384, 32768):
    for small in (False, True):
        talk = Conversation("g%d%s" % (window, "s" if small else ""), window, small)
        for number in range(turns):
            talk.turn(number)
        talk.run("check", "--deep")
        count += sum(body["model"] == "m" for body in asked)
        summed = sum(row.startswith("*") and "compaction" in row for row in
                     talk.run("thread", "lanes", "--thread", "T").splitlines())
        assert summed or window > 4096 or turns < 8, "nothing was ever summed up in %d" % window
print("seed %d: %d requests in 12 windows" % (seed, count))
