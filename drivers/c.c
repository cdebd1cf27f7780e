// A driver for poolgauge (docs/Drivers.md): libsqlite3 with a connection for each worker.
// Compile it with: cc -O2 c.c -lsqlite3 -lpthread
#define _GNU_SOURCE
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
enum { most = 1024 };
typedef struct { int count, parameters[most]; char *sql[most]; } Access;
static char *database, *pragmas[most + 1];
static int accessCount, timeout;
static Access accesses[4096];
static long long now(void) {
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t), t.tv_sec * 1000000000LL + t.tv_nsec;
}
// SQLite reads the JSON of the set-up. Returns a query on it.
static sqlite3_stmt *query(const char *sql, const char *json) {
    sqlite3 *memory;
    sqlite3_stmt *s;
    sqlite3_open(":memory:", &memory), sqlite3_prepare_v2(memory, sql, -1, &s, NULL);
    return sqlite3_bind_text(s, 1, json, -1, SQLITE_TRANSIENT), s;
}
static char *copy(sqlite3_stmt *s, int i) { return strdup((const char *)sqlite3_column_text(s, i)); }
static void setUp(const char *json) {
    sqlite3_stmt *s = query("SELECT ?1->>'database', ifnull(?1->>'busyTimeout', 5000)", json);
    if (sqlite3_step(s) != SQLITE_ROW) exit(1);
    database = copy(s, 0), timeout = sqlite3_column_int(s, 1);
    s = query("SELECT value FROM json_each(?1, '$.pragmas')", json);
    for (int i = 0; i < most && sqlite3_step(s) == SQLITE_ROW; i++) pragmas[i] = copy(s, 0);
    // A single statement is a read transaction of its own. Other accesses start and end one.
    s = query("WITH a AS (SELECT key, value->>'kind' AS kind, value->'$.statements' AS list,"
              " json_array_length(value, '$.statements') AS n FROM json_each(?1, '$.accesses'))"
              " SELECT a.key, list.key, list.value->>'sql', list.value->>'parameters'"
              " FROM a, json_each(a.list) list UNION ALL"
              " SELECT key, -1, iif(kind = 'write', ?1->>'begin', 'BEGIN'), 0 FROM a"
              " WHERE kind = 'write' OR kind = 'read' AND n > 1 UNION ALL"
              " SELECT key, n, 'COMMIT', 0 FROM a WHERE kind = 'write' OR kind = 'read' AND n > 1"
              " ORDER BY 1, 2", json);
    while (sqlite3_step(s) == SQLITE_ROW && (accessCount = sqlite3_column_int(s, 0) + 1) < 4096) {
        Access *access = &accesses[accessCount - 1];
        if (access->count == most) exit(1);
        access->sql[access->count] = copy(s, 2);
        access->parameters[access->count++] = sqlite3_column_int(s, 3);
    }
}
// Opens a connection, and prepares the statements of each access; returns NULL if it fails.
static sqlite3 *openDatabase(sqlite3_stmt ***statements) {
    sqlite3 *db;
    sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_extended_result_codes(db, 1), sqlite3_busy_timeout(db, timeout);
    for (int i = 0; pragmas[i]; i++) if (sqlite3_exec(db, pragmas[i], 0, 0, 0)) return NULL;
    *statements = calloc((size_t)accessCount * most, sizeof **statements);
    for (int i = 0; i < accessCount; i++)
        for (int k = 0; k < accesses[i].count; k++)
            sqlite3_prepare_v2(db, accesses[i].sql[k], -1, &(*statements)[i * most + k], NULL);
    return db;
}
// A reader of the JSON of accesses, which writes texts in place.
static char *skip(char *p) { while (*p == ' ') p++; return p; }
static char *text(char **cursor) {
    char *p = skip(*cursor), *start, *to;
    for (start = to = ++p; *p && *p != '"'; p++) {
        unsigned code;
        if (*p == '\\' && *++p == 'u' && sscanf(p + 1, "%4x", &code)) *to++ = (char)code, p += 4;
        else *to++ = *p;
    }
    return *cursor = p + 1, *to = 0, start;
}
static void bindValue(sqlite3_stmt *s, int index, char **cursor) {
    char *p = skip(*cursor);
    if (*p == '"') sqlite3_bind_text(s, index, text(&p), -1, SQLITE_STATIC);
    else if (*p == 'n') sqlite3_bind_null(s, index), p += 4;
    else if (*p == '{') {  // {"i":"…"} or {"b":"…"}
        char kind = *text((p++, &p)), *content = text((p = skip(p) + 1, &p));
        size_t length = strlen(content) / 2;
        if (kind == 'i') sqlite3_bind_int64(s, index, strtoll(content, NULL, 10));
        else {
            unsigned byte;
            for (size_t i = 0; i < length && sscanf(content + 2 * i, "%2x", &byte); i++) content[i] = (char)byte;
            sqlite3_bind_blob(s, index, content, (int)length, SQLITE_STATIC);
        }
        p = skip(p) + 1;
    } else {
        char *end;
        long long integer = strtoll(p, &end, 10);
        if (*end != '.' && *end != 'e') sqlite3_bind_int64(s, index, integer);
        else sqlite3_bind_double(s, index, strtod(p, &end));
        p = end;
    }
    *cursor = p;
}
static void print(FILE *out, long long number) {  // Faster than fprintf.
    char digits[24], *p = digits + sizeof digits;
    do *--p = (char)('0' + number % 10); while (number /= 10);
    fwrite_unlocked(p, 1, (size_t)(digits + sizeof digits - p), out);
}
// Binds all values before the access starts, so that its time does not include the protocol.
static void perform(sqlite3 *db, sqlite3_stmt **statements, Access *access, char **p, FILE *out) {
    for (int k = 0; k < access->count; k++)
        for (int i = 1; i <= access->parameters[k]; i++) *p = skip(*p) + 1, bindValue(statements[k], i, p);
    int rows = 0, code = SQLITE_DONE;
    long long start = now();
    for (int k = 0; k < access->count && code == SQLITE_DONE; k++) {
        while ((code = sqlite3_step(statements[k])) == SQLITE_ROW) rows++;
        sqlite3_reset(statements[k]);
    }
    long long end = now();
    fputs_unlocked("0,", out), print(out, end - start), putc_unlocked(',', out);
    if (code == SQLITE_DONE) { print(out, rows); return; }
    fprintf(out, "\"%d ", code);
    for (const char *m = sqlite3_errmsg(db); *m; m++) fputc(strchr("\"\\\n", *m) ? '\'' : *m, out);
    fputc('"', out);
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
}
static void *lane(void *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    sqlite3_stmt **statements;
    sqlite3 *db = openDatabase(&statements);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (connect(s, (struct sockaddr *)&address, sizeof address)) return NULL;
    FILE *in = fdopen(s, "r"), *out = fdopen(dup(s), "w");
    char *line = NULL;
    for (size_t capacity = 0; getline(&line, &capacity, in) > 0; fflush(out)) {
        char *p = line, separator = '[';
        while (*(p = skip(p + 1)) == '[') {
            int id = (int)strtol(p + 1, &p, 10);
            putc_unlocked(separator, out);
            if (id < 0 || id >= accessCount) id = 4095;  // It has no statements.
            perform(db, &statements[id * most], &accesses[id], &p, out);
            p = skip(p + strcspn(p, "]") + 1), separator = ',';
        }
        fputs("]\n", out);
    }
    sqlite3_close_v2(db);
    return NULL;
}

int main(void) {
    char *line = NULL;
    size_t capacity = 0;
    sqlite3_stmt **statements;
    if (getline(&line, &capacity, stdin) <= 0) return 1;
    setUp(line);
    printf(openDatabase(&statements) ? "{\"ready\":true,\"runtime\":\"C\",\"sqlite\":\"%s\"}\n"
                                     : "{\"error\":\"the database cannot be opened\"}\n",
           sqlite3_libversion());
    fflush(stdout);
    while (getline(&line, &capacity, stdin) > 0) {
        pthread_t thread;
        sqlite3_stmt *s = query("SELECT ?1->>'socket', ?1->>'lanes'", line);
        char *path = sqlite3_step(s) == SQLITE_ROW ? copy(s, 0) : "";
        for (int i = sqlite3_column_int(s, 1); i > 0; i--) pthread_create(&thread, NULL, lane, path);
    }
}
