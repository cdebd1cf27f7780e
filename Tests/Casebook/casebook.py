#!/usr/bin/env python3
"""Runs the casebook: reported problems with SQLite as small programs, which poolgauge must explain.

usage: casebook.py POOLGAUGE [--all | --languages] [--table FILE] [NAME…]

Each case is a Python file in this folder with PROBLEM, REPORTS (links), REMEDY, and VARIATIONS. Its
function `program(path, seconds, variation)` causes the problem, and may print what it counted as
one line of JSON. Its function `check(case)` states what a right answer contains. Without --all,
only the first variation of each case runs. With --languages, the programs in other languages (in the
folder Languages, named after their case) run instead. Several cases run at once.
"""
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import languages

FOLDER = pathlib.Path(__file__).resolve().parent
WATCH = 3.0


class Wrong(Exception):
    """An answer that is not right."""


class Case:
    """One variation of a case, and what poolgauge said about it."""

    def __init__(self, module, variation, poolgauge, source=None):
        self.module, self.variation, self.poolgauge = module, variation, poolgauge
        self.source = source
        self.name = module.NAME + (f" ({variation})" if variation else "")
        self.counts, self.text, self.report = {}, "", {}

    def run(self):
        with tempfile.TemporaryDirectory(prefix="casebook-") as folder:
            path = os.path.join(folder, "app.db")
            seconds = getattr(self.module, "WATCH", WATCH) + (2 if self.source else 0)
            lead = getattr(self.module, "LEAD", 1.5)
            command = languages.command(self.source or self.module.__file__, folder)
            if command is None:
                raise Wrong(f"the language of {self.source.name} is not installed")
            command += [path, str(lead + seconds + 4.5), self.variation]
            program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                       start_new_session=True)
            try:
                time.sleep(lead)
                target = getattr(self.module, "target", lambda path, pid: path)(path, program.pid)
                options = ["top", target, "--once", "--for", f"{seconds}s"]
                if getattr(self.module, "SQL", False):
                    options.append("--sql")
                text = subprocess.Popen([self.poolgauge, *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
                value = subprocess.run([self.poolgauge, *options, "--format", "json"],
                                       capture_output=True, text=True)
                self.text = text.communicate()[0]
                if not value.stdout:
                    raise Wrong("no report: " + value.stderr.strip())
                self.report = json.loads(value.stdout)
                output = program.communicate(timeout=30)[0]
                lines = [line for line in output.splitlines() if line.startswith("{")]
                self.counts = json.loads(lines[-1]) if lines else {}
            finally:
                try:
                    os.killpg(program.pid, 9)
                except ProcessLookupError:
                    pass
                program.wait()
        self.module.check(self)
        self.check_consistency()

    # What a check may ask for

    @property
    def findings(self):
        return self.report.get("findings", [])

    def finding(self, kind, level=None):
        """Returns the only finding of a kind, which the text contains, too."""
        found = [f for f in self.findings if f["kind"] == kind]
        if len(found) != 1:
            kinds = [f["kind"] for f in self.findings]
            raise Wrong(f"expected one finding {kind}, got {kinds}")
        if level and found[0].get("level") != level:
            raise Wrong(f"{kind} has the level {found[0].get('level')}, not {level}")
        return found[0]

    def says(self, *parts):
        """Checks that the text contains parts, ignoring line breaks."""
        text = " ".join(self.text.split())
        for part in parts:
            if part not in text:
                raise Wrong(f"the text does not contain {part!r}:\n{self.text}")

    def never_says(self, *parts):
        text = " ".join(self.text.split())
        for part in parts:
            if part in text:
                raise Wrong(f"the text contains {part!r}:\n{self.text}")

    def statement(self, start):
        """Returns the statement that starts with a text."""
        for statement in self.report.get("statements", []):
            if statement["sql"].startswith(start):
                return statement
        raise Wrong(f"no statement {start!r}")

    def expect(self, condition, message):
        if not condition:
            raise Wrong(message + "\n" + self.text)

    def check_consistency(self):
        """Checks that no two lines contradict each other."""
        if self.findings:
            self.never_says("Nothing unusual")


def load(path):
    name = path.stem.replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.NAME = path.stem
    return module


def attempt(case):
    """Returns None for a right answer, or what is wrong with it."""
    try:
        case.run()
    except Wrong as wrong:
        return str(wrong)
    except Exception as error:  # A case that cannot be run is not right.
        return f"{type(error).__name__}: {error}"
    return None


def page(modules):
    """Returns the page for people who search for their problem."""
    lines = ["# Casebook", "",
             "Reported problems with SQLite, and what `poolgauge top` says about them. Each case is a "
             "program in `Tests/Casebook`,", "which `./test --cases` runs. This page is generated from "
             "the cases: `./test --cases --table docs/Casebook.md`.", ""]
    for module in modules:
        lines += [f"## {module.TITLE}", "", " ".join(module.PROBLEM.split()), "",
                  "*Says:* " + " ".join(module.SAYS.split()), "",
                  "*Remedy:* " + " ".join(module.REMEDY.split()), ""]
        if module.REPORTS:
            lines += ["*Reported:* " + " · ".join(module.REPORTS), ""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    arguments = sys.argv[1:]
    runs_all, runs_languages = "--all" in arguments, "--languages" in arguments
    arguments = [a for a in arguments if a not in ("--all", "--languages")]
    table = None
    if "--table" in arguments:
        index = arguments.index("--table")
        table = arguments[index + 1]
        del arguments[index:index + 2]
    if not arguments:
        sys.exit(__doc__)
    poolgauge, names = arguments[0], arguments[1:]
    files = sorted(p for p in FOLDER.glob("*.py") if p.name not in ("casebook.py", "healthy.py", "languages.py", "support.py"))
    sys.path.insert(0, str(FOLDER))
    modules = [load(path) for path in files]
    if table:
        pathlib.Path(table).write_text(page(modules))
        return
    unknown = set(names) - {m.NAME for m in modules}
    if unknown:
        sys.exit(f"casebook: there is no case {', '.join(sorted(unknown))}")
    cases = []
    for module in modules:
        if names and module.NAME not in names:
            continue
        if runs_languages:
            for source in sorted(FOLDER.glob(f"Languages/{module.NAME}.*")):
                variation = "wal" if "wal" in module.VARIATIONS else module.VARIATIONS[0]
                cases.append(Case(module, variation, poolgauge, source))
                cases[-1].name = source.name
            continue
        variations = module.VARIATIONS if runs_all or names else module.VARIATIONS[:1]
        for variation in variations:
            reason = getattr(module, "unavailable", lambda: None)()
            if reason:
                print(f"–  {module.NAME}: not tried, {reason}")
                continue
            cases.append(Case(module, variation, poolgauge))
    right = 0
    # Cases with statistics about times run with few others.
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        results = list(zip(cases, pool.map(attempt, cases)))
    for case, wrong in results:
        mark = "✔  "
        if wrong:
            # The other cases may have disturbed it.
            name = case.name
            case = Case(case.module, case.variation, poolgauge, case.source)
            case.name = name
            mark, wrong = "✔  (second attempt, alone) ", attempt(case)
        right += wrong is None
        print((mark if wrong is None else "✖  ") + case.name, flush=True)
        if wrong:
            print("   " + wrong.replace("\n", "\n   "))
    print(f"{right} of {len(cases)} right")
    if (FOLDER.parents[1] / "docs/Casebook.md").read_text() != page(modules):
        print("docs/Casebook.md is not current: ./test --cases --table docs/Casebook.md")
        right = -1
    sys.exit(0 if right == len(cases) else 1)


if __name__ == "__main__":
    main()
