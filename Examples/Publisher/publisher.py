#!/usr/bin/env python3
"""Publishes the status of an SQLite database to `poolgauge attach`, as docs/Protocol.md describes.

A program calls publish(PATH, NAME). For a demonstration, publisher.py FILE [NAME] writes to FILE.
"""
import json, os, socketserver, sqlite3, stat, sys, threading, time
from http.server import BaseHTTPRequestHandler

START = time.monotonic_ns()

def folder():
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    path = f"{runtime}/poolgauge" if runtime.startswith("/") else f"/tmp/poolgauge-{os.geteuid()}"
    os.makedirs(path, 0o700, exist_ok=True)
    found = os.lstat(path)  # does not follow a link that another user created
    if found.st_mode != stat.S_IFDIR | 0o700 or found.st_uid != os.geteuid():
        raise PermissionError(f"{path} is not a folder that only this user can use")
    return path

def status(path, name):
    database = {
        "label": name, "kind": "queue", "path": path, "takenAtNanoseconds": time.monotonic_ns(),
        "connections": [], "waitingReaders": [], "waitingWriters": [], "snapshots": [],
        "snapshotsMade": 0, "interrupts": {"requested": 0, "delivered": 0, "withoutEffect": 0},
        "busyCount": 0, "isClosed": False}
    if os.path.exists(path + "-wal"):
        database["wal"] = {"bytes": os.path.getsize(path + "-wal")}
    return {"schema": "poolgauge.agent/1", "name": name, "process": os.getpid(),
            "ageNanoseconds": time.monotonic_ns() - START, "allowsControl": False,
            "database": database}

def publish(path, name):
    class Handler(BaseHTTPRequestHandler):
        protocol_version, timeout = "HTTP/1.1", 30

        def do_GET(self):
            known = self.path == "/status"
            answer = status(path, name) if known else {"error": "the agent serves /status"}
            body = json.dumps(answer).encode() + b"\n"
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        log_message = lambda *arguments: None

    socket = f"{folder()}/{name}-{os.getpid()}.sock"
    server = socketserver.ThreadingUnixStreamServer(socket, Handler)
    os.chmod(socket, 0o600)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return socket

if __name__ == "__main__":
    file = os.path.abspath(sys.argv[1])
    socket = publish(file, sys.argv[2] if len(sys.argv) > 2 else "python")
    database = sqlite3.connect(file, isolation_level=None)
    try:
        database.executescript("PRAGMA journal_mode = wal; CREATE TABLE IF NOT EXISTS beats (time)")
        while True:
            database.execute("INSERT INTO beats VALUES (?)", (time.time(),))
            time.sleep(1)
    finally:
        os.unlink(socket)
