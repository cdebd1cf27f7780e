// Opens connections with settings that are set in different ways: program WAL ROLLBACK.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

type known map[string]interface{}
type entry struct {
	connection *sql.Conn
	known      known
}

var entries []entry

func fail(err error) {
	if err != nil {
		panic(err)
	}
}

func add(name string, values known, statements ...string) {
	database, err := sql.Open("sqlite3", name)
	fail(err)
	connection, err := database.Conn(context.Background())
	fail(err)
	for _, statement := range statements {
		run(connection, statement)
	}
	entries = append(entries, entry{connection, values})
}

func run(connection *sql.Conn, statement string) (value interface{}) {
	rows, err := connection.QueryContext(context.Background(), statement)
	fail(err)
	defer rows.Close()
	for rows.Next() {
		fail(rows.Scan(&value))
	}
	return
}

func values(e entry) known {
	run(e.connection, "SELECT count(*) FROM t")
	found := known{"read_only": false, "shared_cache": false, "threading": "serialized",
		"own_handler": false, "own_hook": false}
	for _, name := range []string{"busy_timeout", "synchronous", "journal_mode", "cache_size",
		"mmap_size", "wal_autocheckpoint", "foreign_keys", "locking_mode", "query_only"} {
		found[name] = fmt.Sprint(run(e.connection, "PRAGMA "+name))
	}
	for name, value := range e.known {
		found[name] = value
	}
	return found
}

func main() {
	wal, rollback := os.Args[1], os.Args[2]
	add(wal, nil, "PRAGMA journal_mode = wal", "CREATE TABLE IF NOT EXISTS t(a)")
	add(rollback, nil, "PRAGMA journal_mode = delete", "CREATE TABLE IF NOT EXISTS t(a)")
	for _, entry := range entries {
		fail(entry.connection.Close())
	}
	entries = nil
	add(wal, nil)
	add("file:"+wal+"?_busy_timeout=7500&_cache_size=-1001", nil)
	add("file:"+wal+"?_timeout=0", nil, "PRAGMA cache_size = 1002", "PRAGMA busy_timeout = 4321")
	add("file:"+wal+"?_sync=OFF&_cache_size=-1003", nil)
	add("file:"+wal+"?_synchronous=NORMAL&_fk=1", nil, "PRAGMA cache_size = -1004")
	add("file:"+wal+"?_sync=3&_cache_size=1005", nil)
	add(wal, nil, "PRAGMA cache_size = 1006", "PRAGMA mmap_size = 268435456", "PRAGMA wal_autocheckpoint = 0")
	add(wal, nil, "PRAGMA cache_size = -1007", "PRAGMA mmap_size = 99999999999", "PRAGMA wal_autocheckpoint = 17")
	add("file:"+wal+"?_query_only=1", nil, "PRAGMA cache_size = -1008")
	add("file:"+wal+"?mode=ro", known{"read_only": true}, "PRAGMA cache_size = -1009")
	add("file:"+wal+"?cache=shared", known{"shared_cache": true}, "PRAGMA cache_size = -1010")
	add("file:"+wal+"?_mutex=no", known{"threading": "multi-thread"}, "PRAGMA cache_size = -1014")
	for index, mode := range []string{"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"} {
		add(fmt.Sprintf("file:%s?_cache_size=-%d&_journal_mode=%s", rollback, 1101+index, mode), nil)
	}
	all := []known{}
	for _, entry := range entries {
		all = append(all, values(entry))
	}
	text, _ := json.Marshal(all)
	fmt.Println(string(text))
	lines := make(chan string)
	go func() {
		input := bufio.NewScanner(os.Stdin)
		for input.Scan() {
			lines <- input.Text()
		}
	}()
	for {
		select {
		case line := <-lines:
			run(entries[0].connection, line)
			text, _ := json.Marshal(values(entries[0]))
			fmt.Println(string(text))
		case <-time.After(20 * time.Millisecond):
		}
		for _, entry := range entries {
			run(entry.connection, "SELECT count(*) FROM t")
		}
	}
}
