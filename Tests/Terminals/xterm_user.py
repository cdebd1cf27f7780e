#!/usr/bin/env python3
"""Runs a program in xterm, plays a storm of keys and sizes, and queries the modes of xterm.

xterm_user.py FOLDER SEED STEPS COMMAND… writes each problem as a line to FOLDER/problems, and `done`
at the end. It inserts keys into the input of its own terminal, which requires root.
"""
import fcntl, os, pathlib, random, re, select, subprocess, sys, termios, time, tty
import storm

QUERIES = {1049: 2, 25: 1, 1000: 2, 1002: 2, 1006: 2, 1: 2}


class Xterm:
    """The terminal that runs this program, in place of storm's Terminal."""

    def __init__(self, command):
        self.process = subprocess.Popen(command)

    def send(self, keys):
        for byte in keys:
            fcntl.ioctl(0, termios.TIOCSTI, bytes([byte]))

    def resize(self, columns, rows):
        os.write(1, f"\x1b[8;{rows};{columns}t".encode())

    def pump(self, seconds):
        time.sleep(seconds)


def ask(mode):
    """Returns xterm's reply to DECRQM: 1 if the mode is on, 2 if it is off."""
    os.write(1, f"\x1b[?{mode}$p".encode())
    reply, end = b"", time.monotonic() + 5
    while not (found := re.search(rb"\x1b\[\?%d;(\d)\$y" % mode, reply)):
        if time.monotonic() > end:
            return 0
        if select.select([0], [], [], 0.1)[0]:
            reply += os.read(0, 100)
    return int(found[1])


def main():
    folder, seed, steps, *command = sys.argv[1:]
    problems = []
    settings = termios.tcgetattr(0)
    xterm = Xterm(command)
    time.sleep(2)
    storm.play(xterm, random.Random(int(seed)), int(steps))
    storm.calm(xterm)
    if xterm.process.poll() is None:
        xterm.send(b"q")
    try:
        if (status := xterm.process.wait(30)) != 0:
            problems.append(f"the exit status is {status}")
    except subprocess.TimeoutExpired:
        problems.append("the program does not respond to q")
        xterm.process.kill()
    if termios.tcgetattr(0) != settings:
        problems.append("the settings differ (stty -g)")
    tty.setraw(0)
    for mode, expected in QUERIES.items():
        if (reply := ask(mode)) != expected:
            problems.append(f"mode {mode}: xterm reports {reply}, not {expected}")
    pathlib.Path(folder, "problems").write_text("".join(line + "\n" for line in problems) + "done\n")


if __name__ == "__main__":
    main()
