#!/usr/bin/env python3
"""Commits to an SQLite database until its input ends, and counts the commits.

writer.py FILE creates the database, prints `ready`, waits for a line, and then writes in bursts and
pauses. It also rolls back, reads an old state for seconds, and restarts the log. At the end of the
input, it prints the number of commits.
"""
import random, select, sqlite3, sys, time

CHECKPOINT_PAGES = 200


def connect(path):
    database = sqlite3.connect(path, isolation_level=None, timeout=10)
    database.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    return database


def main():
    database = connect(sys.argv[1])
    database.execute("PRAGMA journal_mode = wal")
    database.execute("PRAGMA synchronous = normal")
    database.execute("CREATE TABLE beats (id INTEGER PRIMARY KEY, slot INTEGER UNIQUE, note TEXT)")
    reader = connect(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()

    chance = random.Random(21)
    commits = 0
    reads_until = None
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(chance.choice([1, 1, 5, 40])):
            # The table has at most 2,000 rows, so the file does not grow.
            database.execute("BEGIN IMMEDIATE")
            database.execute(
                "INSERT INTO beats (slot, note) VALUES (?1, ?2)"
                " ON CONFLICT (slot) DO UPDATE SET note = ?2",
                (chance.randrange(2_000), f"{chance.random()} " * chance.choice([1, 10, 200])))
            if chance.random() < 0.1:
                database.execute("ROLLBACK")
            else:
                database.execute("COMMIT")
                commits += 1
        now = time.monotonic()
        if reads_until is None and chance.random() < 0.02:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM beats").fetchone()
            reads_until = now + chance.uniform(0.1, 3)
        elif reads_until is not None and now > reads_until:
            reader.execute("COMMIT")
            reads_until = None
        time.sleep(chance.choice([0.01, 0.05, 0.2]))
    print(commits, flush=True)


if __name__ == "__main__":
    main()
