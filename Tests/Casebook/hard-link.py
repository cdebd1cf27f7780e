"""Two names of one database."""
import os
import time

from support import *

TITLE = 'Two names of one database'
PROBLEM = """
Two programs open one database under two names: a hard link, or a single file that is mounted
into a container. SQLite derives the name of the log from the name of the database, so each
program uses its own log.
"""
SAYS = """
An alarm: which process uses the database under another name, and the name of its log.
"""
REMEDY = """
One path for all programs; mount folders instead of files.
"""
REPORTS = [
    "https://github.com/GoblinHonest/mimo2api_mimoapi/issues/5",
    "https://github.com/evcc-io/evcc/pull/30903",
]
VARIATIONS = ['wal']

def program(path, end, _):
    create(path).close()
    os.link(path, path + ".link")
    c = connect(path + ".link", None)
    for _ in until(end, 0.03):
        c.execute("UPDATE item SET hits = hits + 1 WHERE id = 1")


def check(case):
    case.finding("strayFile", "alarm")
    case.says("under another name", "app.db.link-wal")


if __name__ == "__main__":
    main(globals())
