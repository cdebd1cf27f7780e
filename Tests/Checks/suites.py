#!/usr/bin/env python3
"""Runs the test suites of libraries that use SQLite heavily, with and without Poolgauge.

    suites.py POOLGAUGE [SUITE…] [--python PATH] [--scratch FOLDER]

The suites are those of sqlite-utils and of Django (for SQLite), which pip downloads, and of apsw. Each runs
alone, and then as `poolgauge top -- COMMAND`. The exit status and the numbers of tests that passed, failed,
and were skipped must be the same. --python specifies an interpreter with django, sqlite-utils, apsw,
hypothesis, and pytest.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

DJANGO = ["backends", "queries", "transactions", "transaction_hooks", "aggregation", "expressions",
          "lookup", "migrations", "schema", "bulk_create", "delete", "get_or_create", "introspection",
          "inspectdb", "model_fields", "select_for_update", "sessions_tests", "cache", "custom_lookups",
          "annotations", "basic", "fixtures", "indexes", "constraints"]


def source(python, package, scratch):
    """Downloads and unpacks the source of a package in the version that is installed."""
    version = subprocess.run(
        [python, "-c", f"from importlib.metadata import version; print(version('{package}'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
    prefix = f"{package.replace('-', '_').lower()}-{version}"
    if not (scratch / prefix).exists():
        subprocess.run(
            [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
             "--dest", scratch, f"{package}=={version}"], check=True,
        )
        archive = next(scratch.glob(f"{prefix}.tar.gz"))
        subprocess.run(["tar", "--extract", "--file", archive, "--directory", scratch], check=True)
    return scratch / prefix


def suites(python, scratch):
    yield "sqlite-utils", lambda: (
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], source(python, "sqlite-utils", scratch))
    yield "apsw", lambda: ([python, "-m", "apsw.tests"], scratch)
    yield "django", lambda: (
        [python, "runtests.py", "--settings=test_sqlite", "--parallel=1", *DJANGO],
        source(python, "django", scratch) / "tests")


def summary(output):
    """The lines with the numbers of tests, without times."""
    lines = [line for line in output.splitlines()
             if re.search(r"^(Ran \d+ tests|OK|FAILED \(|=*\s*\d+ (passed|failed))", line)]
    failed = sorted(set(re.findall(r"^(?:FAIL|ERROR|FAILED):? (\S+)", output, re.M)))
    return [re.sub(r"\s*in [\d.:()s ]+", "", line).strip("= ") for line in lines[-3:]] + failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--scratch", type=pathlib.Path)
    options = parser.parse_args()
    scratch = (options.scratch or pathlib.Path(tempfile.mkdtemp(prefix="suites-"))).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, prepare in suites(options.python, scratch):
        if options.suites and name not in options.suites:
            continue
        command, folder = prepare()
        results = []
        for prefix in ([], [options.binary, "top", "--format", "json", "--"]):
            start = time.monotonic()
            done = subprocess.run(
                [*prefix, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                stdin=subprocess.DEVNULL, errors="replace",
            )
            results.append((done.returncode, summary(done.stdout)))
            print(f"{name}: exit status {done.returncode}, {time.monotonic() - start:.1f} s, {summary(done.stdout)}", flush=True)
            (scratch / f"{name}-{len(results)}.log").write_text(done.stdout)
        counted = 0
        for text in re.findall(r'^\{"blocked".*$', done.stdout, re.M):
            counted += sum(s["calls"] for s in json.loads(text).get("statements") or [])
        same = results[0] == results[1]
        wrong += not same
        print(("same: " if same else "DIFFERENT: ") + f"{name}, {counted} executions seen", flush=True)
    sys.exit(wrong > 0)


main()
