#!/usr/bin/env python3
"""Attacks the dashboard, `top`, and `replay` in many terminals.

    terminals.py POOLGAUGE [--short] [--seed N] [--only GROUP]

Groups:
    entries     terminfo entries and locales, on a pseudo-terminal
    signals     signals that end the program, during a storm of keys
    stopped     requests to end while the terminal accepts no output
    threads     crashes of other threads while the program draws
    containers  tmux, GNU screen, and script
    xterm       xterm in Xvfb

In each case, the program receives random keys, mouse events, invalid bytes, and sizes from 1x1 to
500x200. It must not crash or hang, and it must respond to `q`. Afterward, the terminal must be in
its original state. A failure prints the seed of its case. Exit status: 0 if all cases pass,
otherwise 1.
"""
import argparse, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time
import storm, threads
from programs import Programs
from terminal import Terminal, TimedOut

HERE = pathlib.Path(__file__).resolve().parent
ENTRIES = ["xterm-256color", "screen", "tmux-256color", "linux", "vt100", "dumb"]
LOCALES = ["C", "C.UTF-8", "POSIX"]
REQUESTS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
# A Swift trap raises SIGILL or SIGTRAP.
CRASHES = [signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS,
           signal.SIGFPE, signal.SIGQUIT]


class Attack:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.programs = Programs(options.poolgauge, folder)
        self.cases = 0
        self.failures = []

    def case(self, name, check):
        """Runs a check with a random number generator whose seed depends only on the name."""
        self.cases += 1
        chance = random.Random(f"{self.options.seed} {name}")
        try:
            problems = list(check(chance))
        except (TimedOut, OSError) as error:
            problems = [str(error)]
        for problem in problems:
            print(f"FAILED  {name} (seed {self.options.seed}): {problem}", flush=True)
        if problems:
            self.failures.append(name)

    def open(self, program, term="xterm-256color", locale="C.UTF-8", wrapper=(), size=(80, 24)):
        command = [*wrapper, *self.programs.commands[program]]
        return Terminal(
            command, self.programs.environment(term, locale), self.folder, *size)

    @property
    def steps(self):
        return 40 if self.options.short else 300

    # Terminfo entries and locales

    def entries(self):
        programs = list(self.programs.commands)
        number = 0
        for term in ENTRIES:
            for locale in LOCALES:
                # The short version runs one program in each combination.
                chosen = [programs[number % len(programs)]] if self.options.short else programs
                number += 1
                for program in chosen:
                    check = self.refused if term == "dumb" else self.stormed
                    self.case(f"{program} TERM={term} LC_ALL={locale}",
                              lambda chance: check(chance, program, term, locale))

    def refused(self, chance, program, term, locale):
        """A terminal that cannot draw is an error."""
        terminal = self.open(program, term, locale)
        try:
            if (status := terminal.wait()) != 64:
                yield f"the exit status is {status}: {terminal.shown}"
            yield from terminal.problems()
        finally:
            terminal.close()

    def stormed(self, chance, program, term, locale):
        terminal = self.open(program, term, locale, size=storm.size(chance))
        try:
            terminal.wait_for_output()
            storm.play(terminal, chance, self.steps)
            storm.calm(terminal)
            if terminal.process.poll() is None:
                terminal.send(b"q")
            if (status := terminal.wait()) != 0:
                yield f"the exit status is {status}: {terminal.shown}"
            yield from terminal.problems()
            if term.startswith("xterm") and not terminal.modes.has_used_alternate_screen:
                yield "the program did not use the alternate screen"
        finally:
            terminal.close()

    # Signals

    def signals(self):
        repetitions = 1 if self.options.short else 5
        for repetition in range(repetitions):
            for program in self.programs.commands:
                for number in REQUESTS + CRASHES:
                    name = f"{program} {signal.Signals(number).name} {repetition}"
                    self.case(name, lambda chance: self.ended(chance, program, number))

    def ended(self, chance, program, number):
        terminal = self.open(program, chance.choice(ENTRIES[:3]))
        try:
            terminal.wait_for_output()
            storm.play(terminal, chance, chance.randint(0, 20))
            if terminal.process.poll() is None:
                terminal.process.send_signal(number)
            expected = 128 + number if number in REQUESTS else -number
            if (status := terminal.wait()) != expected:
                yield f"the exit status is {status}, not {expected}: {terminal.shown}"
            yield from terminal.problems()
        finally:
            terminal.close()

    # Terminals that accept no output

    def stopped(self):
        for program in self.programs.commands:
            self.case(f"{program} in a stopped terminal", lambda chance: self.full(chance, program))

    def full(self, chance, program):
        """The terminal accepts no output, as after ^S. The second request ends the program."""
        terminal = self.open(program, "screen", size=(500, 200))
        try:
            terminal.wait_for_output()
            for _ in range(5):
                terminal.resize(chance.randint(300, 500), chance.randint(100, 200))
                os.write(terminal.main, b"t")
                time.sleep(0.2)
            for _ in range(2):
                terminal.process.send_signal(signal.SIGTERM)
                time.sleep(1)
            if (status := terminal.process.wait(10)) != 128 + signal.SIGTERM:
                yield f"the exit status is {status}"
            if not terminal.has_original_settings:
                yield "the settings differ (stty -g)"
        except subprocess.TimeoutExpired:
            yield "the second SIGTERM does not end the program"
        finally:
            terminal.close()

    # Crashes of other threads

    def threads(self):
        for repetition in range(20 if self.options.short else 200):
            self.case(f"thread {repetition}", lambda chance: self.crashed_threads(chance, 1))
            self.case(f"threads {repetition}", lambda chance: self.crashed_threads(chance, 3))

    def crashed_threads(self, chance, count):
        """Other threads crash while the drawing thread writes a large frame, and the terminal is
        slow. The drawing thread must not write after the terminal has been restored, and a second
        crash must not end the program before that."""
        # Without background color erase, each frame contains all cells.
        terminal = self.open("dashboard", "screen", size=(500, 200))
        try:
            terminal.wait_for_output()
            for _ in range(3):
                # Each new size and theme draws a complete frame.
                terminal.resize(chance.randint(300, 500), chance.randint(100, 200))
                os.write(terminal.main, b"t")
                time.sleep(0.05)
            number = chance.choice([signal.SIGTRAP, signal.SIGILL, signal.SIGSEGV])
            for thread in chance.sample(threads.others(terminal.process.pid), count):
                threads.send(terminal.process.pid, thread, number)
            time.sleep(chance.random() * 0.05)
            if (status := terminal.wait()) != -number:
                yield f"the exit status is {status}, not {-number}: {terminal.shown}"
            yield from terminal.problems()
        finally:
            terminal.close()

    # Containers

    def containers(self):
        for name in ("tmux", "screen", "script"):
            if not shutil.which(name):
                print(f"skipped: {name} is not installed")
                continue
            for program in self.programs.commands:
                for repetition in range(1 if self.options.short else 5):
                    self.case(f"{program} in {name} {repetition}",
                              lambda chance: self.contained(chance, name, program))

    def contained(self, chance, container, program):
        inner = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        command = [str(HERE / "inner.sh"), str(inner)]
        quoted = " ".join(f"'{word}'" for word in command + self.programs.commands[program])
        os.mkdir(inner / "screens", 0o700)
        wrapper = {
            "tmux": ["tmux", "-S", str(inner / "socket"), "-f", "/dev/null", "new-session", quoted],
            "screen": ["env", f"SCREENDIR={inner / 'screens'}", "screen", "-c", "/dev/null",
                       "-e", "^]^]", "-U", "sh", "-c", quoted],
            "script": ["script", "-q", "-e", "-c", quoted, "/dev/null"],
        }[container]
        terminal = Terminal(wrapper, self.programs.environment(), self.folder, 100, 30)
        try:
            terminal.wait_for_output()
            terminal.pump(1)
            # The prefix key of tmux is ^B, and of screen here ^]. The storm contains neither.
            storm.play(terminal, chance, self.steps)
            storm.calm(terminal)
            # tmux drops input while it handles resizes.
            terminal.pump(0.5)
            if terminal.process.poll() is None:
                terminal.send(b"q")
            terminal.wait()
            status = (inner / "status").read_text().strip()
            if status != "0":
                yield f"the exit status is {status}: {terminal.shown}"
            if (inner / "before").read_text() != (inner / "after").read_text():
                yield "the settings of the inner terminal differ (stty -g)"
            yield from terminal.problems()
        finally:
            if container == "tmux":
                subprocess.run(["tmux", "-S", str(inner / "socket"), "kill-server"],
                               stderr=subprocess.DEVNULL)
            terminal.close()

    # xterm

    def xterm(self):
        missing = [name for name in ("xterm", "xvfb-run") if not shutil.which(name)]
        if missing:
            print(f"skipped: {', '.join(missing)} not installed")
            return
        if os.geteuid() != 0:
            print("skipped: inserting keys into xterm requires root")
            return
        for program in self.programs.commands:
            for repetition in range(1 if self.options.short else 3):
                self.case(f"{program} in xterm {repetition}",
                          lambda chance: self.in_xterm(chance, program))

    def in_xterm(self, chance, program):
        inner = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        user = [sys.executable, str(HERE / "xterm_user.py"), str(inner),
                str(chance.randrange(1_000_000)), str(self.steps)]
        command = ["xvfb-run", "-a", "xterm", "-xrm", "XTerm*allowWindowOps: true", "-e", *user,
                   *self.programs.commands[program]]
        environment = self.programs.environment()
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        result = subprocess.run(command, env=environment, cwd=self.folder, timeout=300,
                                capture_output=True, text=True)
        try:
            lines = (inner / "problems").read_text().splitlines()
        except OSError:
            lines = []
        yield from (line for line in lines if line != "done")
        if lines[-1:] != ["done"]:
            yield f"xterm ended with status {result.returncode}: {result.stderr[-500:]}"


GROUPS = ["entries", "signals", "stopped", "threads", "containers", "xterm"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("poolgauge")
    parser.add_argument("--short", action="store_true", help="fewer cases, in about two minutes")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--only", action="append", choices=GROUPS, help="can be repeated")
    options = parser.parse_args()
    options.poolgauge = os.path.abspath(options.poolgauge)
    with tempfile.TemporaryDirectory(prefix="terminals-", ignore_cleanup_errors=True) as folder:
        attack = Attack(options, pathlib.Path(folder))
        for group in options.only or GROUPS:
            start, before = time.monotonic(), attack.cases
            getattr(attack, group)()
            print(f"{group}: {attack.cases - before} cases in {time.monotonic() - start:.0f} s",
                  flush=True)
    if attack.failures:
        print(f"terminals: {len(attack.failures)} of {attack.cases} cases failed")
        return 1
    print(f"terminals: passed: {attack.cases} cases, seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
