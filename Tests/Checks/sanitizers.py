#!/usr/bin/env python3
"""Runs the library that Poolgauge loads into programs under the thread and the address sanitizer.

    sanitizers.py [--seconds S] [--clang PATH]

A C program with eight threads contains the library, and uses SQLite as programs do: connections that open and
close, full-text searches, which execute other statements inside a step, failing statements, schema
changes, child processes, and a connection that replaces the callback. This script creates the memory for
records, requests the values of parameters, and reads nothing, so that records are overwritten. Each
sanitizer must report nothing, and the program must store records.
"""
import argparse
import fcntl
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static const char *path;
static double seconds;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static int own(unsigned event, void *context, void *object, void *detail) {
    (void)event, (void)context, (void)object, (void)detail;
    return 0;
}
static void *work(void *argument) {
    long number = (long)argument, round = 0;
    for (double end = now() + seconds; now() < end; round++) {
        sqlite3 *db;
        const char *file = number % 4 == 3 ? ":memory:" : path;
        if (sqlite3_open(file, &db) != SQLITE_OK) abort();
        sqlite3_busy_timeout(db, number % 2 ? 1 : 200);
        sqlite3_exec(db, "CREATE VIRTUAL TABLE IF NOT EXISTS note USING fts5(body)", 0, 0, 0);
        sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, n UNIQUE)", 0, 0, 0);
        if (number == 5 && round % 3 == 0) sqlite3_trace_v2(db, SQLITE_TRACE_STMT, own, NULL);
        sqlite3_stmt *statements[8];
        for (int i = 0; i < 8; i++) {
            const char *text = i % 2 ? "SELECT rowid FROM note WHERE note MATCH 'wal*' ORDER BY rank LIMIT 3"
                                     : "SELECT count(*) FROM item WHERE id > ? OR ?2 = ?3";
            if (sqlite3_prepare_v2(db, text, -1, &statements[i], NULL) != SQLITE_OK) statements[i] = NULL;
        }
        for (int i = 0; i < 40; i++) {
            sqlite3_stmt *statement = statements[i % 8];
            if (i % 2 == 0) {
                char text[100];
                memset(text, 'a' + i % 26, sizeof text);
                sqlite3_bind_int64(statement, 1, i);
                sqlite3_bind_text(statement, 2, text, i % 4 ? i : (int)sizeof text, SQLITE_TRANSIENT);
                sqlite3_bind_zeroblob(statement, 3, i * 1000);
            }
            while (sqlite3_step(statement) == SQLITE_ROW) {}
            if (i % 3) sqlite3_reset(statement);
            if (i % 10 == 0) sqlite3_exec(db, "INSERT INTO note VALUES ('wal lock page'); INSERT INTO item (n) VALUES (7)", 0, 0, 0);
            if (i == 20 && number == 1 && round % 8 == 0)
                sqlite3_exec(db, "CREATE INDEX IF NOT EXISTS i ON item (n); DROP INDEX i", 0, 0, 0);
        }
        for (int i = 0; i < 8; i++) sqlite3_finalize(statements[i]);
        sqlite3_close(db);
        if (number == 0 && round % 20 == 0) {
            pid_t child = fork();
            if (child == 0) _exit(0);
            waitpid(child, NULL, 0);
        }
    }
    return NULL;
}
int main(int count, char **arguments) {
    if (count != 3) return 2;
    path = arguments[1], seconds = atof(arguments[2]);
    sqlite3 *db;
    sqlite3_open(path, &db);
    sqlite3_exec(db, "PRAGMA journal_mode = wal", 0, 0, 0);
    pthread_t threads[8];
    for (long i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    sqlite3_close(db);
    return 0;
}
"""
SLOTS, SLOT, HEAD = 8192, 192, 4096


def run(program, path, seconds, environment):
    size = HEAD + SLOTS * SLOT
    descriptor = os.memfd_create("poolgauge-trace-1", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    os.set_inheritable(descriptor, True)
    memory = mmap.mmap(descriptor, size)
    ended = threading.Event()

    def read():
        while not ended.wait(0.2):
            memory[24:32] = memory[40:48] = struct.pack("<Q", time.monotonic_ns())
            memory[32:40] = struct.pack("<Q", struct.unpack("<Q", memory[32:40])[0] + 1)

    memory[24:32] = memory[40:48] = struct.pack("<Q", time.monotonic_ns())
    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [program, path, str(seconds)], capture_output=True, text=True, close_fds=False,
        env={**os.environ, **environment, "POOLGAUGE_TRACE": f"{os.getpid()}:{descriptor}"},
    )
    ended.set()
    reader.join()
    records, unread, nested = struct.unpack("<QQQ", memory[:24])
    return done, records, nested


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clang")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2] / "Sources/Watch/CTraceAgent"
    swift = shutil.which("swift")
    beside = pathlib.Path(os.path.realpath(swift)).parent / "clang" if swift else None
    clang = options.clang or shutil.which("clang") or (beside if beside and beside.exists() else None)
    if not clang:
        sys.exit("clang is not installed")
    # The thread sanitizer of Swift's toolchain refers to its dispatch library.
    libraries = pathlib.Path(os.path.realpath(clang)).parents[1] / "lib/swift/linux"
    blocks = []
    if (libraries / "libdispatch.so").exists():
        blocks = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-ldispatch", "-lBlocksRuntime"]
    wrong = 0
    for name, more in [("thread", {}), ("address,undefined", {"ASAN_OPTIONS": "detect_leaks=1"})]:
        with tempfile.TemporaryDirectory() as folder:
            source, program = folder + "/program.c", folder + "/program"
            pathlib.Path(source).write_text(PROGRAM)
            subprocess.run(
                [clang, "-g", "-O1", f"-fsanitize={name}", "-fno-sanitize-recover=undefined", "-I", root / "include",
                 source, root / "Agent.c", "-o", program, "-rdynamic", "-lsqlite3", "-lpthread", "-ldl", *blocks],
                check=True, stderr=subprocess.DEVNULL)
            done, records, nested = run(program, folder + "/app.sqlite", options.seconds, more)
            good = done.returncode == 0 and records > 1000 and nested > 1000
            wrong += not good
            print(f"{'right' if good else 'WRONG'}: {name} sanitizer: exit status {done.returncode}, {records} "
                  f"records, {nested} nested executions", flush=True)
            if not good:
                print(done.stderr[-6000:])
    sys.exit(wrong > 0)


main()
