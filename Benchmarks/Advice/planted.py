#!/usr/bin/env python3
"""Measures how often `poolgauge advise` finds a planted flaw, and how often it is wrong.

    planted.py --binary .build/release/poolgauge [--seed N] [--cases N] [--only TEXT]
               [--within 60s] [--resume FILE] [--list] [--keep FOLDER] [--seeds N]

The seed determines sixty cases: five databases and scenarios for each of eight flaws, and twenty
without a flaw. Sizes, names of tables and columns, rates, numbers of readers, kinds of arms and
mixes are random. For each case, the table shows:

  planted     the flaw
  result      found (the remedy is recommended), named (only a finding names the cause), missed,
              clean (nothing planted, nothing recommended) or false
  effect      how many times the recommended remedy improves its best primary metric
  floor       the noise floor of that metric in the same run; the effect must be at least its square
  seconds     the elapsed time of the command, which must not exceed --within by more than 3 s
  load        the load average before and after the command

A remedy is found if one of the following candidates is recommended. Some flaws have several
remedies with the same effect:

  index       an index of the table whose leading columns are those of the flaw; additional columns
              do not slow down a search
  storm       any larger number of readers
  journal     a write-ahead log, or a pool, which always uses one
  upgrade     BEGIN IMMEDIATE
  cache       a larger page cache, or a memory map; both avoid a system call for each page read
  text        an index with another collation, on an expression, on a term of an OR, or on a
              foreign key
  batch       several writes in one transaction
  holder      no setting; a finding must name the rare client that holds the write lock idle

If a remedy is missed, `poolgauge compare` runs the flawed and the repaired arm. The case is not
counted if their difference is below twice the noise floor (as logarithms). --resume appends each
result to a file of JSON lines and skips the cases that the file contains. --keep writes the
databases and scenarios to a folder and runs nothing.

With --seeds, one case of each kind is run with N seeds of the scenario instead, and the table shows
the first recommendation: the best confirmed candidate, or the first finding if none is confirmed.
The holder of the write lock then comes every 4 s.
"""

import argparse
import json
import math
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

TABLES = ["orders", "tracks", "messages", "visits", "tickets", "shipments", "notes", "readings"]
KEYS = ["customer", "artist", "thread", "page_ref", "project", "carrier", "owner", "sensor"]
TIMES = ["created", "changed", "seen_at", "due", "sent_at", "recorded"]
VALUES = ["amount", "plays", "size", "score", "cost", "level"]
TEXTS = ["body", "title", "remark", "details", "payload"]
PARENTS = ["places", "people", "devices", "groups_of_users"]
LABELS = ["label", "nickname", "town", "code"]
KINDS = ["index", "storm", "journal", "upgrade", "cache", "text", "batch", "holder"]
VARIANTS = 5
EMPTY = 20
MARGIN = 3.0


class Case:
    """A database, a scenario with the arm `app`, and the arm `repaired`."""

    def __init__(self, seed, kind, number):
        self.name = f"{kind}-{number}"
        self.kind = kind
        self.number = number
        self.run_seed = seed
        self.random = random.Random(f"{seed}/{kind}/{number}")
        self.seed = self.random.randrange(1, 1_000_000)
        pick = self.random.choice
        self.table, self.key, self.time = pick(TABLES), pick(KEYS), pick(TIMES)
        self.value, self.text, self.parent = pick(VALUES), pick(TEXTS), pick(PARENTS)
        self.label = pick(LABELS)
        self.rows, self.width, self.distinct = 2000, 100, 200
        self.indexes = [[self.key], [self.time]]
        self.page_size = 4096
        self.arm, self.remedy, self.clients, self.primary = {}, {}, {}, None
        self.variables, self.label_index = {}, None
        getattr(self, "plant_text" if kind == "text" else kind)()

    # Accesses

    def point(self):
        return f"SELECT {self.text}, {self.value} FROM {self.table} WHERE id = :id"

    def by_key(self):
        return f"SELECT id, {self.value} FROM {self.table} WHERE {self.key} = :key"

    def latest(self, limit=20):
        return self.by_key() + f" ORDER BY {self.time} DESC LIMIT {limit}"

    def change(self):
        return f"UPDATE {self.table} SET {self.value} = {self.value} + 1 WHERE id = :id"

    def insert(self):
        return (
            f"INSERT INTO {self.table}({self.key}, {self.time}, {self.value}, {self.text}) "
            "VALUES (:key, :time, 1, 'new')"
        )

    def reader(self, sql, **settings):
        return {"access": "read", "sql": sql, **settings}

    def writer(self, sql, **settings):
        return {"access": "write", "sql": sql, **settings}

    def arrival(self, low, high):
        return {"rate": f"{self.random.randint(low, high)}/s", "process": "poisson"}

    # Flaws

    def index(self):
        pick, between = self.random.choice, self.random.randint
        self.rows, self.width = between(15, 100) * 1000, between(60, 250)
        self.distinct = self.rows // between(10, 60)
        self.indexes = []
        forms = ["equal", "sort", "range", "join", "update"]
        form = random.Random(f"{self.run_seed}/forms").sample(forms, VARIANTS)[self.number]
        self.arm = pick(
            [
                {"type": "pool", "readers": between(3, 5)},
                {"type": "queue", "journal": "wal"},
                {"library": "raw", "journal": "wal"},
            ]
        )
        wanted = [self.key]
        sql = self.by_key()
        if form == "sort":
            # An index finds the rows of a key, but SQLite must sort them.
            self.distinct = between(8, 20)
            self.indexes = [[self.key]]
            wanted, sql = [self.key, self.time], self.latest(between(10, 30))
        elif form == "range":
            wanted = [self.time]
            sql = (
                f"SELECT count(*), sum({self.value}) FROM {self.table} "
                f"WHERE {self.time} BETWEEN :time AND :time + {between(200, 900)}"
            )
        elif form == "join":
            sql = (
                f"SELECT p.name, t.{self.value} FROM {self.parent} AS p JOIN {self.table} AS t "
                f"ON t.{self.key} = p.id WHERE p.region = :region"
            )
        pace = pick([{"arrival": self.arrival(30, 60)}, {"think": f"{between(3, 12)}ms"}])
        self.clients["list"] = self.reader(sql, workers=between(2, 3), **pace)
        if form == "update":
            change = f"UPDATE {self.table} SET {self.value} = 1 WHERE {self.key} = :key"
            self.clients["list"] = self.reader(self.point(), think="4ms", workers=2)
            self.clients["mark"] = self.writer(change, think=f"{between(5, 15)}ms")
        else:
            self.clients["save"] = self.writer(self.change(), think=f"{between(8, 20)}ms")
        name = "planted_" + "_".join(wanted)
        self.remedy = {"setup": f"CREATE INDEX {name} ON {self.table}({', '.join(wanted)})"}
        self.wanted = wanted

    def storm(self):
        between = self.random.randint
        hold = between(8, 22)
        self.arm = {"type": "pool", "readers": 1}
        self.rows = between(2, 8) * 1000
        workers = between(6, 14)
        pace = {"think": f"{between(4, 12)}ms"}
        if self.number % 2:
            # The load occupies 1.6 to 2.8 readers on average.
            rate = int(self.random.uniform(1.6, 2.8) * 1000 / hold)
            pace = {"arrival": {"rate": f"{rate}/s", "process": "poisson"}}
        sql = self.random.choice([self.point(), self.by_key()])
        self.clients["open"] = self.reader(sql, workers=workers, hold=f"{hold}ms", **pace)
        self.clients["save"] = self.writer(self.change(), think=f"{between(10, 30)}ms")
        self.remedy = {"readers": between(4, 6)}

    def journal(self):
        pick, between = self.random.choice, self.random.randint
        self.rows = between(2, 20) * 1000
        journal = pick([{}, {"journal": "truncate"}, {"journal": "persist"}])
        if self.number < 3:
            self.arm = {"type": "queue", **journal}
        else:
            self.arm = {"library": "raw", "journal": "delete", "busy": {"timeout": "5s"}}
        pace = pick([{"arrival": self.arrival(80, 250)}, {"think": f"{between(1, 4)}ms"}])
        sql = pick([self.point(), self.by_key()])
        self.clients["show"] = self.reader(sql, workers=between(2, 4), **pace)
        write = pick([self.change(), self.insert()])
        self.clients["save"] = self.writer(write, think=f"{between(0, 1)}ms")
        self.remedy = {"journal": "wal", "synchronous": "full"}

    def upgrade(self):
        pick, between = self.random.choice, self.random.randint
        self.rows = between(2, 10) * 1000
        steps = [
            {"sql": f"SELECT {self.value} FROM {self.table} WHERE id = :id", "into": "now"},
            {"pause": f"{between(1, 3)}ms"},
            {
                "sql": f"UPDATE {self.table} SET {self.value} = :now + {between(1, 9)} "
                "WHERE id = :id"
            },
        ]
        retry = pick([{}, {"retry": {"busy": between(1, 3)}}])
        pace = {"think": f"{between(1, 5)}ms", **retry}
        wait = {"begin": "deferred", "busy": {"timeout": "5s"}}
        if self.number % 2 == 0:
            self.arm = {"library": "raw", "journal": pick(["wal", "wal", "delete"]), **wait}
            self.clients["pay"] = self.writer(steps, workers=between(3, 5), **pace)
        else:
            # The other process commits between the read and the write.
            self.arm = {"type": "pool", "readers": between(2, 4), **wait}
            self.clients["pay"] = self.writer(steps, **pace)
            self.clients["other"] = self.writer(steps, style="process", **pace)
        self.clients["show"] = self.reader(self.point(), think=f"{between(3, 8)}ms")
        self.remedy = {"begin": "immediate"}

    def cache(self):
        pick, between = self.random.choice, self.random.randint
        self.page_size = pick([1024, 4096])
        self.rows, self.width = between(20, 50) * 1000, between(250, 450)
        self.distinct = self.rows // between(80, 200)
        self.indexes = [[self.key]]
        pool = {"type": "pool", "readers": between(2, 4)}
        queue, raw = {"type": "queue", "journal": "wal"}, {"library": "raw", "journal": "wal"}
        self.arm = [pool, queue, pool, raw, pool][self.number]
        self.arm["pragmas"] = {"cache_size": between(10, 40)}
        sql = f"SELECT sum({self.value}), max({self.text}) FROM {self.table} WHERE {self.key} = :key"
        self.clients["sum"] = self.reader(sql, workers=between(1, 2))
        if self.arm is queue:
            # A commit by another connection would empty the cache of a reader, regardless of its size.
            self.clients["save"] = self.writer(self.change(), think=f"{between(10, 30)}ms")
            self.primary = ["sum.throughput"]
        self.remedy = {"pragmas": {"cache_size": -65536}}

    def plant_text(self):
        """An index exists, but the statement cannot use it, or the table needs another one."""
        pick, between = self.random.choice, self.random.randint
        self.rows, self.width = between(20, 80) * 1000, between(60, 150)
        self.distinct = self.rows // between(20, 60)
        self.indexes = [[self.key]]
        self.label_index = "BINARY"
        forms = ["nocase", "like", "or", "expression", "key"]
        form = self.form = forms[self.number]
        self.arm = pick(
            [
                {"type": "pool", "readers": between(3, 5)},
                {"library": "raw", "journal": "wal", "busy": {"timeout": "5s"}},
            ]
        )
        table, label = self.table, self.label
        select = f"SELECT id, {self.value} FROM {table} WHERE "
        names = [f"Name {n} of {label}" for n in self.random.sample(range(1, self.distinct), 40)]
        self.variables["name"] = {"distribution": "choice", "values": names}
        if form == "like":
            values = [f"name {n} %" for n in self.random.sample(range(1, self.distinct), 40)]
            self.variables["name"] = {"distribution": "choice", "values": values}
        sql = {
            "nocase": select + f"{label} = :name COLLATE NOCASE",
            "like": select + f"{label} LIKE :name",
            "or": select + f"{self.key} = :key OR {self.time} = :time",
            "expression": select + f"upper({label}) = upper(:name)",
            "key": "",
        }[form]
        index = {
            "nocase": f"{label} COLLATE NOCASE",
            "like": f"{label} COLLATE NOCASE",
            "or": self.time,
            "expression": f"upper({label})",
            "key": "parent_id",
        }[form]
        self.wanted = index
        pace = pick([{"arrival": self.arrival(30, 60)}, {"think": f"{between(3, 12)}ms"}])
        if form == "key":
            # An insertion of the same key keeps the number of rows.
            self.arm["pragmas"] = {"foreign_keys": 1}
            steps = [
                {"sql": f"DELETE FROM {self.parent} WHERE id = :free"},
                {"sql": f"INSERT OR IGNORE INTO {self.parent} VALUES (:free, 'again', 3)"},
            ]
            self.variables["free"] = {
                "distribution": "uniform", "min": 1_000_001, "max": 1_000_400
            }
            self.clients["remove"] = self.writer(steps, **pace)
            self.clients["show"] = self.reader(self.point(), think=f"{between(3, 8)}ms")
        else:
            self.clients["find"] = self.reader(sql, workers=between(1, 3), **pace)
            self.clients["save"] = self.writer(self.change(), think=f"{between(8, 20)}ms")
        self.remedy = {"setup": f"CREATE INDEX planted_text ON {table}({index})"}
        if form not in ("nocase", "like", "expression"):
            self.variables.pop("name")

    def batch(self):
        pick, between = self.random.choice, self.random.randint
        self.rows = between(1, 6) * 1000
        self.indexes = [[self.key]]
        self.arm = pick(
            [
                {"library": "raw", "journal": "wal", "synchronous": "full"},
                {"library": "raw", "journal": "delete"},
                {"type": "pool", "readers": between(2, 3), "synchronous": "full"},
            ]
        )
        access = {"access": "write"}
        self.clients["load"] = {**access, "sql": pick([self.insert(), self.change()])}
        if self.number % 2:
            self.clients["show"] = self.reader(self.point(), think=f"{between(4, 10)}ms")
        self.primary = ["load.throughput"]
        self.remedy = None

    def holder(self):
        pick, between = self.random.choice, self.random.randint
        self.rows = between(1, 5) * 1000
        self.indexes = [[self.key, self.time], [self.time]]
        self.arm = pick(
            [
                {"type": "pool", "readers": between(2, 4)},
                {"library": "raw", "journal": "wal", "busy": {"timeout": pick(["100ms", "5s"])}},
            ]
        )
        steps = [
            {"sql": self.change()},
            {"pause": f"{between(250, 900)}ms"},
            {"sql": self.insert()},
        ]
        gap = self.random.uniform(2.5, 4)
        pace = pick(
            [{"arrival": {"rate": f"{1 / gap:.3f}/s"}}, {"think": f"{int(gap * 1000)}ms"}]
        )
        self.clients["sync"] = self.writer(steps, **pace)
        self.clients["save"] = self.writer(self.change(), arrival=self.arrival(10, 30))
        self.clients["show"] = self.reader(self.point(), arrival=self.arrival(20, 60))
        self.remedy = None

    def empty(self):
        pick, between = self.random.choice, self.random.randint
        self.rows = between(1, 5) * 1000
        self.distinct = self.rows // between(5, 20)
        self.indexes = [[self.key, self.time], [self.time]]
        memory = {"cache_size": -between(60, 128) * 1024, "mmap_size": 256 << 20}
        if self.number % 2:
            # The data fits into a cache of the default size.
            memory = {}
            self.rows = between(1, 4) * 1000
        form = ["pool", "pool", "queue", "raw", "pool"][self.number % 5]
        workers = between(2, 4)
        if form == "queue":
            self.arm, workers = {"type": "queue", "journal": "wal"}, 1
        elif form == "raw":
            self.arm = {"library": "raw", "journal": "wal", "busy": {"timeout": "5s"}}
        else:
            self.arm = {"type": "pool", "readers": workers}
        if memory:
            self.arm["pragmas"] = memory
        mix = [
            {"name": "point", "weight": between(2, 6), "sql": self.point()},
            {"name": "latest", "weight": between(1, 4), "sql": self.latest()},
        ]
        pace = pick([{"arrival": self.arrival(80, 400)}, {"think": f"{between(2, 8)}ms"}])
        reader = {"access": "read", "mix": mix, "workers": workers, **pace}
        if form == "queue":
            # One worker both reads and writes, so no access waits for another one.
            mix.append({"name": "save", "access": "write", "weight": 1, "sql": self.change()})
            self.clients["screen"] = {"access": "write", "think": f"{between(2, 8)}ms"}
            for operation in mix[:2]:
                operation["access"] = "read"
            self.clients["screen"]["mix"] = mix
        else:
            self.clients["show"] = reader
            self.clients["save"] = self.writer(self.change(), think=f"{between(8, 25)}ms")

    # Files

    def accepts(self, candidate):
        """Returns whether a candidate is the remedy or has the same effect."""
        change = candidate["change"]
        if self.kind == "index":
            if not change.startswith("CREATE INDEX") or f" ON {self.table} " not in change:
                return False
            columns = [name.strip() for name in change.split("(")[1].split(")")[0].split(",")]
            return columns[: len(self.wanted)] == self.wanted
        if self.kind == "text":
            compact = change.replace(" ", "").lower()
            wanted = f"on{self.table}({self.wanted}".replace(" ", "").lower()
            return wanted in compact
        if self.kind == "batch":
            return "writes in each transaction" in change
        if self.kind == "storm":
            return change.startswith("readers: ") and int(change.split()[1]) > 1
        if self.kind == "journal":
            return "journal: wal" in change or "type: pool" in change
        if self.kind == "upgrade":
            return "begin: immediate" in change
        if self.kind == "cache":
            return "cache_size" in change or "mmap_size" in change
        return False

    def names(self, finding):
        """Returns whether a finding names the cause."""
        kinds = {
            "index": ["slowStatement"],
            "text": ["slowStatement"],
            "upgrade": ["upgrade"],
            "batch": ["smallTransactions"],
            "holder": ["idleTransaction"],
        }.get(self.kind, [])
        if finding["kind"] not in kinds:
            return False
        return self.kind != "holder" or "sync" in finding["text"]

    def build(self, path):
        make = random.Random(f"{self.seed}/rows")
        database = sqlite3.connect(path)
        database.execute(f"PRAGMA page_size = {self.page_size}")
        database.executescript(
            f"CREATE TABLE {self.parent}(id INTEGER PRIMARY KEY, name TEXT, region INTEGER);"
            f"CREATE INDEX {self.parent}_region ON {self.parent}(region);"
            f"CREATE TABLE {self.table}(id INTEGER PRIMARY KEY, {self.key} INTEGER NOT NULL, "
            f"{self.time} INTEGER NOT NULL, {self.value} INTEGER NOT NULL, {self.text} TEXT);"
        )
        database.executemany(
            f"INSERT INTO {self.parent} VALUES (?, ?, ?)",
            ((i, f"name {i}", i % 40) for i in range(1, self.distinct + 1)),
        )
        letters = "abcdefghijklmnopqrstuvwxyz     "
        database.executemany(
            f"INSERT INTO {self.table} VALUES (?, ?, ?, ?, ?)",
            (
                (
                    i,
                    make.randint(1, self.distinct),
                    make.randint(1, 1_000_000),
                    make.randint(0, 999),
                    "".join(make.choices(letters, k=make.randint(self.width // 2, self.width))),
                )
                for i in range(1, self.rows + 1)
            ),
        )
        if self.kind == "text":
            parents = f"REFERENCES {self.parent}(id)"
            database.execute(f"ALTER TABLE {self.table} ADD COLUMN {self.label} TEXT")
            database.execute(f"ALTER TABLE {self.table} ADD COLUMN parent_id INTEGER {parents}")
            database.execute(
                f"UPDATE {self.table} SET {self.label} = 'Name ' || {self.key} || "
                f"' of {self.label}', parent_id = {self.key}"
            )
            database.execute(
                f"CREATE INDEX {self.table}_{self.label} ON {self.table}({self.label})"
            )
            database.executemany(
                f"INSERT INTO {self.parent} VALUES (?, 'free', 3)",
                ((i,) for i in range(1_000_001, 1_000_401)),
            )
        for columns in self.indexes:
            name = f"{self.table}_{'_'.join(columns)}"
            database.execute(f"CREATE INDEX {name} ON {self.table}({', '.join(columns)})")
        # Without statistics, ANALYZE could also be a remedy.
        database.execute("ANALYZE")
        database.commit()
        database.close()

    def scenario(self, file):
        def uniform(most):
            return {"distribution": "uniform", "min": 1, "max": most}

        repaired = {**self.arm, **(self.remedy or {})}
        scenario = {
            "version": 1,
            "name": self.name,
            "seed": self.seed,
            "dataset": {"file": file},
            "arms": {"app": self.arm, **({"repaired": repaired} if self.remedy else {})},
            "phases": [
                {"name": "warm-up", "duration": "1s", "measure": False},
                {"name": "steady", "duration": "10s"},
            ],
            "drain": "1s",
            "variables": {
                "id": uniform(self.rows),
                "key": uniform(self.distinct),
                "time": uniform(999_000),
                "region": uniform(39),
                **self.variables,
            },
            "clients": self.clients,
        }
        if self.primary:
            scenario["primary"] = self.primary
        return scenario


def gain(pair):
    """Returns how many times better the second arm is."""
    ratio = max(pair.get("ratio") or 1, 1e-9)
    return 1 / ratio if pair["lowerIsBetter"] else ratio


def strongest(pairs, floors):
    """Returns the effect and the noise floor of the pair that exceeds its floor the most."""
    best = (1.0, None, -1.0)
    for pair in pairs:
        floor = floors.get(pair["metric"])
        effect = gain(pair)
        if floor and effect > 1:
            margin = math.log(effect) - 2 * math.log(max(floor, 1.0001))
            if best[1] is None or margin > best[2]:
                best = (effect, floor, margin)
    return best[0], best[1]


def read_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def measure(case, options, folder, seed=None):
    database = os.path.join(folder, "app.sqlite")
    case.build(database)
    path = os.path.join(folder, "scenario.yaml")
    # JSON is valid YAML.
    pathlib.Path(path).write_text(json.dumps(case.scenario("app.sqlite"), indent=1))
    before = os.getloadavg()[0]
    start = time.monotonic()
    command = [options.binary, "advise", path, "--arm", "app", "--within", options.within]
    if seed is not None:
        command += ["--seed", str(seed)]
    done = subprocess.run(
        command + ["--format", "json", "--progress", "never"], capture_output=True, text=True
    )
    seconds = time.monotonic() - start
    advice = read_json(done.stdout)
    row = {
        "case": case.name,
        "kind": case.kind,
        "seconds": round(seconds, 1),
        "load": [round(before, 2), round(os.getloadavg()[0], 2)],
        "exit": done.returncode,
        "arm": case.arm,
        "remedy": case.remedy,
        "megabytes": round(os.path.getsize(database) / 1e6, 1),
        "advice": advice,
    }
    if advice is None:
        row.update(result="failed", error=done.stderr.strip()[-500:])
        return row
    advice.pop("environment", None)
    found = [
        c
        for c in advice["candidates"]
        if c["verdict"] == "recommended" and not c["weakensDurability"]
    ]
    row["recommended"] = [c["name"] for c in found]
    floors = advice.get("noiseFloor") or {}
    if case.kind == "empty":
        row["result"] = "false" if found else "clean"
        if found:
            row["effect"], row["floor"] = strongest(found[0]["confirmed"], floors)
        return row
    remedies = [c for c in found if case.accepts(c)]
    named = any(case.names(finding) for finding in advice.get("findings") or [])
    row["named"] = named or bool(remedies)
    if seed is not None:
        row["result"] = "found" if remedies else "missed"
        return row
    row["result"] = "found" if remedies else "named" if named else "missed"
    row["findings"] = [f["text"] for f in advice.get("findings") or []]
    if remedies:
        row["effect"], row["floor"] = strongest(remedies[0]["confirmed"], floors)
    if case.remedy is None:
        # No arm of the scenario repairs it.
        row["counts"] = True
        return row
    if not row.get("floor"):
        row["effect"], row["floor"] = verify(case, path, options)
        row["verified"] = True
    effect, floor = row["effect"], row["floor"]
    row["counts"] = bool(floor) and math.log(effect) >= 2 * math.log(floor)
    return row


def verify(case, path, options):
    """Compares the flawed arm with the repaired arm."""
    command = [options.binary, "compare", path, "--arms", "app,repaired", "--blocks", "8"]
    command += ["--duration", "1s", "--format", "json", "--progress", "never"]
    if case.kind == "upgrade":
        # By default, errors do not decide a comparison.
        command += ["--primary", "pay.errors.rate"]
    comparison = read_json(subprocess.run(command, capture_output=True, text=True).stdout)
    if comparison is None:
        return 1.0, None
    pairs = [p for p in comparison["pairs"] if p["primary"]]
    return strongest(pairs, comparison["noiseFloor"])


def show(row):
    effect = f"{row['effect']:.2f}" if row.get("effect") else "-"
    floor = f"{row['floor']:.2f}" if row.get("floor") else "-"
    blocks = (row.get("advice") or {}).get("blocks", 0)
    late = " late" if row.get("late") else ""
    weak = "" if row.get("counts", True) else " (effect below twice the floor)"
    print(
        f"{row['case']:<11}{row['kind'] if row['kind'] != 'empty' else '-':<9}"
        f"{row['result']:<8}{effect:>8}{floor:>7}{row['seconds']:>8.1f}{blocks:>7}"
        f"  {row['load'][0]:.1f}-{row['load'][1]:.1f}  "
        + ", ".join(row.get("recommended", []))
        + weak
        + late
        + (" " + row["error"] if row.get("error") else ""),
        flush=True,
    )


def compare_seeds(options):
    """Shows how often the first recommendation of a case is the same with other seeds."""
    rows = []
    if options.resume and os.path.exists(options.resume):
        rows = [json.loads(line) for line in open(options.resume)]
    seeds = range(options.seed + 1, options.seed + 1 + options.seeds)
    rows = [row for row in rows if row.get("seed") in seeds]
    done = {(row["kind"], row["seed"]) for row in rows}
    same = total = 0
    for kind in KINDS:
        if options.only and kind not in options.only.split(","):
            continue
        case = Case(options.seed, kind, 0)
        if kind == "holder":
            sync = case.clients["sync"]
            sync.pop("think", None)
            sync["arrival"] = {"rate": "0.25/s"}
        for seed in seeds:
            if (kind, seed) in done:
                continue
            with tempfile.TemporaryDirectory() as folder:
                row = measure(case, options, folder, seed)
            row["seed"] = seed
            row["first"] = first_recommendation(row)
            rows.append(row)
            if options.resume:
                with open(options.resume, "a") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"{kind:<10}{seed:<8}{row['seconds']:>6.1f} s  {row['first']}", flush=True)
        found = [row["first"] for row in rows if row["kind"] == kind]
        same += max(found.count(first) for first in found)
        total += len(found)
    print(f"\nthe same first recommendation: {same} of {total}")


def first_recommendation(row):
    if row["result"] == "failed":
        return f"failed with seed {row['seed']}"
    if row.get("recommended"):
        return row["recommended"][0]
    findings = (row.get("advice") or {}).get("findings") or []
    return "finding: " + findings[0]["kind"] if findings else "none"


def summary(rows):
    planted = [r for r in rows if r["kind"] != "empty"]
    counted = [r for r in planted if r.get("counts")]
    found = [r for r in counted if r["result"] == "found" or r["kind"] == "holder" and r["named"]]
    named = [r for r in counted if r.get("named")]
    empty = [r for r in rows if r["kind"] == "empty"]
    wrong = [r for r in empty if r["result"] != "clean"]
    late = [r for r in rows if r.get("late")]
    print(f"\nfound {len(found)} of {len(counted)} whose effect is at least twice the noise floor")
    print(f"named {len(named)} of {len(counted)}")
    for kind in KINDS:
        own = [r for r in counted if r["kind"] == kind]
        if own:
            hits = sum(r in found for r in own)
            names = sum(bool(r.get("named")) for r in own)
            print(f"  {kind:<9}{hits} of {len(own)}, named {names}")
    print(f"not counted: {len(planted) - len(counted)}")
    print(f"false recommendations: {len(wrong)} of {len(empty)}")
    print(f"longer than the limit and {MARGIN:.0f} s: {len(late)} of {len(rows)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", default=".build/release/poolgauge")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, help="stop after this number of cases")
    parser.add_argument("--only", help="run only cases that have one of these words in their names")
    parser.add_argument("--within", default="60s")
    parser.add_argument("--resume", help="a file of JSON lines to continue")
    parser.add_argument("--keep", help="write the databases and scenarios to this folder and run nothing")
    parser.add_argument("--list", action="store_true", help="show the cases and run nothing")
    parser.add_argument("--seeds", type=int, help="run one case of each kind with N seeds each")
    options = parser.parse_args()
    if options.seeds:
        compare_seeds(options)
        return
    # The order alternates, so that an incomplete run covers all kinds.
    order = []
    for number in range(max(VARIANTS, EMPTY // 2)):
        if number < VARIANTS:
            order += [(kind, number) for kind in KINDS]
        order += [("empty", 2 * number), ("empty", 2 * number + 1)]
    cases = [Case(options.seed, kind, number) for kind, number in order]
    if options.only:
        words = options.only.split(",")
        cases = [c for c in cases if any(w in c.name for w in words)]
    cases = cases[: options.cases]
    if options.list or options.keep:
        for case in cases:
            print(case.name, json.dumps({"arm": case.arm, "clients": case.clients}))
            if options.keep:
                folder = pathlib.Path(options.keep, case.name)
                folder.mkdir(parents=True)
                case.build(str(folder / "app.sqlite"))
                text = json.dumps(case.scenario("app.sqlite"), indent=1)
                (folder / "scenario.yaml").write_text(text)
        return
    rows = []
    if options.resume and os.path.exists(options.resume):
        rows = [json.loads(line) for line in open(options.resume)]
    limit = float(options.within.rstrip("s"))
    print(
        f"{'case':<11}{'planted':<9}{'result':<8}{'effect':>8}{'floor':>7}{'seconds':>8}"
        f"{'blocks':>7}  load     recommended",
        flush=True,
    )
    for row in rows:
        show(row)
    done = {row["case"] for row in rows}
    for case in cases:
        if case.name in done:
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = measure(case, options, folder)
        row["late"] = row["seconds"] > limit + MARGIN
        rows.append(row)
        show(row)
        if options.resume:
            with open(options.resume, "a") as file:
                file.write(json.dumps(row) + "\n")
    summary(rows)
    sys.exit(any(row["result"] == "failed" for row in rows))


if __name__ == "__main__":
    main()
