"""What every storm is held by: what was done, and what must be so, said with all that led there."""
trace = []


class Wrong(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)) + "\nafter " + "\n  ".join(map(str, trace)))
