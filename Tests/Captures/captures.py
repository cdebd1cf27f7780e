#!/usr/bin/env python3
"""Compares captured scenarios with the programs' own counts. Requires root, and PyYAML.

    captures.py POOLGAUGE [PROGRAM…] [--list] [--seconds S] [--scratch FOLDER] [--keep]

Each program runs a mix of transactions at a steady pace for the time of a capture, and counts them, their
failures, and their rows. It measures their time, and how long they hold the write lock. `capture` must
say that the scenario is faithful. `poolgauge run` then runs the scenario, and the counts of this run must
be those of the program: rates, failures (within 3 points), rows, the median time of the transactions that
write, and the time in write transactions, within 10% and chance (two standard errors of the counts).
Medians below 2 ms may also differ by 0.2 ms, because those of the program contain its language.

The speed of a machine changes, so that a program can differ from itself by more than 10%. Each program
therefore runs twice, before and after the run of the scenario. Times between those of its two runs are
right, unless the two differ by more than half. A line that starts with "itself:" says where they differ
by more than a scenario may.

Programs that are not installed are skipped, with a line that starts with "skipped:".
"""

import argparse
import json
import math
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import yaml

ITEMS, SHOPS = 20000, 200
WORDS = "lamp cable screen paper printer window door garden river bridge".split()
LOOKUP = "SELECT title, price FROM item WHERE id = ?"
LISTING = "SELECT id, title FROM item WHERE shop = ? ORDER BY id"
PURCHASE = "INSERT INTO purchase (item, amount) VALUES (?, ?)"
STOCK = "UPDATE item SET stock = stock - 1 WHERE id = ?"
SCHEMA = f"""
CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER, title TEXT, price INTEGER, stock INTEGER);
CREATE INDEX item_shop ON item (shop);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, item INTEGER, amount INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ITEMS})
INSERT INTO item SELECT i, i % {SHOPS}, 'item number ' || i, i % 90, 1000000 FROM n;
"""
# Calls `lookup(key)`, `list(shop)`, and `order(key, pause)`, which return the number of rows, every 20, 100,
# and 100 ms, and prints the counts. `order` calls `pause` in its transaction, and returns the
# time in which it held the lock.
PACE = """
import json, random, sys, time
from time import perf_counter as now

def measure(kinds, seconds):
    # `kinds`: the period, and a function that returns the rows, the seconds in a write transaction, and
    # whether it failed. The time of a writing kind is that of its transaction, which follows if it began
    # before the lock was held.
    found = {kind: {"count": 0, "failures": 0, "rows": 0, "lock": 0, "times": []} for kind in kinds}
    start = now()
    due = {kind: start + 0.003 * i for i, kind in enumerate(kinds)}
    while True:
        kind = min(due, key=due.get)
        if due[kind] - start >= seconds: break
        time.sleep(max(0, due[kind] - now()))
        due[kind] += kinds[kind][0]
        before = now()
        rows, lock, failed, *whole = kinds[kind][1]()
        row = found[kind]
        if not failed: row["times"].append(whole[0] if whole else lock or now() - before)
        row["count"] += 1
        row["rows"] += rows
        row["lock"] += lock
        row["failures"] += failed
    for row in found.values():
        row["times"].sort()
        row["p50"] = row["times"][len(row["times"]) // 2]
        del row["times"]
        row["seconds"] = now() - start
    return found

path, seconds = sys.argv[1], float(sys.argv[2])
key = lambda: random.randint(1, ITEMS)
"""

ENDING = """
print("ready", flush=True)
kinds = {
    "lookup": (0.02, lambda: (lookup(key()), 0, 0)),
    "list": (0.1, lambda: (list_(random.randrange(SHOPS)), 0, 0)),
    "order": (0.1, lambda: (0, order(key(), lambda: time.sleep(0.003)), 0)),
}
print(json.dumps(measure(kinds, seconds)), flush=True)
"""

DJANGO = PACE + """
import django
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path}})
django.setup()
from django.db import connection, models, transaction

class Item(models.Model):
    shop, title = models.IntegerField(), models.TextField()
    price, stock = models.IntegerField(), models.IntegerField()
    class Meta: app_label, db_table, managed = "shop", "item", False

class Purchase(models.Model):
    item, amount = models.IntegerField(), models.IntegerField()
    class Meta: app_label, db_table, managed = "shop", "purchase", False

def lookup(key): return len(Item.objects.values_list("title", "price").filter(id=key))
def list_(shop): return len(Item.objects.filter(shop=shop).order_by("id"))
def order(key, pause):
    starts = []
    def note(execute, *arguments):
        if arguments[0].startswith(("BEGIN", "INSERT")): starts.append(now())
        return execute(*arguments)
    with connection.execute_wrapper(note), transaction.atomic():
        Purchase.objects.create(item=key, amount=1)
        Item.objects.filter(id=key).update(stock=models.F("stock") - 1)
        pause()
    end = now()
    # BEGIN DEFERRED takes no lock.
    return 1, end - starts[1], 0, end - starts[0]
""" + ENDING.replace("(0, order(key(), lambda: time.sleep(0.003)), 0)", "order(key(), lambda: time.sleep(0.003))")

ALCHEMY = PACE + """
from sqlalchemy import create_engine, event, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

class Base(DeclarativeBase): pass

class Item(Base):
    __tablename__ = "item"
    id: Mapped[int] = mapped_column(primary_key=True)
    shop: Mapped[int]
    title: Mapped[str]
    price: Mapped[int]
    stock: Mapped[int]

class Purchase(Base):
    __tablename__ = "purchase"
    id: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[int]
    amount: Mapped[int]

engine = create_engine("sqlite:///" + path)
starts = []
@event.listens_for(engine, "before_cursor_execute")
def note(*_): starts.append(now())
def lookup(key):
    with Session(engine) as s: return len(s.execute(select(Item.title, Item.price).where(Item.id == key)).all())
def list_(shop):
    with Session(engine) as s: return len(s.scalars(select(Item).where(Item.shop == shop).order_by(Item.id)).all())
def order(key, pause):
    starts.clear()
    with Session(engine) as s:
        s.add(Purchase(item=key, amount=1))
        s.flush()
        s.execute(update(Item).where(Item.id == key).values(stock=Item.stock - 1))
        pause()
        s.commit()
        return now() - starts[0]
""" + ENDING

# Notes with a full-text index, which triggers maintain.
FTS = PACE + """
import sqlite3
c = sqlite3.connect(path, isolation_level=None)
def search():
    return len(c.execute("SELECT rowid, snippet(note_text, 0, '[', ']', '…', 8) FROM note_text "
        "WHERE note_text MATCH ? ORDER BY rank LIMIT 20", (random.choice(WORDS),)).fetchall()), 0, 0
def add():
    start = now()
    c.execute("BEGIN IMMEDIATE")
    c.execute("INSERT INTO note (body) VALUES (?)", (" ".join(random.choices(WORDS, k=30)),))
    time.sleep(0.004)
    c.execute("COMMIT")
    return 0, now() - start, 0
print("ready", flush=True)
kinds = {"search": (0.05, search), "add": (0.1, add)}
print(json.dumps(measure(kinds, seconds)), flush=True)
"""
FTS_SCHEMA = """
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
CREATE VIRTUAL TABLE note_text USING fts5(body, content='note', content_rowid='id');
CREATE TRIGGER note_insert AFTER INSERT ON note BEGIN
  INSERT INTO note_text (rowid, body) VALUES (new.id, new.body);
END;
"""

# A job that holds the write lock for 400 ms every 4 s, and a program that waits at most 200 ms for it.
HOLDER = PACE + """
import sqlite3, threading
def job(found):
    c = sqlite3.connect(path, isolation_level=None, timeout=5)
    def sync():
        start = now()
        c.execute("BEGIN IMMEDIATE")
        c.execute("UPDATE item SET price = price + 1 WHERE id BETWEEN 1 AND 50")
        time.sleep(0.4)
        c.execute("COMMIT")
        return 0, now() - start, 0
    found.update(measure({"sync": (4, sync)}, seconds))
def program(found):
    c = sqlite3.connect(path, isolation_level=None, timeout=0.2)
    def order():
        try:
            start = now()
            c.execute("BEGIN IMMEDIATE")
            c.execute("INSERT INTO purchase (item, amount) VALUES (?, ?)", (key(), 1))
            time.sleep(0.002)
            c.execute("COMMIT")
            return 0, now() - start, 0
        except sqlite3.OperationalError:
            return 0, 0, 1
    lookup = lambda: (len(c.execute("SELECT title, price FROM item WHERE id = ?", (key(),)).fetchall()), 0, 0)
    found.update(measure({"order": (0.05, order), "lookup": (0.02, lookup)}, seconds))
print("ready", flush=True)
found = {}
threads = [threading.Thread(target=target, args=(found,)) for target in (job, program)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(found), flush=True)
"""

RUBY = r"""
require 'sinatra/base'
require 'rack/mock'
require 'sqlite3'
require 'json'
PATH, SECONDS = ARGV[0], ARGV[1].to_f
ARGV.clear
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
DB = SQLite3::Database.new(PATH)
$lock = 0.0
class Shop < Sinatra::Base
  set :environment, :production
  get('/item/:id') { DB.execute(LOOKUP, [params[:id].to_i]).to_json }
  get('/shop/:id') { DB.execute(LISTING, [params[:id].to_i]).to_json }
  post '/order/:id' do
    $start = now
    DB.transaction(:immediate) do
      DB.execute(PURCHASE, [params[:id].to_i, 1])
      DB.execute(STOCK, [params[:id].to_i])
      sleep 0.003
    end
    $last = now - $start
    $lock += $last
    '[]'
  end
end
browser = Rack::MockRequest.new(Shop)
KINDS = {
  'lookup' => [0.02, -> { browser.get("/item/#{rand(1..ITEMS)}") }],
  'list' => [0.1, -> { browser.get("/shop/#{rand(SHOPS)}") }],
  'order' => [0.1, -> { browser.post("/order/#{rand(1..ITEMS)}") }],
}
KINDS.each_value { |_, act| raise 'failed' unless act.call.ok? }
$lock = 0.0
puts 'ready'
$stdout.flush
found = KINDS.to_h { |kind, _| [kind, { count: 0, failures: 0, rows: 0, lock: 0.0, times: [] }] }
start = now
due = KINDS.keys.each_with_index.to_h { |kind, i| [kind, start + 0.003 * i] }
loop do
  kind, at = due.min_by { |_, time| time }
  break if at - start >= SECONDS
  sleep [0, at - now].max
  due[kind] += KINDS[kind][0]
  before = now
  answer = KINDS[kind][1].call
  row = found[kind]
  row[:times] << (kind == 'order' ? $last : now - before)
  row[:count] += 1
  row[:rows] += JSON.parse(answer.body).size
end
found['order'][:lock] = $lock
found.each_value do |row|
  row[:p50] = row.delete(:times).then { |times| times.sort[times.size / 2] }
  row[:seconds] = now - start
end
puts found.to_json
"""

NODE = r"""
const { DatabaseSync } = require('node:sqlite');
const { setTimeout: sleep } = require('node:timers/promises');
const [, , path, seconds] = process.argv;
const now = () => performance.now() / 1000;
const db = new DatabaseSync(path);
const [read, many, insert, update] = [LOOKUP, LISTING, PURCHASE, STOCK].map((text) => db.prepare(text));
const key = () => 1 + Math.floor(Math.random() * ITEMS);
const kinds = {
  lookup: [0.02, async () => [read.all(key()).length, 0]],
  list: [0.1, async () => [many.all(Math.floor(Math.random() * SHOPS)).length, 0]],
  order: [0.1, async () => {
    const id = key();
    const start = now();
    db.exec('BEGIN IMMEDIATE');
    insert.run(id, 1);
    update.run(id);
    await sleep(3);
    db.exec('COMMIT');
    return [0, now() - start];
  }],
};
(async () => {
  console.log('ready');
  const found = {}, due = {}, start = now();
  Object.keys(kinds).forEach((kind, i) => {
    found[kind] = { count: 0, failures: 0, rows: 0, lock: 0, times: [] };
    due[kind] = start + 0.003 * i;
  });
  for (;;) {
    const kind = Object.keys(due).reduce((a, b) => (due[a] <= due[b] ? a : b));
    if (due[kind] - start >= seconds) break;
    const wait = due[kind] - now();
    if (wait > 0) await sleep(wait * 1000);
    due[kind] += kinds[kind][0];
    const before = now(), [rows, lock] = await kinds[kind][1](), row = found[kind];
    row.times.push(lock || now() - before);
    row.count++;
    row.rows += rows;
    row.lock += lock;
  }
  for (const row of Object.values(found)) {
    row.times.sort((a, b) => a - b);
    row.p50 = row.times[row.times.length >> 1];
    delete row.times;
    row.seconds = now() - start;
  }
  console.log(JSON.stringify(found));
})();
"""

PHP = r"""<?php
[, $path, $seconds] = $argv;
$now = fn() => hrtime(true) / 1e9;
$db = new PDO("sqlite:$path", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
[$read, $many, $insert, $update] = array_map(fn($text) => $db->prepare($text), [LOOKUP, LISTING, PURCHASE, STOCK]);
$rows = function ($statement, $values) {
    $statement->execute($values);
    $count = count($statement->fetchAll());
    $statement->closeCursor();
    return $count;
};
$key = fn() => random_int(1, ITEMS);
$kinds = [
    'lookup' => [0.02, fn() => [$rows($read, [$key()]), 0]],
    'list' => [0.1, fn() => [$rows($many, [random_int(0, SHOPS - 1)]), 0]],
    'order' => [0.1, function () use ($db, $insert, $update, $key, $now) {
        $id = $key();
        $start = $now();
        $db->exec('BEGIN IMMEDIATE');
        $insert->execute([$id, 1]);
        $update->execute([$id]);
        usleep(3000);
        $db->exec('COMMIT');
        return [0, $now() - $start];
    }],
];
echo "ready\n";
$start = $now();
$found = $due = [];
foreach (array_keys($kinds) as $i => $kind) {
    $found[$kind] = ['count' => 0, 'failures' => 0, 'rows' => 0, 'lock' => 0, 'times' => []];
    $due[$kind] = $start + 0.003 * $i;
}
while (true) {
    $kind = array_search(min($due), $due);
    if ($due[$kind] - $start >= $seconds) break;
    $wait = $due[$kind] - $now();
    if ($wait > 0) usleep((int)($wait * 1e6));
    $due[$kind] += $kinds[$kind][0];
    $before = $now();
    [$count, $lock] = $kinds[$kind][1]();
    $found[$kind]['times'][] = $lock ?: $now() - $before;
    $found[$kind]['count']++;
    $found[$kind]['rows'] += $count;
    $found[$kind]['lock'] += $lock;
}
foreach ($found as &$row) {
    sort($row['times']);
    $row['p50'] = $row['times'][intdiv(count($row['times']), 2)];
    unset($row['times']);
    $row['seconds'] = $now() - $start;
}
echo json_encode($found), "\n";
"""

GO = r"""
package main

import (
    "database/sql"
    "encoding/json"
    "fmt"
    "math/rand"
    "os"
    "sort"
    "strconv"
    "time"

    _ "github.com/mattn/go-sqlite3"
)

type row struct {
    Count    int     `json:"count"`
    Failures int     `json:"failures"`
    Rows     int     `json:"rows"`
    Lock     float64 `json:"lock"`
    P50      float64 `json:"p50"`
    Seconds  float64 `json:"seconds"`
    times    []float64
}

func check(err error) {
    if err != nil { panic(err) }
}

func main() {
    seconds, _ := strconv.ParseFloat(os.Args[2], 64)
    db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_txlock=immediate")
    check(err)
    query := func(text string, value int) int {
        rows, err := db.Query(text, value)
        check(err)
        defer rows.Close()
        count := 0
        for rows.Next() {
            var a, b any
            check(rows.Scan(&a, &b))
            count++
        }
        return count
    }
    order := func() (int, float64) {
        id := 1 + rand.Intn(ITEMS)
        start := time.Now()
        tx, err := db.Begin()
        check(err)
        _, err = tx.Exec(PURCHASE, id, 1)
        check(err)
        _, err = tx.Exec(STOCK, id)
        check(err)
        time.Sleep(3 * time.Millisecond)
        check(tx.Commit())
        return 0, time.Since(start).Seconds()
    }
    names := []string{"lookup", "list", "order"}
    periods := []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond}
    acts := []func() (int, float64){
        func() (int, float64) { return query(LOOKUP, 1+rand.Intn(ITEMS)), 0 },
        func() (int, float64) { return query(LISTING, rand.Intn(SHOPS)), 0 },
        order,
    }
    fmt.Println("ready")
    start := time.Now()
    found := make([]row, 3)
    due := make([]time.Time, 3)
    for i := range due { due[i] = start.Add(time.Duration(i) * 3 * time.Millisecond) }
    for {
        kind := 0
        for i := range due { if due[i].Before(due[kind]) { kind = i } }
        if due[kind].Sub(start).Seconds() >= seconds { break }
        time.Sleep(time.Until(due[kind]))
        due[kind] = due[kind].Add(periods[kind])
        before := time.Now()
        rows, lock := acts[kind]()
        taken := lock
        if taken == 0 { taken = time.Since(before).Seconds() }
        found[kind].times = append(found[kind].times, taken)
        found[kind].Count++
        found[kind].Rows += rows
        found[kind].Lock += lock
    }
    all := map[string]row{}
    for i, r := range found {
        sort.Float64s(r.times)
        r.P50, r.Seconds = r.times[len(r.times)/2], time.Since(start).Seconds()
        all[names[i]] = r
    }
    json.NewEncoder(os.Stdout).Encode(all)
}
"""

# Presets with the settings that make their load one that a trace does not change: a closed loop without
# pauses would become slower.
PRESETS = {
    "ycsb-a": [], "ycsb-b": [], "ycsb-d": [], "ycsb-e": [], "ycsb-f": [], "reader-storm": [],
    "list-scrolling": [], "pgbench-tpcb": ["clients.tpcb.think=10ms"],
}

SCRIPTS = {  # the text, the ending, the interpreter, and what shows that it is installed
    "django": (DJANGO, "py", "python", "import django"),
    "sqlalchemy": (ALCHEMY, "py", "python", "import sqlalchemy"),
    "sinatra": (RUBY, "rb", "ruby", "require 'sinatra/base'; require 'sqlite3'"),
    "node": (NODE, "js", "node", "require('node:sqlite')"),
    "php": (PHP, "php", "php", "new PDO('sqlite::memory:');"),
    "go": (GO, "go", "go", None),
    "fts5": (FTS, "py", "python", ""),
    "holder": (HOLDER, "py", "python", ""),
}
CONSTANTS = {
    "LOOKUP": json.dumps(LOOKUP), "LISTING": json.dumps(LISTING), "PURCHASE": json.dumps(PURCHASE),
    "STOCK": json.dumps(STOCK), "WORDS": repr(WORDS), "ITEMS": str(ITEMS), "SHOPS": str(SHOPS),
}
# A trace of these programs sees few of their statements, because probes would slow them down too much.
# So `capture` starts them.
STARTED = ["fts5"]
GO_BUILD = ["go", "build", "-tags", "libsqlite3", "-o"]
GO_ENVIRONMENT = {"GOPATH": "/usr/share/gocode", "GO111MODULE": "off"}

# The first of these texts that a transaction contains names its kind.
MARKS = {
    "order": "purchase", "sync": "between", "add": "insert into note", "search": "match",
    "list": "order by", "lookup": "price",
}


class Failure(Exception):
    pass


def command(name, folder):
    """Returns the command of a program, or None if its language or library is not installed."""
    text, ending, interpreter, test = SCRIPTS[name]
    interpreter = sys.executable if interpreter == "python" else shutil.which(interpreter)
    if not interpreter:
        return None
    if test:
        flag = {"js": "-e", "php": "-r", "rb": "-e", "py": "-c"}[ending]
        if subprocess.run([interpreter, flag, test], capture_output=True).returncode:
            return None
    path = folder / f"program-{name}.{ending}"
    path.write_text(re.sub(r"\b(%s)\b" % "|".join(CONSTANTS), lambda m: CONSTANTS[m[0]], text))
    if ending != "go":
        return [interpreter, str(path)]
    built = folder / "go-program"
    environment = {**os.environ, **GO_ENVIRONMENT}
    done = subprocess.run(
        [*GO_BUILD, str(built), str(path)], env=environment, capture_output=True, text=True
    )
    return None if done.returncode else [str(built)]


def marked(sql):
    """The kind of a transaction with these statements, or None."""
    text = " ".join(sql.lower().split())
    return next((kind for kind, mark in MARKS.items() if mark in text), None)


def texts(step):
    """All SQL below a part of a scenario."""
    if isinstance(step, str):
        return step + " "
    if isinstance(step, list):
        return "".join(map(texts, step))
    if isinstance(step, dict):
        return "".join(texts(value) for value in step.values())
    return ""


def number(text):
    """A number of the table of a capture: a time in seconds, a share, or a count; None if unknown."""
    match = re.fullmatch(r"([\d.,]+)(ns|us|µs|ms|s|m|%|k|M)?", text)
    if not match:
        return None
    scale = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "m": 60, "%": 0.01, "k": 1e3, "M": 1e6}
    return float(match[1].replace(",", "")) * scale.get(match[2], 1)


def capture(binary, path, seconds, output, started=None):
    """Runs `capture`, which can start the program.

    Returns whether it is faithful, the rows of its table, the shares of write transactions, its last
    lines, and the program's output.
    """
    source = ["--", *started] if started else ["--for", f"{seconds}s"]
    done = subprocess.run(
        [binary, "capture", path, "--output", output, "--force", *source],
        capture_output=True, text=True,
    )
    if done.returncode not in (0, 7):
        raise Failure(f"capture: exit status {done.returncode}: {done.stderr[-500:]}")
    rows, share = {}, None
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 10 and number(words[2]) is not None:
            rows[words[0], words[1]] = [number(word) for word in words[2:]]
        found = re.search(r"took ([\d.]+)% .* and ([\d.]+)%", line)
        if found:
            share = float(found[1]) / 100, float(found[2]) / 100
    at = max(done.stdout.rfind("\nfaithful"), done.stdout.rfind("\nnot faithful"))
    return done.returncode == 0, rows, share, done.stdout[at:].strip(), done.stdout


def replay(binary, scenario, path, seconds, folder):
    output = folder / "replay.json"
    output.unlink(missing_ok=True)
    done = subprocess.run(
        [binary, "run", scenario, "--arm", "present", "--duration", f"{seconds}s",
         "--format", "json", "--output", output],
        capture_output=True, text=True,
    )
    if not output.exists():
        raise Failure(f"run: {done.stderr[-500:]}")
    return json.loads(output.read_text())["runs"][0]


def replayed(scenario, run, table):
    """Sums the results of a run, and the rows of a table, by the kinds of the program's transactions."""
    declared = yaml.safe_load(scenario.read_text())
    named = {**declared.get("statements", {}), **declared.get("transactions", {})}
    found = {}
    for client, settings in declared["clients"].items():
        result = run["clients"][client]
        for part in settings.get("mix") or [settings]:
            name = part["use"]
            row = result["operations"][name] if "mix" in settings else result
            kind = marked(texts(named[name]))
            if kind is None:
                raise Failure(f"{client} {name} is no kind of the program: {texts(named[name])[:80]}")
            sums = found.setdefault(
                kind, {"count": 0, "failures": 0, "rows": 0, "p50": 0, "timed": 0, "seconds": run["duration"]}
            )
            failures = sum(row["errors"].values())
            sums["count"] += row["completed"] + failures
            sums["failures"] += failures
            columns = table.get((client, name))
            sums["rows"] += row["completed"] * ((columns[5] or 0) if columns else 0)
            response = row.get("response", {}).get("p50")
            if response is not None:
                lag = row.get("lag", {}).get("p50", 0)
                sums["timed"] += row["completed"]
                sums["p50"] += row["completed"] * max(0, response - lag) / 1e9
    for sums in found.values():
        sums["p50"] = sums["p50"] / sums["timed"] if sums["timed"] else None
    return found


def beyond(values, value, share, smallest):
    """Whether `value` is too far from the range of `values`, or whether these are too far apart."""
    low, high = min(values), max(values)
    if high - low > max(smallest, low / 2):
        return True
    return not low - max(smallest, share * low) <= value <= high + max(smallest, share * high)


def differences(owns, others, share=None):
    """Returns texts about what differs between the runs of a program and a run of its scenario.

    `owns` has the counts of one or two runs. `others` has those of the scenario, and `share` the part of
    its time that write transactions took.
    """
    found = []
    for kind, row in owns[0].items():
        if kind not in others:
            found.append(f"{kind} is missing")
            continue
        run, rows = others[kind], [own[kind] for own in owns]
        rate, other_rate = row["count"] / row["seconds"], run["count"] / run["seconds"]
        chance = 2 * math.sqrt(1 / max(row["count"], 1) + 1 / max(run["count"], 1))
        if abs(other_rate / rate - 1) > 0.1 + chance / 2:
            found.append(f"{kind}: {rate:.2f}/s, replayed {other_rate:.2f}/s")
        failed = row["failures"] / row["count"], run["failures"] / max(1, run["count"])
        if abs(failed[0] - failed[1]) > 0.03:
            found.append(f"{kind}: {failed[0]:.1%} failed, replayed {failed[1]:.1%}")
        returned = row["rows"] / row["count"], run["rows"] / max(1, run["count"])
        if abs(returned[0] - returned[1]) > max(0.05, 0.1 * returned[0]):
            found.append(f"{kind}: {returned[0]:.2f} rows, replayed {returned[1]:.2f}")
        times = [row["p50"] for row in rows]
        # A run states no median of fewer than ten accesses.
        if row["lock"] and run["p50"] and beyond(times, run["p50"], 0.1, 2e-4):
            texts = " and ".join(f"{time * 1000:.3f} ms" for time in times)
            found.append(f"{kind}: p50 {texts}, replayed {run['p50'] * 1000:.3f} ms")
    locks = [sum(row["lock"] / row["seconds"] for row in own.values()) for own in owns]
    # Chance: a few long holds make up most of the time.
    heavy = [row["count"] for row in owns[0].values() if row["lock"] / row["seconds"] > locks[0] / 4]
    chance = 1 / math.sqrt(min(heavy, default=1))
    if share is not None and beyond(locks, share, 0.1 + chance / 2, 0.005):
        texts = " and ".join(f"{lock:.1%}" for lock in locks)
        found.append(f"time in write transactions {texts}, replayed {share:.1%}")
    return found


def themselves(own, again):
    """Returns lines about what differs between two runs of a program."""
    share = sum(row["lock"] / row["seconds"] for row in again.values())
    return ["itself: " + text.replace("replayed", "then") for text in differences([own], again, share)]


def test_program(name, binary, seconds, folder):
    started = command(name, folder)
    if not started:
        return "skipped", []
    path = folder / f"{name}.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode = wal;" + (FTS_SCHEMA if name == "fts5" else SCHEMA))
    if name == "fts5":  # notes like those that the program adds, so that its searches do not slow down
        chance = random.Random(1)
        connection.executemany(
            "INSERT INTO note (body) VALUES (?)",
            ((" ".join(chance.choices(WORDS, k=30)),) for _ in range(3000)),
        )
        connection.commit()
    connection.close()
    scenario = folder / f"{name}.yaml"
    program = lambda length: [*started, str(path), str(length)]
    if name in STARTED:
        faithful, table, share, verdict, output = capture(
            binary, path, seconds, scenario, program(seconds)
        )
        own = next(json.loads(line) for line in output.splitlines() if line.startswith("{"))
    else:
        process = subprocess.Popen(program(seconds + 6), stdout=subprocess.PIPE, text=True)
        try:
            if process.stdout.readline().strip() != "ready":
                raise Failure("the program did not start")
            time.sleep(1)
            faithful, table, share, verdict, _ = capture(binary, path, seconds, scenario)
            own = json.loads(process.communicate(timeout=60)[0])
        finally:
            process.kill()
    run = replay(binary, scenario, path, seconds, folder)
    repeated = subprocess.run(program(seconds), capture_output=True, text=True, timeout=60 + seconds)
    if repeated.returncode:
        raise Failure(f"the program ended with {repeated.returncode}: {repeated.stderr[-500:]}")
    again = json.loads(repeated.stdout.splitlines()[-1])
    found = differences([own, again], replayed(scenario, run, table), share and share[1])
    notes = themselves(own, again)
    return ("right" if faithful and not found else "wrong"), ([] if faithful else [verdict]) + found + notes


def test_preset(name, binary, seconds, folder):
    """The program is `poolgauge run`, whose report contains its own counts."""
    report = folder / f"{name}.json"
    program = subprocess.Popen(
        [binary, "run", name, "--arm", "pool", "--duration", f"{seconds + 6}s", "--format", "json",
         "--output", report, "--keep", *(word for text in PRESETS.get(name, []) for word in ("--set", text))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        path = None
        end = time.monotonic() + 60
        while path is None and time.monotonic() < end:
            time.sleep(0.2)
            for link in pathlib.Path(f"/proc/{program.pid}/fd").iterdir():
                try:
                    target = os.readlink(link)
                except OSError:
                    continue
                if target.endswith("-wal") and str(folder) in target:
                    path = target.removesuffix("-wal")
        if path is None:
            raise Failure("the run opened no database")
        time.sleep(5)  # its warm-up
        scenario = folder / f"{name}-captured.yaml"
        faithful, table, share, verdict, _ = capture(binary, path, seconds, scenario)
        program.wait(timeout=90)
    finally:
        program.kill()
    own = json.loads(report.read_text())["runs"][0]
    run = replay(binary, scenario, path, seconds, folder)
    found = []
    totals = []
    for result in (own, run):
        completed = failed = 0
        for client in result["clients"].values():
            completed += client["completed"]
            failed += sum(client["errors"].values())
        totals.append(((completed + failed) / result["duration"], failed / max(1, completed + failed), completed))
    (rate, failures, count), (other, other_failures, other_count) = totals
    if abs(other / rate - 1) > 0.1 + 1 / math.sqrt(max(1, min(count, other_count))):
        found.append(f"{rate:.1f} accesses/s, replayed {other:.1f}/s")
    if abs(failures - other_failures) > 0.03:
        found.append(f"{failures:.1%} failed, replayed {other_failures:.1%}")
    return ("right" if faithful and not found else "wrong"), ([] if faithful else [verdict]) + found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--scratch", type=pathlib.Path)
    arguments = parser.parse_args()
    names = arguments.programs or [*SCRIPTS, *PRESETS]
    if arguments.list:
        print("\n".join(names))
        return
    counts = {"right": 0, "wrong": 0, "skipped": 0}
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(arguments.scratch or temporary).resolve()
            folder.mkdir(parents=True, exist_ok=True)
            test = test_program if name in SCRIPTS else test_preset
            try:
                result, texts = test(name, arguments.binary, arguments.seconds, folder)
            except (Failure, subprocess.TimeoutExpired, ValueError, KeyError) as error:
                result, texts = "wrong", [f"{type(error).__name__}: {error}"]
        counts[result] += 1
        if result == "skipped":
            print(f"skipped: {name} is not installed", flush=True)
            continue
        print(f"{result}: {name}", flush=True)
        for text in texts:
            print("    " + text.replace("\n", "\n    "), flush=True)
    print(f"{counts['right']} of {counts['right'] + counts['wrong']} right")
    sys.exit(counts["wrong"] > 0 or counts["right"] == 0)


main()
