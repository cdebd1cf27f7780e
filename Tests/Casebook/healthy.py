#!/usr/bin/env python3
"""Watches programs that have no problem: poolgauge must find nothing above a note.

usage: healthy.py POOLGAUGE [--seconds N] [NAME…]

Each program is a source in one language. A program whose language, library, or browser is not
installed is skipped, and the last line states how many were.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import languages

SCHEMA = """
import os, random, sqlite3, sys, threading, time
path, end = sys.argv[1], time.time() + float(sys.argv[2])
def connect():
    c = sqlite3.connect(path, isolation_level=None, timeout=5, check_same_thread=False)
    c.execute("PRAGMA synchronous = NORMAL")
    return c
def create(mode):
    c = connect()
    c.execute(f"PRAGMA journal_mode = {mode}")
    c.execute("CREATE TABLE IF NOT EXISTS item "
              "(id INTEGER PRIMARY KEY, state TEXT, hits INTEGER, name TEXT)")
    c.execute("CREATE INDEX IF NOT EXISTS item_state ON item (state)")
    c.execute("INSERT OR IGNORE INTO item WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "WHERE i < 500) SELECT i, 'done', 0, 'item ' || i FROM n")
    return c
"""

IDLE = SCHEMA + """
c = create("wal")
c.execute("SELECT * FROM item WHERE id = 1").fetchall()
time.sleep(end - time.time())
"""

WEB = SCHEMA + """
create("wal").close()
def serve():
    c = connect()
    while time.time() < end:
        for _ in range(5):
            c.execute("SELECT * FROM item WHERE id = ?", (random.randint(1, 500),)).fetchall()
        if random.random() < 0.3:
            c.execute("BEGIN IMMEDIATE")
            c.execute("UPDATE item SET hits = hits + 1 WHERE id = ?", (random.randint(1, 500),))
            c.execute("INSERT INTO item (state, hits, name) VALUES ('done', 0, 'new')")
            c.execute("COMMIT")
        time.sleep(random.expovariate(20))
threads = [threading.Thread(target=serve) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
"""

ROLLBACK = SCHEMA + """
c = create("delete")
while time.time() < end:
    with c:
        c.execute("BEGIN IMMEDIATE")
        c.execute("UPDATE item SET hits = hits + 1 WHERE id = ?", (random.randint(1, 500),))
        c.execute("COMMIT")
    c.execute("SELECT count(*) FROM item WHERE state = 'new'").fetchall()
    time.sleep(0.1)
"""

QUEUE = SCHEMA + """
create("wal").close()
worker = os.fork() == 0
c = connect()
while time.time() < end:
    if worker:
        c.execute("BEGIN IMMEDIATE")
        row = c.execute("UPDATE item SET state = 'done' WHERE id = (SELECT id FROM item "
                        "WHERE state = 'new' LIMIT 1) RETURNING id").fetchone()
        c.execute("COMMIT")
        time.sleep(0.01 if row else 0.1)
    else:
        c.execute("INSERT INTO item (state, hits, name) VALUES ('new', 0, 'job')")
        time.sleep(0.05)
if worker: os._exit(0)
"""

SUITE = SCHEMA + """
import unittest
class Tests(unittest.TestCase):
    def setUp(self): self.c = create("wal")
    def tearDown(self):
        self.c.close()
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(path + suffix): os.remove(path + suffix)
    def test_insert(self):
        self.c.execute("INSERT INTO item (state) VALUES ('new')")
        self.assertEqual(self.c.execute("SELECT count(*) FROM item").fetchone()[0], 501)
    def test_unique(self):
        with self.assertRaises(sqlite3.IntegrityError):
            self.c.execute("INSERT INTO item (id) VALUES (1)")
    def test_rollback(self):
        self.c.execute("BEGIN"); self.c.execute("DELETE FROM item"); self.c.execute("ROLLBACK")
        self.assertEqual(self.c.execute("SELECT count(*) FROM item").fetchone()[0], 500)
while time.time() < end:
    unittest.TextTestRunner(stream=open(os.devnull, "w")).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
create("wal")
"""

BACKUP = SCHEMA + """
c = create("wal")
while time.time() < end:
    for _ in range(200):
        c.execute("INSERT INTO item (state, hits, name) VALUES ('done', 0, hex(randomblob(20)))")
        time.sleep(0.02)
    copy = sqlite3.connect(path + ".backup")
    c.backup(copy, pages=50, sleep=0.01)
    copy.close()
    os.remove(path + ".backup")
    c.execute("PRAGMA optimize")
    c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
"""

SEARCH = SCHEMA + """
c = create("wal")
c.execute("CREATE VIRTUAL TABLE text USING fts5(body)")
words = "lock wait page frame read write commit index table row".split()
while time.time() < end:
    c.execute("INSERT INTO text VALUES (?)", (" ".join(random.choices(words, k=20)),))
    c.execute("SELECT rowid FROM text WHERE text MATCH ? ORDER BY rank LIMIT 5",
              (random.choice(words),)).fetchall()
    time.sleep(0.05)
"""

SQLALCHEMY = """
import random, sys, threading, time
from sqlalchemy import *
path, end = sys.argv[1], time.time() + float(sys.argv[2])
engine = create_engine(f"sqlite:///{path}", pool_size=5, connect_args={"timeout": 10})
@event.listens_for(engine, "connect")
def setup(connection, _):
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("PRAGMA synchronous = normal")
meta = MetaData()
item = Table("item", meta, Column("id", Integer, primary_key=True), Column("hits", Integer))
meta.create_all(engine)
with engine.begin() as c: c.execute(insert(item), [{"hits": 0} for _ in range(200)])
def serve():
    while time.time() < end:
        with engine.connect() as c:
            c.execute(select(item).where(item.c.id == random.randint(1, 200))).all()
        if random.random() < 0.2:
            with engine.begin() as c:
                c.execute(update(item).where(item.c.id == random.randint(1, 200))
                          .values(hits=item.c.hits + 1))
        time.sleep(random.expovariate(20))
threads = [threading.Thread(target=serve) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
"""

DJANGO = """
import random, sys, time
import django
from django.conf import settings
path, end = sys.argv[1], time.time() + float(sys.argv[2])
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path,
    "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5,
                "init_command": "PRAGMA journal_mode = wal; PRAGMA synchronous = normal;"}}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField")
django.setup()
from django.db import close_old_connections, connection, models, transaction
class Item(models.Model):
    name = models.TextField(); hits = models.IntegerField(default=0)
    class Meta: app_label = "shop"
with connection.schema_editor() as editor: editor.create_model(Item)
Item.objects.bulk_create([Item(name=f"item {i}") for i in range(200)])
while time.time() < end:
    with transaction.atomic():
        item = Item.objects.get(pk=random.randint(1, 200))
        item.hits += 1
        item.save(update_fields=["hits"])
    list(Item.objects.order_by("-id")[:10])
    connection.close()
    time.sleep(0.05)
"""

PHP = r"""<?php
[$path, $end] = [$argv[1], microtime(true) + $argv[2]];
$c = new PDO("sqlite:$path"); $c->exec("PRAGMA journal_mode = wal");
$c->exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER)");
for ($i = 0; $i < 200; $i++) $c->exec("INSERT INTO item (hits) VALUES (0)");
while (microtime(true) < $end) {
    $c = new PDO("sqlite:$path", null, null, [PDO::ATTR_TIMEOUT => 5]);
    $c->prepare("SELECT * FROM item WHERE id = ?")->execute([random_int(1, 200)]);
    $c->prepare("UPDATE item SET hits = hits + 1 WHERE id = ?")->execute([random_int(1, 200)]);
    $c = null;
    usleep(50000);
}
"""

RUBY = """
require "sqlite3"
path, finish = ARGV[0], Time.now + ARGV[1].to_f
c = SQLite3::Database.new(path)
c.busy_timeout(5000)
c.execute("PRAGMA journal_mode = wal")
c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER)")
200.times { c.execute("INSERT INTO item (hits) VALUES (0)") }
while Time.now < finish
  c.transaction(:immediate) do
    c.execute("UPDATE item SET hits = hits + 1 WHERE id = ?", [rand(1..200)])
  end
  c.execute("SELECT * FROM item WHERE id = ?", [rand(1..200)])
  sleep 0.05
end
"""

NODE = """
const { DatabaseSync } = require("node:sqlite");
const [path, end] = [process.argv[2], Date.now() + 1000 * process.argv[3]];
const c = new DatabaseSync(path);
c.exec("PRAGMA journal_mode = wal; PRAGMA busy_timeout = 5000; " +
       "CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER)");
const insert = c.prepare("INSERT INTO item (hits) VALUES (?)");
for (let i = 0; i < 200; i++) insert.run(0);
const read = c.prepare("SELECT * FROM item WHERE id = ?");
const timer = setInterval(() => {
  read.all(1 + Math.floor(Math.random() * 200));
  insert.run(1);
  if (Date.now() > end) clearInterval(timer);
}, 50);
"""

GO = """
package main
import ("database/sql"; "math/rand"; "os"; "strconv"; "sync"; "time"; _ "github.com/mattn/go-sqlite3")
func main() {
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	end := time.Now().Add(time.Duration(seconds * 1e9))
	db, err := sql.Open("sqlite3", os.Args[1]+"?_journal=WAL&_busy_timeout=5000&_txlock=immediate")
	if err != nil { panic(err) }
	db.SetMaxOpenConns(4)
	db.Exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER)")
	for i := 0; i < 200; i++ { db.Exec("INSERT INTO item (hits) VALUES (0)") }
	var group sync.WaitGroup
	for i := 0; i < 3; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Now().Before(end) {
				var hits int
				db.QueryRow("SELECT hits FROM item WHERE id = ?", 1+rand.Intn(200)).Scan(&hits)
				if rand.Intn(4) == 0 {
					t, err := db.Begin()
					if err != nil { panic(err) }
					t.Exec("UPDATE item SET hits = hits + 1 WHERE id = ?", 1+rand.Intn(200))
					if err := t.Commit(); err != nil { panic(err) }
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
	}
	group.Wait()
}
"""

CRON = """
sqlite3 "$1" "PRAGMA journal_mode = wal; CREATE TABLE item (id INTEGER PRIMARY KEY, at TEXT)"
end=$(($(date +%s) + ${2%.*}))
while [ "$(date +%s)" -lt "$end" ]; do
    sqlite3 -cmd ".timeout 5000" "$1" "INSERT INTO item (at) VALUES (datetime()); SELECT count(*) FROM item"
    sleep 0.3
done
"""


def python(*modules):
    def command(folder, source):
        for module in modules:
            if subprocess.run([sys.executable, "-c", f"import {module}"],
                              capture_output=True).returncode:
                return None
        return [sys.executable, write(folder, "program.py", source)]
    return command


def interpreter(name, file):
    def command(folder, source):
        return [name, write(folder, file, source)] if shutil.which(name) else None
    return command


def node(folder, source):
    program = languages.node()
    return [program, write(folder, "program.js", source)] if program else None


def go(folder, source):
    return languages.command(write(folder, "program.go", source), folder)


def firefox(folder, _):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        return None
    profile = os.path.join(folder, "profile")
    os.mkdir(profile)
    script = f'exec "{program}" --headless --no-remote --profile "{profile}" about:blank\n'
    return ["timeout", "-k", "5", "600", "sh", write(folder, "program.sh", script)]


# name: how it is started, its source, and the database relative to its folder
PROGRAMS = {
    "idle": (python(), IDLE, "app.db"),
    "web": (python(), WEB, "app.db"),
    "rollback": (python(), ROLLBACK, "app.db"),
    "queue": (python(), QUEUE, "app.db"),
    "suite": (python(), SUITE, "app.db"),
    "backup": (python(), BACKUP, "app.db"),
    "search": (python(), SEARCH, "app.db"),
    "sqlalchemy": (python("sqlalchemy"), SQLALCHEMY, "app.db"),
    "django": (python("django"), DJANGO, "app.db"),
    "php": (interpreter("php", "program.php"), PHP, "app.db"),
    "ruby": (interpreter("ruby", "program.rb"), RUBY, "app.db"),
    "node": (node, NODE, "app.db"),
    "go": (go, GO, "app.db"),
    "cron": (interpreter("bash", "program.sh"), CRON, "app.db"),
    "browser": (firefox, "", "profile/places.sqlite"),
}


def write(folder, name, text):
    path = os.path.join(folder, name)
    pathlib.Path(path).write_text(text)
    return path


def watch(name, poolgauge, seconds):
    """Returns None if the program is not installed, else what is wrong, which may be nothing."""
    start, source, database = PROGRAMS[name]
    with tempfile.TemporaryDirectory(prefix=f"healthy-{name}-") as folder:
        command = start(folder, source)
        if command is None:
            return None
        path = os.path.join(folder, database)
        program = subprocess.Popen([*command, path, str(seconds + 15)], cwd=folder,
                                   start_new_session=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        try:
            deadline = time.time() + 30
            while not os.path.exists(path) and time.time() < deadline:
                time.sleep(0.1)
            time.sleep(2)
            result = subprocess.run(
                [poolgauge, "top", path, "--sql", "--for", f"{seconds}s", "--format", "json"],
                capture_output=True, text=True)
            if not result.stdout:
                return ["no report: " + result.stderr.strip()]
            report = json.loads(result.stdout)
            # Before the report, the program must not have failed.
            if program.poll() is not None:
                return [f"the program ended: {program.stderr.read().decode()[-400:]}"]
            wrong = [f"{f['level']} {f['kind']}: {f['text']}" for f in report.get("findings", [])
                     if f.get("level") in ("alarm", "warning")]
            if not report.get("statements") and name not in ("idle", "browser"):
                wrong.append("no statement was seen")
            for f in report.get("findings", []):
                if f.get("level") == "note":
                    print(f"   {name}: note {f['kind']}: {f['text']}", flush=True)
            return wrong
        finally:
            try:
                os.killpg(program.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            program.wait()


def main():
    arguments, seconds = sys.argv[1:], 180
    if "--seconds" in arguments:
        index = arguments.index("--seconds")
        seconds = int(arguments[index + 1])
        del arguments[index:index + 2]
    if not arguments:
        sys.exit(__doc__)
    poolgauge, names = os.path.abspath(arguments[0]), arguments[1:] or list(PROGRAMS)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        sys.exit(f"healthy.py: there is no program {', '.join(unknown)}")
    right = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=5) as pool:
        for name, wrong in zip(names, pool.map(lambda n: watch(n, poolgauge, seconds), names)):
            if wrong is None:
                skipped += 1
                print(f"skipped: {name} is not installed", flush=True)
                continue
            right += not wrong
            print(("✔  " if not wrong else "✖  ") + name, flush=True)
            for line in wrong:
                print("   " + line, flush=True)
    print(f"{right} of {len(names) - skipped} healthy programs without a warning, {skipped} skipped")
    sys.exit(right != len(names) - skipped)


if __name__ == "__main__":
    main()
