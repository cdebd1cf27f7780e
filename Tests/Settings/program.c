// Opens connections with settings that are set in different ways: program MODE WAL ROLLBACK.
//
// MODE is "default", "single" (sqlite3_config with SQLITE_CONFIG_SINGLETHREAD), or "multi".
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int handler(void *argument, int count) { return 0; }
static int hook(void *argument, sqlite3 *connection, const char *name, int pages) {
    return SQLITE_OK;
}

struct entry {
    int rollback, flags, timeout;
    const char *parameters, *statements, *known;
} entries[] = {
    {0, 0, -1, "", "", ""},
    {0, 0, 7500, "", "PRAGMA cache_size=-1001", ""},
    {0, 0, 0, "", "PRAGMA cache_size=1002; PRAGMA busy_timeout=4321", ""},
    {0, 0, 900, "", "PRAGMA cache_size=-1003; PRAGMA synchronous=OFF; PRAGMA busy_timeout=0", ""},
    {0, 0, 0, "", "PRAGMA cache_size=-1004; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON", ""},
    {0, 0, 0, "", "PRAGMA cache_size=-1005; PRAGMA synchronous=3; BEGIN; PRAGMA foreign_keys=1; COMMIT", ""},
    {0, 0, 0, "", "PRAGMA cache_size=1006; PRAGMA mmap_size=268435456; PRAGMA wal_autocheckpoint=0", ""},
    {0, 0, 0, "", "PRAGMA cache_size=-1007; PRAGMA mmap_size=99999999999; PRAGMA wal_autocheckpoint=17", ""},
    {0, 0, 0, "", "PRAGMA cache_size=-1008; PRAGMA query_only=1", ""},
    {0, SQLITE_OPEN_READONLY, 0, "", "PRAGMA cache_size=-1009", "\"read_only\":true,"},
    {0, SQLITE_OPEN_SHAREDCACHE, 0, "", "PRAGMA cache_size=-1010", "\"shared_cache\":true,"},
    {0, 0, -2, "", "PRAGMA cache_size=-1012", "\"own_handler\":true,"},
    {0, 0, -3, "", "PRAGMA cache_size=-1013", "\"own_hook\":true,"},
    {0, SQLITE_OPEN_NOMUTEX, 0, "", "PRAGMA cache_size=-1014", "\"threading\":\"multi-thread\","},
    {0, SQLITE_OPEN_FULLMUTEX, 0, "", "PRAGMA cache_size=-1015", "\"threading\":\"serialized\","},
    {0, 0, 0, "?mode=ro", "PRAGMA cache_size=-1016", "\"read_only\":true,"},
    {1, 0, 0, "", "PRAGMA cache_size=-1101; PRAGMA journal_mode=DELETE", ""},
    {1, 0, 0, "", "PRAGMA cache_size=-1102; PRAGMA journal_mode=TRUNCATE", ""},
    {1, 0, 0, "", "PRAGMA cache_size=-1103; PRAGMA journal_mode=PERSIST", ""},
    {1, 0, 0, "", "PRAGMA cache_size=-1104; PRAGMA journal_mode=MEMORY", ""},
    {1, 0, 0, "", "PRAGMA cache_size=-1105; PRAGMA journal_mode=OFF", ""},
    {1, 0, 0, "?nolock=1", "PRAGMA cache_size=-1106; PRAGMA locking_mode=EXCLUSIVE", ""},
};
enum { COUNT = sizeof entries / sizeof *entries };
static sqlite3 *connections[COUNT];

static void run(sqlite3 *connection, const char *sql, char *result) {
    sqlite3_stmt *statement;
    while (*sql && sqlite3_prepare_v2(connection, sql, -1, &statement, &sql) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(statement, 0);
            if (result) snprintf(result, 64, "%s", text ? text : "");
        }
        sqlite3_finalize(statement);
    }
}

static void show(int index, const char *mode) {
    static const char *names[] = {"busy_timeout", "synchronous", "journal_mode", "cache_size",
        "mmap_size", "wal_autocheckpoint", "foreign_keys", "locking_mode", "query_only"};
    run(connections[index], "SELECT count(*) FROM t", 0);
    printf("{\"read_only\":false,\"shared_cache\":false,\"own_handler\":false,\"own_hook\":false,"
           "\"threading\":\"%s\",",
        !strcmp(mode, "single") ? "single-thread" : !strcmp(mode, "multi") ? "multi-thread" : "serialized");
    if (strcmp(mode, "single") || !strstr(entries[index].known, "threading"))
        printf("%s", entries[index].known);
    for (int i = 0; i < 9; i++) {
        char sql[64], value[64] = "";
        sprintf(sql, "PRAGMA %s", names[i]);
        run(connections[index], sql, value);
        printf("\"%s\":\"%s\"%s", names[i], value, i < 8 ? "," : "}");
    }
}

int main(int count, char **arguments) {
    const char *mode = arguments[1];
    if (!strcmp(mode, "single")) sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    if (!strcmp(mode, "multi")) sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    for (int i = 0; i < 2; i++) {
        sqlite3 *connection;
        sqlite3_open(arguments[2 + i], &connection);
        run(connection, i ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL", 0);
        run(connection, "CREATE TABLE IF NOT EXISTS t(a)", 0);
        sqlite3_close(connection);
    }
    for (int i = 0; i < COUNT; i++) {
        char path[4096];
        struct entry *e = &entries[i];
        snprintf(path, sizeof path, "file:%s%s", arguments[2 + e->rollback], e->parameters);
        int flags = e->flags | SQLITE_OPEN_URI;
        if (!(flags & SQLITE_OPEN_READONLY)) flags |= SQLITE_OPEN_READWRITE;
        if (sqlite3_open_v2(path, &connections[i], flags, 0)) return 1;
        if (e->timeout >= 0) sqlite3_busy_timeout(connections[i], e->timeout);
        if (e->timeout == -2) sqlite3_busy_handler(connections[i], handler, 0);
        if (e->timeout == -3) sqlite3_wal_hook(connections[i], hook, (void *)5);
        run(connections[i], e->statements, 0);
    }
    printf("[");
    for (int i = 0; i < COUNT; i++) {
        show(i, mode);
        printf(i < COUNT - 1 ? "," : "]\n");
    }
    fflush(stdout);
    while (1) {
        struct pollfd input = {0, POLLIN, 0};
        static char line[4096];
        if (poll(&input, 1, 20) > 0 && fgets(line, sizeof line, stdin)) {
            run(connections[0], line, 0);
            show(0, mode);
            printf("\n");
            fflush(stdout);
        }
        for (int i = 0; i < COUNT; i++) run(connections[i], "SELECT count(*) FROM t", 0);
    }
}
