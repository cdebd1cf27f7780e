"""Commits disappear when the program ends."""
import os
import time

from support import *

TITLE = 'Commits disappear when the program ends'
PROBLEM = """
A second copy of SQLite in the process, a backup script, or a person deletes the -wal and -shm
files of an open database. The program continues to write to the deleted log; other programs
start a new one.
"""
SAYS = """
An alarm, before everything else: which process uses a -wal file that was deleted, and since
when.
"""
REMEDY = """
Save the data from that process, restart it, and never delete -wal or -shm.
"""
REPORTS = [
    "https://github.com/MemPalace/mempalace/issues/2471",
    "https://github.com/s3gw-tech/s3gw/issues/702",
]
VARIATIONS = ['two processes', 'one process']

def program(path, end, kind):
    c = create(path)
    os.remove(path + "-wal")
    os.remove(path + "-shm")
    if kind == "two processes" and os.fork() == 0:
        d = connect(path, None)
        for _ in until(end, 0.02):
            d.execute("UPDATE item SET hits = hits + 1 WHERE id = 2")
        os._exit(0)
    for _ in until(end, 0.02):
        c.execute("UPDATE item SET hits = hits + 1 WHERE id = 1")


def check(case):
    finding = case.finding("strayFile", "alarm")
    case.expect(case.findings[0] == finding, "the alarm is not the first finding")
    case.says("-wal file that was deleted", "will be lost")


if __name__ == "__main__":
    main(globals())
