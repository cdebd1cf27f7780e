#!/usr/bin/env python3
"""Compares rehearsals with what happens when the same migrations run beside the same load.

    rehearsals.py --poolgauge PATH --folder FOLDER prepare [--megabytes 1024]
    rehearsals.py --poolgauge PATH --folder FOLDER measure MIGRATION
    rehearsals.py --poolgauge PATH --folder FOLDER batches MIGRATION
    rehearsals.py --poolgauge PATH --folder FOLDER safety
    rehearsals.py --poolgauge PATH --folder FOLDER report

`prepare` creates the database, the load, and the migrations. `measure` rehearses a migration, and then
executes it with Python's sqlite3 module on a copy, beside the same load from `poolgauge run`. The
measurements of the real run do not use Poolgauge: another process reads /proc/locks and the sizes of
the files. `batches` measures the variant in short transactions. `safety` checks a full disk (as root),
a copy that does not fit, and ^C in each part. Each command appends its results to results.json;
`report` compares the medians.
"""
import argparse
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

LOAD = """\
version: 1
name: rehearsals
dataset: {file: original.sqlite}
arms: {app: {type: pool, readers: 2}}
phases: [{name: steady, duration: 600s}]
variables:
  id: {distribution: uniform, min: 1, max: %d}
clients:
  reader:
    access: read
    arrival: {rate: 50/s}
    workers: 2
    sql: SELECT subject, folder FROM mail WHERE id = :id
  writer:
    access: write
    arrival: {rate: 20/s}
    sql: UPDATE user SET seen = seen + 1 WHERE id = :id %% 1000
"""

MIGRATIONS = {
    "index-text": "CREATE INDEX mail_subject ON mail (subject);",
    "index-two-columns": "CREATE INDEX mail_folder ON mail (folder, created);",
    "backfill-new-column":
        "ALTER TABLE mail ADD COLUMN size INTEGER;\nUPDATE mail SET size = length(body);",
    "backfill-some-rows":
        "UPDATE mail SET subject = 'archived: ' || subject WHERE folder < 5;",
    "vacuum": "VACUUM;",
    "rebuild-log":
        "BEGIN IMMEDIATE;\n"
        "CREATE TABLE log_new (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL);\n"
        "INSERT INTO log_new SELECT id, at, text FROM log;\n"
        "DROP TABLE log;\nALTER TABLE log_new RENAME TO log;\nCOMMIT;",
    "rebuild-mail":
        "BEGIN IMMEDIATE;\n"
        "CREATE TABLE mail_new (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, subject TEXT,\n"
        "  body TEXT, created INTEGER);\n"
        "INSERT INTO mail_new SELECT id, folder, subject, body, created FROM mail;\n"
        "DROP TABLE mail;\nALTER TABLE mail_new RENAME TO mail;\nCOMMIT;",
    "purge-quarter": "DELETE FROM mail WHERE id % 4 = 0;",
    "purge-log": "DELETE FROM log WHERE at < 1700000000 + 40000000;",
    "fails-midway":
        "CREATE INDEX mail_created ON mail (created);\nBEGIN;\n"
        "UPDATE log SET text = upper(text);\nINSERT INTO mail (id) VALUES (1);\nCOMMIT;",
}
BATCHED = ["backfill-new-column", "backfill-some-rows", "purge-quarter", "purge-log"]


class Bench:
    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.original = os.path.join(folder, "original.sqlite")
        self.load = os.path.join(folder, "load.yaml")
        self.results = os.path.join(folder, "results.json")

    def path(self, name):
        return os.path.join(self.folder, name)

    def record(self, entry):
        with open(self.results, "a") as file:
            file.write(json.dumps(entry) + "\n")
        print(json.dumps(entry), flush=True)

    # The database

    def prepare(self, megabytes):
        os.makedirs(self.folder, exist_ok=True)
        if os.path.exists(self.original):
            os.remove(self.original)
        rows = megabytes * 1000
        db = sqlite3.connect(self.original, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, seen INTEGER)")
        db.execute("INSERT INTO user WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
                   " WHERE i < 999) SELECT i, 'user ' || i, 0 FROM n")
        db.execute("CREATE TABLE mail (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, subject TEXT,"
                   " body TEXT, created INTEGER)")
        db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER, text TEXT)")
        # About 780 bytes for each mail, and 220 for two entries of the log.
        db.execute("INSERT INTO mail WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                   f" WHERE i < {rows}) SELECT i, (i * 7919) % 20, 'subject ' || (i * 104729 % 1000003),"
                   " hex(zeroblob(300)) || hex(randomblob(60)), 1700000000 + i * 50 FROM n")
        db.execute("INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                   f" WHERE i < {rows * 2}) SELECT i, 1700000000 + i * {80_000_000 // (rows * 2)},"
                   " 'entry ' || i || ' ' || hex(randomblob(40)) FROM n")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        with open(self.load, "w") as file:
            file.write(LOAD % rows)
        for name, sql in MIGRATIONS.items():
            with open(self.path(name + ".sql"), "w") as file:
                file.write(sql)
        print(f"{os.path.getsize(self.original) / 1e6:.0f} MB")

    def copy(self, folder):
        """Copies the database into a new folder, as a rehearsal does.

        A file that replaces the last copy would get the blocks of that copy, which some disks write
        faster than others: VACUUM of 1 GB in Python took 6.2 s there and 8.4 s in new folders.
        """
        target = os.path.join(folder, "app.sqlite")
        shutil.copyfile(self.original, target)
        descriptor = os.open(target, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        return target

    # Rehearsals

    def rehearse(self, migration, *options):
        command = [
            self.program, "rehearse", self.path(migration + ".sql"), "--database", self.original,
            "--load", self.load, "--format", "json", "--margin", "4s", *options,
        ]
        result = subprocess.run(command, capture_output=True, text=True)
        if not result.stdout:
            sys.exit(f"{migration}: {result.returncode} {result.stderr}")
        return json.loads(result.stdout)

    def rehearsed(self, migration):
        report = self.rehearse(migration, "--skip-interruption", "--skip-batches")
        run = report["underLoad"]
        return {
            "duration": run["duration"] / 1e9,
            "hold": run["locks"]["longestWriteHold"] / 1e9,
            "read": run["locks"]["longestReadBlock"] / 1e9,
            "space": run["space"]["total"], "temporary": run["space"]["temporary"],
            "failed": "failure" in run,
        }

    # Real runs

    def real(self, migration):
        folder = tempfile.mkdtemp(prefix="real-", dir=self.folder)
        try:
            return self.real_in(folder, migration)
        finally:
            shutil.rmtree(folder)

    def real_in(self, folder, migration):
        target = self.copy(folder)
        load = subprocess.Popen(
            [self.program, "run", self.load, "--database", target, "--in-place", "--arm", "app",
             "--format", "json", "--output", self.path("load.json")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(4)
            if load.poll() is not None:
                sys.exit(f"the load ended: {load.returncode}")
            migrator = subprocess.Popen(
                [sys.executable, __file__, "--folder", self.folder, "migrate", target,
                 self.path(migration + ".sql")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            migrator.stdout.readline()
            observer = subprocess.Popen(
                [sys.executable, __file__, "--folder", self.folder, "observe", target,
                 str(migrator.pid)], stdout=subprocess.PIPE, text=True)
            observer.stdout.readline()
            migrator.stdin.write("start\n")
            migrator.stdin.flush()
            result = json.loads(migrator.stdout.readline())
            migrator.stdin.close()
            migrator.wait()
            result.update(json.loads(observer.stdout.read()))
            observer.wait()
            return result
        finally:
            load.send_signal(signal.SIGINT)
            load.wait()

    def measure(self, migration):
        self.record({"migration": migration, "kind": "rehearsed", **self.rehearsed(migration)})
        self.record({"migration": migration, "kind": "real", **self.real(migration)})

    def batches(self, migration):
        report = self.rehearse(migration, "--skip-interruption")
        batched = report["batched"]
        self.record({
            "migration": migration, "kind": "batched", "equal": batched.get("isEqual"),
            "hold": batched["underLoad"]["locks"]["longestWriteHold"] / 1e9,
            "holdAlone": batched["alone"]["locks"]["longestWriteHold"] / 1e9,
            "original": report["underLoad"]["locks"]["longestWriteHold"] / 1e9,
            "duration": batched["underLoad"]["duration"] / 1e9,
            "batches": max(step.get("batches") or 0 for step in batched["underLoad"]["steps"]),
        })

    # Safety

    def safety(self):
        before = checksum(self.original)
        plain = [self.program, "rehearse", self.path("rebuild-mail.sql"), "--database",
                 self.original]
        parts = ["copying original", "copying for the run alone", "executing the migration alone",
                 "executing step 3", "checking the integrity", "preparing",
                 "executing the migration under load", "interrupting the migration",
                 "killing the migration", "executing the batches alone", "comparing the rows"]
        for part in parts:
            options = ["--progress", "always", "--margin", "1s", "--load", self.load]
            command = list(plain)
            if "batches" in part or "rows" in part:
                command[2] = self.path("purge-quarter.sql")
            process = subprocess.Popen(command + options, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            seen = False
            for line in process.stderr:
                if part in line:
                    seen = True
                    process.send_signal(signal.SIGINT)
                    break
            rest = process.stderr.read()
            status = process.wait()
            left = [name for name in os.listdir(self.folder) if name.startswith(".poolgauge")]
            self.record({"kind": "safety", "part": part, "seen": seen, "status": status,
                         "left": left, "unchanged": checksum(self.original) == before,
                         "passed": seen and status == 130 and not left})
            del rest
        size = os.path.getsize(self.original)
        for title, share in [("too small for the copies", 1.5), ("full during the migration", 2.15)]:
            folder = tempfile.mkdtemp(prefix="rehearsals-")
            mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={int(size * share)}",
                                    "tmpfs", folder])
            if mount.returncode != 0:
                print("no privilege to mount a file system")
                return
            try:
                result = subprocess.run(plain + ["--copies", folder], capture_output=True, text=True)
                left = os.listdir(folder)
            finally:
                subprocess.run(["umount", folder])
                os.rmdir(folder)
            self.record({"kind": "safety", "part": title, "status": result.returncode,
                         "message": (result.stderr + result.stdout)[-600:], "left": left,
                         "unchanged": checksum(self.original) == before,
                         "passed": result.returncode == 1 and not left})

    # Comparison

    def report(self):
        entries = [json.loads(line) for line in open(self.results)]
        good = 0
        for migration in MIGRATIONS:
            medians = {}
            for kind in ["rehearsed", "real"]:
                runs = [e for e in entries if e.get("migration") == migration and e["kind"] == kind]
                if not runs:
                    break
                medians[kind] = {
                    key: statistics.median(run[key] for run in runs)
                    for key in ["duration", "hold", "read", "space", "temporary"]
                }
            if len(medians) < 2:
                continue
            (a, b) = (medians["rehearsed"], medians["real"])
            times = all(close(a[key], b[key]) for key in ["duration", "hold", "read"])
            space = abs(a["space"] + a["temporary"] - b["space"] - b["temporary"]) \
                <= 0.1 * (b["space"] + b["temporary"])
            good += times and space
            print(f"{migration:20} duration {a['duration']:7.2f} / {b['duration']:7.2f} s   "
                  f"write {a['hold']:7.2f} / {b['hold']:7.2f} s   "
                  f"read {a['read']:5.2f} / {b['read']:5.2f} s   "
                  f"space {(a['space'] + a['temporary']) / 1e6:6.0f} / "
                  f"{(b['space'] + b['temporary']) / 1e6:6.0f} MB   "
                  f"{'ok' if times and space else 'DIFFERS'}")
        print(f"{good} of {len(MIGRATIONS)} within the limits (rehearsed / real)")
        for entry in entries:
            if entry["kind"] in ("batched", "safety"):
                print(entry)


def close(rehearsed, real):
    """20%, or 0.1 s for times below 1 s."""
    return abs(rehearsed - real) <= (0.1 if real < 1 else 0.2 * real)


def checksum(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def statements(text):
    """Divides a script as the shell does."""
    start = 0
    for end, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start:end + 1]):
            yield text[start:end]
            start = end + 1
    if text[start:].strip():
        yield text[start:]


def migrate(path, script):
    """Executes a migration after a line on standard input, and reports its time."""
    db = sqlite3.connect(path, isolation_level=None, timeout=5)
    db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    print("ready", flush=True)
    sys.stdin.readline()
    failure = None
    start = time.monotonic()
    try:
        for sql in statements(open(script).read()):
            db.execute(sql).fetchall()
    except sqlite3.Error as error:
        failure = str(error)
        if db.in_transaction:
            db.execute("ROLLBACK")
    print(json.dumps({"duration": time.monotonic() - start, "failed": failure is not None,
                      "failure": failure}), flush=True)
    # Closing would copy the log into the database. The observer needs the process until its end.
    sys.stdin.readline()
    os._exit(0)


def observe(path, pid):
    """Reads the locks and the sizes of a process's files until it ends."""
    inodes = {}
    holds = {"hold": [0.0, None], "read": [0.0, None]}
    total = temporary = 0
    print("ready", flush=True)
    while os.path.exists(f"/proc/{pid}/fd"):
        now = time.monotonic()
        for suffix in ["", "-shm"]:
            try:
                inodes[os.stat(path + suffix).st_ino] = suffix
            except OSError:
                pass
        blocked = {"hold": False, "read": False}
        for line in open("/proc/locks"):
            words = line.split()
            if words[1] != "POSIX" or words[3] != "WRITE" or words[4] != pid:
                continue
            suffix = inodes.get(int(words[5].rsplit(":", 1)[1]))
            first, last = int(words[6]), int(words[7]) if words[7] != "EOF" else 1 << 62
            if suffix == "-shm":
                blocked["hold"] |= first <= 120 <= last
                blocked["read"] |= first <= 122 <= last
            elif suffix == "":
                blocked["hold"] |= last >= 0x40000001
                blocked["read"] |= first <= 0x40000000 <= last or last >= 0x40000002
        for kind, state in holds.items():
            if blocked[kind]:
                state[1] = state[1] or now
            elif state[1]:
                state[0] = max(state[0], now - state[1])
                state[1] = None
        size = 0
        for suffix in ["", "-wal", "-journal"]:
            try:
                size += os.stat(path + suffix).st_size
            except OSError:
                pass
        total = max(total, size)
        unnamed = 0
        try:
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                status = os.stat(f"/proc/{pid}/fd/{descriptor}")
                if status.st_nlink == 0:
                    unnamed += status.st_blocks * 512
        except OSError:
            pass
        temporary = max(temporary, unnamed)
        time.sleep(0.001)
    print(json.dumps({"hold": holds["hold"][0], "read": holds["read"][0], "space": total,
                      "temporary": temporary}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--poolgauge", default="poolgauge")
    parser.add_argument("--folder", default="rehearsals")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("prepare").add_argument("--megabytes", type=int, default=1024)
    for name in ["measure", "batches"]:
        commands.add_parser(name).add_argument("migration", choices=MIGRATIONS)
    commands.add_parser("safety")
    commands.add_parser("report")
    # The processes of a real run.
    part = commands.add_parser("migrate")
    part.add_argument("path")
    part.add_argument("script")
    part = commands.add_parser("observe")
    part.add_argument("path")
    part.add_argument("pid")
    options = parser.parse_args()
    if options.command == "migrate":
        return migrate(options.path, options.script)
    if options.command == "observe":
        return observe(options.path, options.pid)
    # A shell ignores SIGINT in the background, and the programs that this script starts would, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    bench = Bench(os.path.abspath(options.folder), options.poolgauge)
    if options.command == "prepare":
        bench.prepare(options.megabytes)
    elif options.command in ("measure", "batches"):
        getattr(bench, options.command)(options.migration)
    else:
        getattr(bench, options.command)()


if __name__ == "__main__":
    main()
