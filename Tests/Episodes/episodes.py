#!/usr/bin/env python3
"""Plants episodes beside a service, and checks what `poolgauge record --on` kept of them.

    episodes.py POOLGAUGE [--minutes 60] [--episodes 20] [--seed N] [--scratch FOLDER] [--without-sql]
                [--judge]

The episodes are of four kinds: a job that holds the write lock while the service's writes fail, a job that
holds it while they wait, a cursor that pins the log, and a transaction with a large log. Their order, times, and
statements depend on the seed. There must be one recording for each episode and no others, and the
report of each must name the process that caused it, and its statement. Without SQL (as for a user without
privileges), there are only the kinds whose locks and pins are visible, and no statements. --judge judges
the recordings of an earlier run in the folder.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

TABLES = ["invoice", "parcel", "session_log", "audit_entry", "price_list"]
KINDS = ["busy", "hold", "pin", "log"]
CONDITIONS = {"busy": "busy", "hold": "hold > 1s", "pin": "pin > 30s", "log": "wal > 64MiB"}


def connect(path, timeout):
    return sqlite3.connect(path, isolation_level=None, timeout=timeout)


def prepare(path):
    db = connect(path, 5)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER)")
    db.execute("CREATE TABLE attachment (id INTEGER PRIMARY KEY, data BLOB)")
    for table in ["item", *TABLES]:
        if table != "item":
            db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, hits INTEGER)")
        db.execute(f"INSERT INTO {table} WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                   "SELECT i, 0 FROM n")
    db.close()


def service(path):
    """Reads and writes. Each line on standard input is the timeout of the next writes."""
    import threading
    timeout = [10.0]

    def read():
        db = connect(path, 10)
        while True:
            db.execute("SELECT hits FROM item WHERE id = ?", (random.randint(1, 2000),)).fetchall()
            time.sleep(0.05)

    def write():
        while True:
            db = connect(path, timeout[0])
            try:
                for _ in range(10):
                    db.execute("UPDATE item SET hits = hits + 1 WHERE id = ?", (random.randint(1, 2000),))
                    time.sleep(0.1)
            except sqlite3.OperationalError:
                time.sleep(0.1)
            db.close()

    for target in (read, write):
        threading.Thread(target=target, daemon=True).start()
    for line in sys.stdin:
        timeout[0] = float(line)


def job(path, kind, table, seconds):
    """Causes an episode."""
    db = connect(path, 10)
    if kind == "pin":
        cursor = db.execute(f"SELECT id, hits FROM {table} WHERE id > 3")
        cursor.fetchone()
        time.sleep(seconds)
    elif kind == "log":
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("BEGIN IMMEDIATE")
        for _ in range(20):
            db.execute(f"INSERT INTO attachment (data) SELECT randomblob(4000000) FROM {table} WHERE id = 7")
        db.execute("COMMIT")
        time.sleep(seconds)
        # The service reads, so that a reset of the log can take a few tries.
        while db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            time.sleep(0.05)
    else:
        db.execute("BEGIN IMMEDIATE")
        db.execute(f"UPDATE {table} SET hits = hits + 1 WHERE id BETWEEN 3 AND 9")
        time.sleep(seconds)
        db.execute("COMMIT")
    db.close()


def judge(binary, folder, planted, has_statements):
    """Compares the recordings with the episodes, and returns the number of differences."""
    wrong = 0
    recordings = sorted(folder.glob("*.recording"))
    if len(recordings) != len(planted):
        print(f"{len(recordings)} recordings of {len(planted)} episodes")
        wrong += abs(len(recordings) - len(planted))
    unused = list(recordings)
    for episode in planted:
        # The name contains the local time of the event.
        def distance(path):
            text = "-".join(path.stem.split("-")[-4:])
            at = datetime.datetime.strptime(text, "%Y-%m-%d-%H%M%S").timestamp()
            return at - episode["start"]
        found = [path for path in unused if -2 <= distance(path) <= episode["seconds"] + 15]
        if not found:
            print(f"missed: {episode}")
            wrong += 1
            continue
        unused.remove(found[0])
        mode = found[0].stat().st_mode & 0o777
        text = subprocess.run([binary, "report", found[0]], capture_output=True, text=True).stdout
        head = "\n".join(text.splitlines()[:40])
        problems = []
        if mode != 0o600:
            problems.append(f"mode {mode:o}")
        if str(episode["pid"]) not in head:
            problems.append("the process is not named")
        if has_statements and episode["table"] not in head:
            problems.append("the statement is not named")
        print(("right: " if not problems else "WRONG: ") + json.dumps(episode), *problems, sep="  ")
        if problems:
            wrong += 1
            print("    " + head.replace("\n", "\n    "))
    for path in unused:
        wrong += 1
        print(f"not planted: {path}")
        text = subprocess.run([binary, "report", path], capture_output=True, text=True).stdout
        print("    " + "\n    ".join(text.splitlines()[:25]))
    return wrong


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    if sys.argv[1] == "--service":
        return service(sys.argv[2])
    if sys.argv[1] == "--job":
        return job(sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--without-sql", action="store_true")
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    scratch = options.scratch or pathlib.Path(tempfile.mkdtemp(prefix="episodes-"))
    scratch.mkdir(parents=True, exist_ok=True)
    path, folder, notes = scratch / "app.sqlite", scratch / "episodes", scratch / "planted.json"
    if not options.judge:
        plant(options, chance, scratch, path, folder, notes)
    planted = json.loads(notes.read_text())
    wrong = judge(options.binary, folder, planted, not options.without_sql)
    print((scratch / "record.err").read_text()[-1500:])
    print(f"{len(planted)} episodes, {wrong} wrong")
    sys.exit(1 if wrong else 0)


def plant(options, chance, scratch, path, folder, notes):
    """Runs the service, the recorder, and the episodes."""
    prepare(path)
    kinds = [kind for kind in KINDS if not options.without_sql or kind != "busy"]
    order = [kinds[i % len(kinds)] for i in range(options.episodes)]
    chance.shuffle(order)
    me = [sys.executable, os.path.abspath(__file__)]
    program = subprocess.Popen([*me, "--service", path], stdin=subprocess.PIPE, text=True)
    conditions = ", ".join(CONDITIONS[kind] for kind in kinds)
    recorder = subprocess.Popen(
        [options.binary, "record", path, "--on", conditions, "--keep", "30s", "--output", folder],
        stdout=subprocess.DEVNULL, stderr=open(scratch / "record.err", "w"),
    )
    planted = []
    try:
        time.sleep(5)
        start, period = time.time(), options.minutes * 60 / options.episodes
        used = processor_seconds(recorder.pid)
        for number, kind in enumerate(order):
            # A pin is an event after 30 s. A recording ends ten seconds after its event.
            latest = period - (65 if kind == "pin" else 25)
            time.sleep(max(0, start + number * period + chance.uniform(0, max(0, latest)) - time.time()))
            program.stdin.write("0.4\n" if kind == "busy" else "10\n")
            program.stdin.flush()
            time.sleep(1.5)
            seconds = {"busy": 2, "hold": 1.6, "pin": 34, "log": 3}[kind] + chance.uniform(0, 1)
            table = chance.choice(TABLES)
            begin = time.time()
            child = subprocess.Popen([*me, "--job", path, kind, table, str(seconds)])
            child.wait()
            planted.append({"kind": kind, "table": table, "seconds": seconds, "start": begin, "pid": child.pid})
        time.sleep(max(15, start + options.minutes * 60 - time.time()))
        used = processor_seconds(recorder.pid) - used
        if recorder.poll() is not None:
            print(f"the recorder ended: {recorder.returncode}")
        else:
            print(f"the recorder used {used / (time.time() - start):.2%} of a processor")
    finally:
        recorder.terminate()  # a shell ignores SIGINT in the background
        recorder.wait()
        program.kill()
        notes.write_text(json.dumps(planted))


if __name__ == "__main__":
    main()
