#!/usr/bin/env python3
"""Compares the drivers with loops that are written in their languages.

    agreement.py POOLGAUGE [DRIVER…] [--rounds N] [--seconds S] [--scratch FOLDER]

Each program runs a closed loop of point reads, or of transactions that update one row, on its own
connection, and measures each access with its own clock. `poolgauge run` runs the same accesses through
the driver, in turn with the program. The table shows medians of ratios: the throughput without the protocol
(as the run states it, an interval), and the p50 of the accesses. Each must be within 10% of the
program's, or within 1 µs per access, which is a few calls in an interpreted language. Both use a file
system in memory if there is one, because a disk needs different times for equal syncs. A run whose protocol takes too much of the time is invalid, and says so;
its loop is not measured. Drivers whose language is not installed are skipped, with a line that
starts with "skipped:".
"""

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

ROWS = 10000
READ = "SELECT name, score FROM item WHERE id = ?"
WRITE = "UPDATE item SET score = score + 1 WHERE id = ?"
PRAGMAS = ["PRAGMA journal_mode = wal", "PRAGMA synchronous = normal"]

SCENARIO = """
version: 1
name: {kind}
seed: 7
dataset:
  sql:
    - CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)
    - >-
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
      INSERT INTO item SELECT i, 'item ' || i, 0 FROM n
arms:
  driver: {{driver: {driver}, journal: wal, synchronous: normal}}
phases:
  - {{name: warm-up, duration: 1s, measure: false}}
  - {{name: steady, duration: {seconds}s}}
variables:
  key: {{distribution: uniform, min: 1, max: {rows}}}
clients:
  loop:
    access: {kind}
    workers: 1
    sql: "{sql}"
"""

# Each program receives the database, the kind, and the seconds, and prints the number of accesses per
# second of their total time and the p50 in nanoseconds. The first second is not counted.
PYTHON = """
import random, sqlite3, statistics, sys
from time import monotonic_ns as now
c = sqlite3.connect(sys.argv[1], isolation_level=None)
for p in PRAGMAS: c.execute(p)
write = sys.argv[2] == "write"
times = []
start = now() + 10**9
end = start + int(float(sys.argv[3]) * 1e9)
after = 0
while after < end:
    key = random.randint(1, ROWS)
    before = now()
    if write:
        c.execute("BEGIN IMMEDIATE").fetchall()
        c.execute(WRITE, (key,)).fetchall()
        c.execute("COMMIT").fetchall()
    else:
        c.execute(READ, (key,)).fetchall()
    after = now()
    if after > start: times.append(after - before)
print(len(times) / (sum(times) / 1e9), statistics.median(times))
"""

NODE = """
const { DatabaseSync } = require('node:sqlite');
const [, , path, kind, seconds] = process.argv;
const db = new DatabaseSync(path);
for (const p of PRAGMAS) db.exec(p);
const read = db.prepare(READ), write = db.prepare(WRITE);
const begin = db.prepare('BEGIN IMMEDIATE'), commit = db.prepare('COMMIT');
const now = () => Number(process.hrtime.bigint());
const start = now() + 1e9, end = start + seconds * 1e9, times = [];
for (let after = 0; after < end;) {
  const key = 1 + Math.floor(Math.random() * ROWS), before = now();
  if (kind === 'write') { begin.all(); write.all(key); commit.all(); } else read.all(key);
  after = now();
  if (after > start) times.push(after - before);
}
times.sort((a, b) => a - b);
console.log(times.length / (times.reduce((a, b) => a + b) / 1e9), times[times.length >> 1]);
"""

RUBY = """
require 'sqlite3'
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
db = SQLite3::Database.new(ARGV[0])
PRAGMAS.each { |p| db.execute(p) }
texts = ARGV[1] == 'write' ? ['BEGIN IMMEDIATE', WRITE, 'COMMIT'] : [READ]
cache = {}
start = now + 10**9
finish = start + (ARGV[2].to_f * 1e9).to_i
times = []
after = 0
while after < finish
  key = rand(1..ROWS)
  before = now
  texts.each do |text|
    next db.execute(text) unless text.include?('?')
    statement = cache[text] ||= db.prepare(text)
    statement.reset!
    statement.bind_params(key)
    statement.to_a
  end
  after = now
  times << after - before if after > start
end
times.sort!
puts "#{times.size / (times.sum / 1e9)} #{times[times.size / 2]}"
"""

PHP = """<?php
[, $path, $kind, $seconds] = $argv;
$db = new PDO("sqlite:$path", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
foreach (PRAGMAS as $p) $db->exec($p);
$texts = $kind === 'write' ? ['BEGIN IMMEDIATE', WRITE, 'COMMIT'] : [READ];
$statements = array_map(fn($text) => $db->prepare($text), $texts);
$start = hrtime(true) + 10**9;
$end = $start + (int)($seconds * 1e9);
$times = [];
for ($after = 0; $after < $end;) {
    $key = random_int(1, ROWS);
    $before = hrtime(true);
    foreach ($statements as $i => $statement) {
        if (str_contains($texts[$i], '?')) $statement->bindValue(1, $key, PDO::PARAM_INT);
        $statement->execute();
        $statement->fetchAll(PDO::FETCH_NUM);
        $statement->closeCursor();
    }
    $after = hrtime(true);
    if ($after > $start) $times[] = $after - $before;
}
sort($times);
echo count($times) / (array_sum($times) / 1e9), ' ', $times[intdiv(count($times), 2)], "\\n";
"""

C = r"""
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static long long now(void) {
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t), t.tv_sec * 1000000000LL + t.tv_nsec;
}
static int ascending(const void *a, const void *b) {
    long long x = *(long long *)a, y = *(long long *)b;
    return x < y ? -1 : x > y;
}
int main(int count, char **arguments) {
    sqlite3 *db;
    sqlite3_stmt *s[3];
    const char *texts[] = {"BEGIN IMMEDIATE", WRITE, "COMMIT"}, *pragmas[] = PRAGMAS;
    int write = !strcmp(arguments[2], "write"), n = write ? 3 : 1;
    if (!write) texts[0] = READ;
    if (sqlite3_open(arguments[1], &db)) return 1;
    for (int i = 0; i < 2; i++) sqlite3_exec(db, pragmas[i], 0, 0, 0);
    for (int i = 0; i < n; i++) if (sqlite3_prepare_v2(db, texts[i], -1, &s[i], 0)) return 2;
    long long start = now() + 1000000000, end = start + (long long)(atof(arguments[3]) * 1e9), after = 0;
    long long *times = malloc(sizeof(long long) * 20000000), found = 0;
    while (after < end) {
        sqlite3_bind_int(s[write], 1, 1 + rand() % ROWS);
        long long before = now();
        for (int i = 0; i < n; i++) { while (sqlite3_step(s[i]) == SQLITE_ROW) {} sqlite3_reset(s[i]); }
        after = now();
        if (after > start && found < 20000000) times[found++] = after - before;
    }
    qsort(times, found, sizeof *times, ascending);
    double sum = 0;
    for (long long i = 0; i < found; i++) sum += times[i];
    printf("%f %lld\n", found / (sum / 1e9), times[found / 2]);
}
"""

GO = """
package main

import (
    "context"
    "database/sql"
    "fmt"
    "math/rand"
    "os"
    "sort"
    "strconv"
    "time"

    _ "github.com/mattn/go-sqlite3"
)

func main() {
    seconds, _ := strconv.ParseFloat(os.Args[3], 64)
    db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_txlock=immediate")
    if err != nil { panic(err) }
    db.SetMaxOpenConns(1)
    for _, p := range []string{PRAGMAS} {
        if _, err := db.Exec(p); err != nil { panic(err) }
    }
    start := time.Now().Add(time.Second)
    end := start.Add(time.Duration(seconds * 1e9))
    times := []int64{}
    background := context.Background()
    for after := time.Now(); after.Before(end); {
        key := 1 + rand.Intn(ROWS)
        before := time.Now()
        connection, err := db.Conn(background)
        if err != nil { panic(err) }
        if os.Args[2] == "write" {
            tx, err := connection.BeginTx(background, nil)
            if err != nil { panic(err) }
            rows, err := tx.QueryContext(background, WRITE, key)
            if err != nil { panic(err) }
            for rows.Next() {
            }
            rows.Close()
            if err := tx.Commit(); err != nil { panic(err) }
        } else {
            rows, err := connection.QueryContext(background, READ, key)
            if err != nil { panic(err) }
            for rows.Next() {
            }
            rows.Close()
        }
        connection.Close()
        after = time.Now()
        if after.After(start) { times = append(times, int64(after.Sub(before))) }
    }
    sort.Slice(times, func(i, k int) bool { return times[i] < times[k] })
    sum := int64(0)
    for _, t := range times { sum += t }
    fmt.Println(float64(len(times))*1e9/float64(sum), times[len(times)/2])
}
"""

JAVA = """
import java.sql.*;
import java.util.*;

class Loop {
    public static void main(String[] arguments) throws Exception {
        boolean write = arguments[1].equals("write");
        Connection c = DriverManager.getConnection("jdbc:sqlite:" + arguments[0]);
        try (Statement s = c.createStatement()) { for (String p : new String[] PRAGMAS) s.execute(p); }
        String[] texts = write ? new String[] {"BEGIN IMMEDIATE", WRITE, "COMMIT"} : new String[] {READ};
        PreparedStatement[] all = new PreparedStatement[texts.length];
        for (int i = 0; i < texts.length; i++) all[i] = c.prepareStatement(texts[i]);
        Random random = new Random();
        long start = System.nanoTime() + 1000000000L, after = 0;
        long end = start + (long) (Double.parseDouble(arguments[2]) * 1e9);
        long[] times = new long[20000000];
        int found = 0;
        while (after < end || after == 0) {
            int key = 1 + random.nextInt(ROWS);
            long before = System.nanoTime();
            for (int i = 0; i < all.length; i++) {
                if (texts[i].contains("?")) all[i].setInt(1, key);
                if (all[i].execute())
                    try (ResultSet rows = all[i].getResultSet()) {
                        while (rows.next()) { rows.getObject(1); rows.getObject(2); }
                    }
            }
            after = System.nanoTime();
            if (after > start && found < times.length) times[found++] = after - before;
        }
        Arrays.sort(times, 0, found);
        long sum = 0;
        for (int i = 0; i < found; i++) sum += times[i];
        System.out.println(found / (sum / 1e9) + " " + times[found / 2]);
    }
}
"""


class Invalid(Exception):
    """The run says that it is invalid, for example because the protocol took too much of the time."""


def constants(text, quote=json.dumps, pragmas="[%s]"):
    """Replaces the names of the constants by literals."""
    values = pragmas % ", ".join(map(json.dumps, PRAGMAS))
    return (
        text.replace("PRAGMAS", values).replace("ROWS", str(ROWS))
        .replace("READ", quote(READ)).replace("WRITE", quote(WRITE))
    )


def program(name, folder):
    """Returns the command of the loop in the language of a driver, or None."""
    needed = {"c": "cc", "java": "javac", "python": "python3"}.get(name, name)
    if not shutil.which(needed):
        return None
    if name == "node" and subprocess.run(
        ["node", "-e", "require('node:sqlite')"], capture_output=True
    ).returncode:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    if name == "c":
        (folder / "loop.c").write_text(constants(C, pragmas="{%s}"))
        build = ["cc", "-O2", "loop.c", "-lsqlite3", "-o", "loop"]
        command = [str(folder / "loop")]
    elif name == "go":
        (folder / "loop.go").write_text(constants(GO, pragmas="%s"))
        build = ["env", "GOPATH=/usr/share/gocode", "GO111MODULE=off", "go", "build", "-tags",
                 "libsqlite3", "-o", "loop", "loop.go"]
        command = [str(folder / "loop")]
    elif name == "java":
        jars = "/usr/share/java/sqlite-jdbc.jar"
        if not pathlib.Path(jars).exists():
            return None
        (folder / "Loop.java").write_text(constants(JAVA, pragmas="{%s}"))
        build = ["javac", "Loop.java"]
        command = ["java", "-cp", f"{folder}:{jars}", "Loop"]
    else:
        text, ending, interpreter = {
            "python": (PYTHON, "py", ["python3"]), "node": (NODE, "js", ["node"]),
            "ruby": (RUBY, "rb", ["ruby"]), "php": (PHP, "php", ["php"]),
        }[name]
        path = folder / f"loop.{ending}"
        path.write_text(constants(text))
        return [*interpreter, str(path)]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print(f"skipped: {name}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return command


def create(path):
    for ending in ("", "-wal", "-shm"):
        pathlib.Path(f"{path}{ending}").unlink(missing_ok=True)
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    c.executemany(
        "INSERT INTO item VALUES (?, ?, 0)", ((i, f"item {i}") for i in range(1, ROWS + 1))
    )
    c.commit()
    c.close()


def through_driver(binary, driver, kind, folder, seconds):
    """Returns the interval of the throughput, the p50, the cost per access, and its share."""
    scenario = folder / f"{driver}-{kind}.yaml"
    sql = (READ if kind == "read" else WRITE).replace("?", ":key")
    scenario.write_text(
        SCENARIO.format(driver=driver, kind=kind, sql=sql, rows=ROWS, seconds=seconds)
    )
    output = folder / "result.json"
    done = subprocess.run(
        [binary, "run", scenario, "--format", "json", "--output", output, "--allow-commands"],
        capture_output=True, text=True, env={**os.environ, "TMPDIR": str(folder)},
    )
    if not output.exists() or done.returncode not in (0, 3, 5):
        sys.exit(f"{driver}: {done.stderr or done.stdout}")
    run = json.loads(output.read_text())["runs"][0]
    output.unlink()
    if done.returncode == 5:
        raise Invalid(run["invalidReason"])
    found, client = run["driver"], run["clients"]["loop"]
    through = found["throughput"]["loop"]
    p50 = client["service"]["p50"]
    return through["low"], through["high"], p50, found["perAccess"], found["share"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("drivers", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--scratch", type=pathlib.Path)
    arguments = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as temporary:
        folder = (arguments.scratch or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        wrong = compared = unknown = 0
        print("                accesses/s                 p50 in µs       protocol")
        print("driver  access  program    driver/program  program  ratio  per access")
        for driver in arguments.drivers or ["c", "go", "java", "node", "php", "python", "ruby"]:
            command = program(driver, folder / driver)
            if not command:
                print(f"skipped: {driver}: the language or its library is not installed")
                continue
            for kind in ("read", "write"):
                own, driven = [], []
                for _ in range(arguments.rounds * 3):
                    if len(driven) == arguments.rounds:
                        break
                    create(folder / "own.sqlite")
                    done = subprocess.run(
                        [*command, folder / "own.sqlite", kind, str(arguments.seconds)],
                        capture_output=True, text=True,
                    )
                    if done.returncode:
                        sys.exit(f"{driver}: {done.stderr}")
                    try:
                        driven.append(
                            through_driver(
                                arguments.binary, driver, kind, folder, arguments.seconds
                            )
                        )
                        own.append([float(word) for word in done.stdout.split()])
                    except Invalid as error:
                        reason = error
                if not driven:
                    unknown += 1
                    print(f"{driver:7} {kind:6} not measured: {reason}", flush=True)
                    continue
                # The speed of a shared machine changes between two runs, so compare pairs.
                pairs = list(zip(own, driven))
                ratio = lambda value: statistics.median(value(*pair) for pair in pairs)
                low, high, time = (
                    ratio(lambda a, b, i=i: b[i] / a[1 if i == 2 else 0]) for i in (0, 1, 2)
                )
                rate, p50 = (statistics.median(row[i] for row in own) for i in (0, 1))
                cost = [statistics.median(row[3][key] for row in driven) for key in ("low", "high")]
                # How much longer an access takes, as nanoseconds.
                slower = ratio(lambda a, b: 1e9 / b[1] - 1e9 / a[0])
                faster = ratio(lambda a, b: 1e9 / a[0] - 1e9 / b[0])
                difference = ratio(lambda a, b: b[2] - a[1])
                is_rate_equal = (low <= 1.1 or faster <= 1000) and (high >= 0.9 or slower <= 1000)
                right = is_rate_equal and (abs(time - 1) <= 0.1 or abs(difference) <= 1000)
                compared, wrong = compared + 1, wrong + (not right)
                print(
                    f"{driver:7} {kind:6} {rate:9.0f}  {low:5.2f} to {high:5.2f}  "
                    f"{p50 / 1000:7.2f}  {time:5.2f}   {cost[0]:5.0f} to {cost[1]:5.0f} ns"
                    f"{'' if right else '   wrong'}",
                    flush=True,
                )
    print(f"{compared - wrong} of {compared} loops agree" + f", {unknown} not measured" * (unknown > 0))
    sys.exit(wrong > 0 or compared == 0)


main()
