"""A pragma that only one connection of a pool executed."""
from support import *

TITLE = 'A pragma that only one connection executed'
PROBLEM = """
A program sets its pragmas on the first connection, and its pool opens more connections later. These
have SQLite's own settings: no foreign keys, and a wait for the disk at each commit.
"""
SAYS = """
Which settings differ, and on how many connections.
"""
REMEDY = """
Setting the pragmas on each connection, where the pool opens it.
"""
REPORTS = [
    "https://github.com/alpha-omega-security/scrutineer/issues/457",
    "https://github.com/mattn/go-sqlite3/issues/1058",
]
VARIATIONS = ['wal', 'delete']
SQL = True
unavailable = needs_root


def program(path, end, mode):
    connections = [create(path, mode)] + [connect(path, None) for _ in range(2)]
    for pragma in ("synchronous = NORMAL", "foreign_keys = ON", "busy_timeout = 9000"):
        connections[0].execute("PRAGMA " + pragma)
    for _ in until(end, 0.03):
        for number, c in enumerate(connections):
            c.execute("UPDATE item SET hits = 1 WHERE id = ?", (number + 1,))


def check(case):
    case.finding("settings", "note")
    case.says("busy_timeout is 5000 ms (2 connections) or 9000 ms (1 connection)",
              "synchronous is full (2 connections) or normal (1 connection)",
              "busy_timeout 9000 ms")
    settings = [c["settings"] for c in case.report["connections"]]
    case.expect(sorted(s["foreignKeys"] for s in settings) == [False, False, True],
                "the foreign keys are wrong")


if __name__ == "__main__":
    main(globals())
