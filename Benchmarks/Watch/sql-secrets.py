#!/usr/bin/env python3
"""Searches every output of `top --sql` and `capture` for planted secrets. Requires root.

    sql-secrets.py POOLGAUGE [--seconds S]

A program executes statements with secrets in literals, comments, double-quoted strings, bound
values, lists, blobs, `PRAGMA key`, `PRAGMA rekey`, `ATTACH … KEY` and the key of a URI. One of its
connections waits for a lock of another one, so that its statement appears among the blocked ones.

Without flags, no secret may appear in a report as text or JSON, in a picture of any
screen, in a captured scenario, or in the messages of a command. With `--literals` and `--values`,
literals and values must appear, and keys must not.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import sqlite3, sys, threading, time
path, other = sys.argv[1:3]
def connect(name=path, **options):
    return sqlite3.connect(name, isolation_level=None, timeout=0.1, uri=True, **options)
c = connect()
c.execute("PRAGMA journal_mode = WAL")
c.execute("CREATE TABLE IF NOT EXISTS person(id INTEGER PRIMARY KEY, name TEXT, code)")
keyed = connect("file:" + path + "?key=KEYuri71&hexkey=4b455975")
print("ready", flush=True)
number = 0
while True:
    number += 1
    c.execute("INSERT INTO person(name, code) VALUES('LITtext11', 770012)")
    c.execute("INSERT INTO person(name) VALUES(?)", ("VALtext21",))
    c.execute("INSERT INTO person(code) VALUES(:a)", {"a": 880022.5})
    c.execute("INSERT INTO person(code) VALUES(?)", (b"VALblob23",))
    c.execute("SELECT name FROM person WHERE name IN ('LITlist12', 'LITlist13')").fetchall()
    c.execute('SELECT name FROM person WHERE name = "LITquoted14"').fetchall()
    c.execute("SELECT name /* LITcomment15 */ FROM person -- LITcomment16\\n LIMIT 3").fetchall()
    c.execute("SELECT name FROM person WHERE code = x'4c4954626c6f6231'").fetchall()
    c.execute("SELECT name FROM person WHERE name LIKE 'LITlike17%'").fetchall()
    c.execute("PRAGMA key = 'KEYpragma72'")
    c.execute("PRAGMA rekey = 'KEYpragma73'")
    c.execute("pragma/**/key('KEYpragma74')")
    try:
        c.execute("ATTACH '" + other + "' AS more KEY 'KEYattach75'")
        c.execute("DETACH more")
    except sqlite3.OperationalError: pass
    keyed.execute("SELECT count(*) FROM person WHERE name = 'LITkeyed18'").fetchall()
    if number % 20 == 0:
        c.execute("BEGIN IMMEDIATE")
        c.execute("UPDATE person SET name = 'LITheld19' WHERE id = 1")
        try: keyed.execute("UPDATE person SET name = 'LITblocked20' WHERE id = 2")
        except sqlite3.OperationalError: pass
        c.execute("ROLLBACK")
        c.execute("DELETE FROM person WHERE id > 100")
    time.sleep(0.005)
"""

LITERALS = ["LITtext11", "770012", "LITlist12", "LITlist13", "LITquoted14", "LITcomment15",
            "LITcomment16", "4c4954626c6f6231", "LITblob1", "LITlike17", "LITkeyed18", "LITheld19",
            "LITblocked20"]
VALUES = ["VALtext21", "880022", "VALblob23", "56414c626c6f623233"]
KEYS = ["KEYuri71", "4b455975", "KEYpragma72", "KEYpragma73", "KEYpragma74", "KEYattach75"]


# The keys that open a screen of `top`, and text that the screen contains.
SCREENS = {
    "overview": ("1", "people"), "statements": ("7", "INSERT"), "plan": ("7<Down><Enter>", "instructions"),
    "activity": ("8", "people"), "blocked": ("9", "UPDATE"), "tables": ("5", "person"),
    "help": ("?", "quit"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("tracing requires root")
    misses = outputs = 0
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/people.sqlite"
        # Reports contain the command lines of programs.
        script = folder + "/people.py"
        pathlib.Path(script).write_text(PROGRAM)
        program = subprocess.Popen(
            [sys.executable, script, path, folder + "/more.sqlite"],
            stdout=subprocess.PIPE, text=True,
        )
        program.stdout.readline()

        def check(name, command, files, forbidden, expected=(), needed=""):
            """Runs a command, and searches its output and the files that it writes."""
            nonlocal misses, outputs
            outputs += 1
            done = subprocess.run(
                [options.poolgauge] + command, capture_output=True, timeout=240,
                stdin=subprocess.DEVNULL,
            )
            text = (done.stdout + done.stderr).decode("utf-8", "replace")
            for file in files:
                found = pathlib.Path(file)
                text += found.read_text("utf-8", "replace") if found.exists() else ""
            lower = text.lower()
            leaked = [word for word in forbidden if word.lower() in lower]
            absent = [word for word in expected if word.lower() not in lower]
            isEmpty = needed not in text
            if leaked or absent or isEmpty:
                misses += 1
                print(f"MISS {name}: shows {leaked}, lacks {absent}"
                      + (f", lacks the statements: {text[-800:]}" if isEmpty else ""))
            else:
                print(f"ok   {name}: {len(text):,} characters", flush=True)

        duration = ["--for", f"{options.seconds}s"]
        secrets = LITERALS + VALUES + KEYS
        for form in ["text", "json"]:
            check(f"top, {form}",
                  ["top", path, "--once", "--format", form, "--sql", *duration], [], secrets,
                  needed="UPDATE person SET name = ?")
        for name, (keys, needed) in SCREENS.items():
            for kind in ["txt", "svg"]:
                file = f"{folder}/{name}.{kind}"
                check(f"screen {name}, {kind}",
                      ["top", path, "--sql", "--screenshot", file, "--press", keys,
                       "--after", f"{options.seconds}s", "--size", "160x50"], [file], secrets,
                      needed=needed)
        scenario = folder + "/captured.yaml"
        capture = ["capture", path, *duration, "--output", scenario, "--force", "--check", "1s"]
        check("capture", capture, [scenario], secrets, needed="INSERT INTO person")
        check("capture --literals --values", capture + ["--literals", "--values"], [scenario],
              KEYS, needed="INSERT INTO person")
        check("top --literals --values",
              ["top", path, "--once", "--format", "json", "--sql", "--literals", "--values",
               *duration], [], KEYS, expected=["LITtext11", "VALtext21", "LITlist12"])
        program.kill()
        program.wait()
    print(f"{outputs - misses} of {outputs} outputs as required")
    sys.exit(misses > 0)


main()
