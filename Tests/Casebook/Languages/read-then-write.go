package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	end := time.Now().Add(time.Duration(seconds * 1e9))
	db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_journal=WAL&_busy_timeout=20000")
	if err != nil {
		panic(err)
	}
	db.Exec("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
	db.Exec("INSERT INTO item VALUES (1, 0, '')")
	var lock sync.Mutex
	var group sync.WaitGroup
	done, failed := 0, 0
	for i := 0; i < 3; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Now().Before(end) {
				transaction, err := db.BeginTx(context.Background(), nil)
				if err != nil {
					panic(err)
				}
				var hits int
				err = transaction.QueryRow("SELECT hits FROM item WHERE id = 1").Scan(&hits)
				time.Sleep(4 * time.Millisecond)
				if err == nil {
					_, err = transaction.Exec("UPDATE item SET hits = hits + 1 WHERE id = 1")
				}
				if err == nil {
					err = transaction.Commit()
				} else {
					transaction.Rollback()
				}
				lock.Lock()
				if err == nil {
					done++
				} else {
					failed++
				}
				lock.Unlock()
			}
		}()
	}
	group.Wait()
	fmt.Printf("{\"done\": %d, \"failed\": %d}\n", done, failed)
}
