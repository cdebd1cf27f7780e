"""The programs under test, and the files that they need."""
import os, pathlib, sqlite3, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENARIO = str(ROOT / "Tests/Soak/soak.yaml")


class Programs:
    def __init__(self, poolgauge, folder):
        self.folder = folder
        file, recording = str(folder / "app.sqlite"), str(folder / "run.rec")
        writer = sqlite3.connect(file, isolation_level=None)
        writer.executescript("PRAGMA journal_mode = wal; CREATE TABLE beats (time)")
        # `top` shows a reader that pins the log.
        self.reader = sqlite3.connect(file, isolation_level=None)
        self.reader.execute("BEGIN")
        self.reader.execute("SELECT * FROM beats").fetchall()
        writer.execute("INSERT INTO beats VALUES (1)")
        self.writer = writer
        subprocess.run(
            [poolgauge, "run", "ycsb-c", "--arm", "pool", "--scale", "1", "--duration", "2s",
             "--record", recording, "--progress", "never"],
            env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.commands = {
            "dashboard": [poolgauge, "dashboard", SCENARIO, "--duration", "10m"],
            "top": [poolgauge, "top", file],
            "replay": [poolgauge, "replay", recording],
        }

    def environment(self, term="xterm-256color", locale="C.UTF-8"):
        return {"HOME": str(self.folder), "TMPDIR": str(self.folder), "PATH": os.environ["PATH"],
                "XDG_RUNTIME_DIR": str(self.folder), "TERM": term, "LC_ALL": locale,
                "SWIFT_BACKTRACE": "enable=no"}
