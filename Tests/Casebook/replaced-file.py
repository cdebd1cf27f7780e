"""A deployment replaces the database, and new data is missing."""
import os
import time

from support import *

TITLE = 'A deployment replaces the database, and new data is missing'
PROBLEM = """
A deployment or a restore moves another file over the database while a service keeps the old one
open. In WAL mode, the service writes to the deleted file; with a rollback journal, its writes
fail with SQLITE_READONLY_DBMOVED.
"""
SAYS = """
An alarm: which process has a deleted file open that had this path, and since when.
"""
REMEDY = """
Restart the process; replace the content of an open database with the backup API.
"""
REPORTS = [
    "https://github.com/devlikeapro/waha/issues/628",
    "https://github.com/greenrobot/greenDAO/issues/1033",
]
VARIATIONS = ['wal', 'delete']

def program(path, end, mode):
    import shutil
    c = create(path, mode)
    c.execute("PRAGMA wal_checkpoint")
    shutil.copyfile(path, path + ".new")
    os.rename(path + ".new", path)
    for _ in until(end, 0.02):
        try:
            c.execute("UPDATE item SET hits = hits + 1")
        except sqlite3.OperationalError:
            pass


def check(case):
    case.finding("strayFile", "alarm")
    case.says("the database was replaced", "ago")
    case.never_says("no visible process")


if __name__ == "__main__":
    main(globals())
