#!/usr/bin/env python3
"""Measures what the library in started programs costs them.

    started-cost.py POOLGAUGE [PROGRAM…] [--rounds N] [--python PATH] [--values]

Each program repeats its work for a fixed number of times and measures the time with its own clock, in
pairs: alone, and started by `poolgauge top`, which reads the records on another processor. The table shows
the time of one repetition alone, and the medians of the pairs' ratios and differences, with the quartiles.
Programs: `c`, `python`, and `node` read a row by its key, each time in a transaction of its own;
`c-inside` reads in one long transaction; `django` answers requests (5 statements and a template); and
`fts5` searches with rank, which executes statements inside a step.
"""
import argparse
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

C = r"""
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(int count, char **arguments) {
    sqlite3 *db; sqlite3_stmt *s; long repetitions = atol(arguments[2]);
    if (sqlite3_open(arguments[1], &db)) return 1;
    if (count > 4) sqlite3_exec(db, "BEGIN", 0, 0, 0);
    if (sqlite3_prepare_v2(db, "SELECT title, price FROM item WHERE id = ?", -1, &s, 0)) return 1;
    double start = 0;
    for (long i = -1000; i < repetitions; i++) {
        if (i == 0) start = now();
        sqlite3_bind_int64(s, 1, (i * 7919 & 0xfffff) % 20000 + 1);
        while (sqlite3_step(s) == SQLITE_ROW) { sqlite3_column_text(s, 0); sqlite3_column_int(s, 1); }
        sqlite3_reset(s);
    }
    FILE *out = fopen(arguments[3], "w");
    fprintf(out, "%.9f", (now() - start) / repetitions);
    fclose(out);
}
"""
PYTHON = """
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1])
n = int(sys.argv[2])
for i in range(-1000, n):
    if i == 0: start = time.perf_counter()
    c.execute("SELECT title, price FROM item WHERE id = ?", (i * 7919 % 20000 + 1,)).fetchone()
open(sys.argv[3], "w").write(repr((time.perf_counter() - start) / n))
"""
NODE = """
import {DatabaseSync} from 'node:sqlite';
import {writeFileSync} from 'node:fs';
const [path, n, out] = [process.argv[2], +process.argv[3], process.argv[4]];
const c = new DatabaseSync(path);
const s = c.prepare('SELECT title, price FROM item WHERE id = ?');
let start;
for (let i = -20000; i < n; i++) {
  if (i === 0) start = process.hrtime.bigint();
  s.get(Math.abs(i * 7919) % 20000 + 1);
}
writeFileSync(out, String(Number(process.hrtime.bigint() - start) / 1e9 / n));
"""
DJANGO = """
import sys, time
from django.conf import settings
settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="x",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": sys.argv[1]}},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}])
import django
django.setup()
from django.db import models, transaction
from django.http import HttpResponse
from django.template import Context, Engine
from django.test import Client
from django.urls import path
class Item(models.Model):
    shop = models.IntegerField()
    title = models.TextField()
    price = models.IntegerField()
    class Meta:
        app_label, db_table = "shop", "item"
page = Engine().from_string("{% for i in items %}<li>{{ i.title }}: {{ i.price }}</li>{% endfor %}")
def view(request, key):
    item = Item.objects.get(id=key)
    items = list(Item.objects.filter(shop=item.shop).order_by("id")[:20])
    with transaction.atomic():
        count = Item.objects.filter(shop=item.shop).count()
    return HttpResponse(page.render(Context({"items": items, "count": count})))
urlpatterns = [path("<int:key>", view)]
client, n = Client(), int(sys.argv[2])
for i in range(-20, n):
    if i == 0: start = time.perf_counter()
    assert client.get(f"/{i * 7919 % 20000 + 1}").status_code == 200
open(sys.argv[3], "w").write(repr((time.perf_counter() - start) / n))
"""
FTS5 = """
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1])
n = int(sys.argv[2])
words = "lamp cable screen paper printer window door garden river bridge".split()
for i in range(-5, n):
    if i == 0: start = time.perf_counter()
    text = words[i % 10] + " " + words[i * 3 % 7]
    c.execute("SELECT rowid, snippet(note, 0, '', '', '', 8) FROM note WHERE note MATCH ? ORDER BY rank LIMIT 10", (text,)).fetchall()
open(sys.argv[3], "w").write(repr((time.perf_counter() - start) / n))
"""
REPETITIONS = {"c": 60_000, "c-inside": 300_000, "python": 40_000, "node": 60_000, "django": 150, "fts5": 20}


def prepare(path):
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER, title TEXT, price INTEGER);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        "INSERT INTO item SELECT i, i % 200, 'item number ' || i, i % 90 FROM n;"
        "CREATE INDEX item_shop ON item (shop); CREATE VIRTUAL TABLE note USING fts5(body);")
    words = "lamp cable screen paper printer window door garden river bridge".split()
    for i in range(20000):
        text = " ".join(words[(i * k + k // 3) % 10] for k in range(1, 12))
        database.execute("INSERT INTO note VALUES (?)", (text,))
    database.commit()
    database.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("programs", nargs="*", default=list(REPETITIONS))
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--python", default=sys.executable, help="a Python with Django")
    parser.add_argument("--values", action="store_true", help="request the values of parameters")
    options = parser.parse_args()
    print("program    alone           ratio               difference", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        database, out = folder / "app.sqlite", folder / "seconds"
        prepare(database)
        for name, text in [("loop.c", C), ("python.py", PYTHON), ("node.mjs", NODE), ("django_app.py", DJANGO), ("fts5.py", FTS5)]:
            (folder / name).write_text(text)
        commands = {
            "c": [folder / "loop"], "c-inside": [folder / "loop"], "python": [options.python, folder / "python.py"],
            "node": [shutil.which("node") or "node", folder / "node.mjs"],
            "django": [options.python, folder / "django_app.py"], "fts5": [options.python, folder / "fts5.py"],
        }
        if {"c", "c-inside"} & set(options.programs):
            subprocess.run(["cc", "-O2", folder / "loop.c", "-o", folder / "loop", "-lsqlite3"], check=True)
        for program in options.programs:
            command = [*commands[program], database, str(REPETITIONS[program]), out]
            if program == "c-inside":
                command.append("inside")
            more = ["--values"] if options.values else []

            def seconds(started):
                whole = [options.binary, "top", *more, "--", *command] if started else command
                subprocess.run(whole, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                return float(out.read_text())

            pairs = []
            try:
                for number in range(options.rounds):
                    order = [False, True] if number % 2 else [True, False]
                    values = {started: seconds(started) for started in order}
                    pairs.append((values[False], values[True]))
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{program:8} skipped: {error}", flush=True)
                continue
            ratios = [b / a for a, b in pairs]
            extra = [(b - a) * 1e9 for a, b in pairs]
            low, _, high = statistics.quantiles(ratios, n=4)
            print(f"{program:8} {statistics.median(a for a, _ in pairs) * 1e6:9.3f} µs   "
                  f"{statistics.median(ratios):.3f} ({low:.3f}–{high:.3f})   {statistics.median(extra):9.0f} ns", flush=True)


main()
