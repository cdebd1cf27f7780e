#!/usr/bin/env python3
"""Compares the settings that poolgauge shows with those that programs report themselves.

usage: settings.py POOLGAUGE PROGRAM…

A program is one of those in `PROGRAMS`. Each opens connections to two databases with settings that
are set in different ways, and prints what each connection answers. Then a setting is changed, and
poolgauge must show the change within two seconds.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
LIBRARY = ["-lsqlite3"]
STATIC = ["-l:libsqlite3.a", "-lm"]
DRIVERS = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}


def c(mode, *options):
    def build(folder):
        binary = os.path.join(folder, "program")
        subprocess.run(["gcc", FOLDER / "program.c", "-o", binary, *options], check=True)
        return [binary, mode]
    return build


def go(*options):
    def build(folder):
        binary = os.path.join(folder, "program")
        subprocess.run(["go", "build", *options, "-o", binary, FOLDER / "program.go"], check=True,
                       env={**os.environ, **DRIVERS})
        return [binary]
    return build


def script(*command):
    return lambda _: [*command[:-1], FOLDER / command[-1]]


PROGRAMS = {
    "python": lambda _: ["/usr/bin/python3", FOLDER / "program.py", "sqlite3"],
    "apsw": lambda _: [sys.executable, FOLDER / "program.py", "apsw"],
    "pysqlite3": lambda _: [sys.executable, FOLDER / "program.py", "pysqlite3"],
    "c": c("default", *LIBRARY),
    "c-multi": c("multi", *LIBRARY),
    "c-single": c("single", *LIBRARY),
    "c-static": c("default", *STATIC),
    "c-stripped": c("default", "-s", *STATIC),
    "c-stripped-fixed": c("default", "-s", "-no-pie", *STATIC),
    "c-stripped-single": c("single", "-s", *STATIC),
    "php": script("php", "program.php"),
    "ruby": script("ruby", "program.rb"),
    "go": go(),
    "go-stripped": go("-ldflags=-s -w"),
    "node": script(os.environ.get("NODE", "node"), "program.mjs"),
}
LEVELS = ["off", "normal", "full", "extra"]


def expected(answers):
    """Returns the settings that the report should contain."""
    number = lambda name: None if answers[name] is None else int(answers[name])
    handler, hook = answers["own_handler"], answers["own_hook"]
    return {
        "busyTimeoutMilliseconds": None if handler else number("busy_timeout"),
        "hasOwnBusyHandler": handler,
        "synchronous": LEVELS[number("synchronous")],
        "journalMode": answers["journal_mode"],
        "cacheSize": number("cache_size"),
        # SQLite answers with no row if it was compiled without mappings.
        "mmapBytes": number("mmap_size") if answers["mmap_size"] not in (None, "", "<nil>") else None,
        "autocheckpointFrames": None if hook else number("wal_autocheckpoint"),
        "hasOwnCommitHook": hook,
        "foreignKeys": number("foreign_keys") == 1,
        "keepsLocks": answers["locking_mode"] == "exclusive",
        "sharesCache": answers["shared_cache"],
        "isReadOnly": answers["read_only"],
        "isQueryOnly": number("query_only") == 1,
        "threading": answers["threading"],
    }


def top(poolgauge, path, *options):
    return [poolgauge, "top", path, "--sql", "--format", "json", *options]


def reports(poolgauge, path):
    output = subprocess.run(top(poolgauge, path, "--once", "--for", "1s"), check=True,
                            capture_output=True, text=True).stdout
    return json.loads(output)


def check(name, poolgauge):
    """Returns the numbers of settings that are right and of all, or raises an error."""
    with tempfile.TemporaryDirectory(prefix="settings-") as folder:
        command = PROGRAMS[name](folder)
        paths = [os.path.join(folder, file) for file in ("wal.db", "rollback.db")]
        program = subprocess.Popen([*command, *paths], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        try:
            answers = json.loads(program.stdout.readline())
            found, versions = {}, set()
            for path in paths:
                report = reports(poolgauge, path)
                versions |= {copy.get("version") for copy in report["copies"]}
                for connection in report["connections"]:
                    found[connection["settings"].get("cacheSize")] = connection["settings"]
            right = wrong = 0
            for answer in answers:
                settings = expected(answer)
                shown = found.get(settings["cacheSize"], {})
                for key, value in settings.items():
                    if shown.get(key) == value:
                        right += 1
                    else:
                        wrong += 1
                        print(f"{name}: cache {settings['cacheSize']}: {key} is {value!r}, "
                              f"shown {shown.get(key)!r}")
            delay = change(program, poolgauge, paths[0], expected(answers[0])["cacheSize"])
            print(f"{name} (SQLite {', '.join(map(str, versions))}): {right} of {right + wrong} "
                  f"settings of {len(answers)} connections are right; a change was visible after "
                  f"{delay:.1f} s", flush=True)
            return wrong == 0 and delay < 2
        finally:
            program.kill()
            program.wait()


def change(program, poolgauge, path, cache):
    """Changes a setting, and returns the time until it is visible."""
    follow = subprocess.Popen(top(poolgauge, path, "--follow", "--interval", "0.5s"),
                              stdout=subprocess.PIPE, text=True)
    try:
        started = None
        for line in follow.stdout:
            for connection in json.loads(line)["connections"]:
                settings = connection["settings"]
                if settings.get("cacheSize") == cache and started is None:
                    program.stdin.write("PRAGMA busy_timeout = 2468\n")
                    program.stdin.flush()
                    program.stdout.readline()
                    started = time.monotonic()
                if settings.get("busyTimeoutMilliseconds") == 2468:
                    return time.monotonic() - started
        return float("inf")
    finally:
        follow.kill()
        follow.wait()


def main():
    poolgauge, *names = sys.argv[1:]
    if os.geteuid() != 0:
        print("skipped: tracing needs root")
        return
    results = [check(name, poolgauge) for name in names or PROGRAMS]
    sys.exit(0 if all(results) else 1)


main()
