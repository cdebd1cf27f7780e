"""What the programs of the casebook share."""
import json
import os
import sqlite3
import sys
import time


def connect(path, mode="wal", timeout=5.0, **options):
    """Opens a connection without Python's implicit transactions."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=timeout, **options)
    if mode:
        connection.execute(f"PRAGMA journal_mode = {mode}")
    return connection


def create(path, mode="wal"):
    """Creates a database with a small table, and returns its connection."""
    connection = connect(path, mode)
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
    connection.execute("INSERT INTO item WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                       "WHERE i < 200) SELECT i, 0, 'item ' || i FROM n")
    return connection


def insert_in_child(path, end, timeout, pause):
    """Starts a process that inserts rows, and ignores failures."""
    if os.fork() != 0:
        return
    c = connect(path, None, timeout=timeout)
    for _ in until(end, pause):
        try:
            c.execute("INSERT INTO item (hits) VALUES (1)")
        except sqlite3.OperationalError:
            pass
    os._exit(0)


def report(**counts):
    print(json.dumps(counts), flush=True)


def needs_root():
    return None if os.geteuid() == 0 else "tracing needs root"


def until(end, pause=0.0):
    """Yields until a time, with pauses."""
    while time.time() < end:
        yield
        if pause:
            time.sleep(pause)


def main(module_globals):
    path, seconds, variation = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    module_globals["program"](path, time.time() + seconds, variation)
