package main

import (
	"database/sql"
	"os"
	"strconv"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	end := time.Now().Add(time.Duration(seconds * 1e9))
	db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_journal=WAL&_busy_timeout=5000")
	if err != nil {
		panic(err)
	}
	db.Exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
	for i := 0; i < 200; i++ {
		db.Exec("INSERT INTO item (hits) VALUES (0)")
	}
	// The rows are never closed.
	rows, err := db.Query("SELECT * FROM item")
	if err != nil {
		panic(err)
	}
	rows.Next()
	for time.Now().Before(end) {
		db.Exec("UPDATE item SET hits = hits + 1")
		time.Sleep(5 * time.Millisecond)
	}
}
