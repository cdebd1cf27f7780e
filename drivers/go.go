// A driver for poolgauge (docs/Drivers.md): database/sql with github.com/mattn/go-sqlite3.
//
// `readers` is SetMaxOpenConns; without it, the number of connections is unlimited.
package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

type statement struct {
	SQL        string
	Parameters int
}

type access struct {
	Kind       string
	Statements []statement
}

type setup struct {
	Database, Begin string
	Readers         int
	Pragmas         []string
	BusyTimeout     int
	BusyPause       *float64
	Accesses        []access
}

func open(s setup) (*sql.DB, error) {
	if s.BusyPause != nil {
		return nil, fmt.Errorf("go-sqlite3 has no constant pause; remove 'retry'")
	}
	sql.Register("sqlite3-pragmas", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		_, err := c.Exec(strings.Join(s.Pragmas, "; "), nil)
		return err
	}})
	path, begin := (&url.URL{Path: s.Database}).EscapedPath(), strings.TrimPrefix(s.Begin, "BEGIN ")
	options := fmt.Sprintf("_txlock=%s&_busy_timeout=%d", strings.ToLower(begin), s.BusyTimeout)
	db, _ := sql.Open("sqlite3-pragmas", "file:"+path+"?"+options)
	if s.Readers > 0 {
		db.SetMaxOpenConns(s.Readers)
		db.SetMaxIdleConns(s.Readers) // By default, the pool keeps two idle connections.
	}
	return db, db.Ping()
}

// perform returns when the access had a connection, and its number of rows.
//
// Writes use sql.Tx, as programs do. Reads of several statements do not, because _txlock would make
// them write transactions. A single statement is a read transaction of its own.
func perform(db *sql.DB, a access, values []any) (entry time.Time, count int, err error) {
	background := context.Background()
	connection, err := db.Conn(background)
	if entry = time.Now(); err != nil {
		return
	}
	defer connection.Close()
	query, commit := connection.QueryContext, func() error { return nil }
	if a.Kind == "write" {
		tx, err := connection.BeginTx(background, nil)
		if err != nil {
			return entry, 0, err
		}
		defer tx.Rollback() // It does nothing after Commit.
		query, commit = tx.QueryContext, tx.Commit
	} else if a.Kind == "read" && len(a.Statements) > 1 {
		execute := func(text string) (err error) { _, err = connection.ExecContext(background, text); return }
		if err = execute("BEGIN"); err != nil {
			return
		}
		commit = func() error { return execute("COMMIT") }
		defer func() {
			if err != nil {
				execute("ROLLBACK")
			}
		}()
	}
	for _, statement := range a.Statements {
		rows, err := query(background, statement.SQL, values[:statement.Parameters]...)
		if err != nil {
			return entry, 0, err
		}
		for values = values[statement.Parameters:]; rows.Next(); count++ {
		}
		if rows.Close(); rows.Err() != nil {
			return entry, 0, rows.Err()
		}
	}
	return entry, count, commit()
}

// value converts a JSON value. Blobs and large integers are objects.
func value(v any) any {
	if object, ok := v.(map[string]any); ok {
		if text, ok := object["b"].(string); ok {
			blob, _ := hex.DecodeString(text)
			return blob
		}
		v = json.Number(object["i"].(string))
	}
	if number, ok := v.(json.Number); ok {
		if integer, err := number.Int64(); err == nil {
			return integer
		}
		v, _ = number.Float64()
	}
	return v
}

func lane(db *sql.DB, s *setup, path string) {
	connection, err := net.Dial("unix", path)
	decoder, encoder := json.NewDecoder(connection), json.NewEncoder(connection)
	decoder.UseNumber()
	for requests := [][]any{}; err == nil && decoder.Decode(&requests) == nil; requests = nil {
		answers := []any{}
		for _, request := range requests {
			for index, item := range request {
				request[index] = value(item)
			}
			var a access // The access -1 has no statements.
			if id := request[0].(int64); id >= 0 {
				a = s.Accesses[id]
			}
			start := time.Now()
			entry, count, err := perform(db, a, request[1:])
			answers = append(answers, entry.Sub(start), time.Since(entry), count)
			if failure, ok := err.(sqlite3.Error); ok {
				answers[len(answers)-1] = fmt.Sprintf("%d %.150s", failure.ExtendedCode, err)
			} else if err != nil {
				answers[len(answers)-1] = fmt.Sprintf("GO_ERROR %.150s", err)
			}
		}
		err = encoder.Encode(answers)
	}
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	s := setup{BusyTimeout: 5000} // The default of go-sqlite3.
	input.Decode(&s)
	db, err := open(s)
	if err != nil {
		output.Encode(map[string]string{"error": err.Error()})
	}
	version, _, _ := sqlite3.Version()
	output.Encode(map[string]any{"ready": err == nil, "runtime": runtime.Version(), "sqlite": version})
	var request struct {
		Lanes  int
		Socket string
	}
	for err == nil && input.Decode(&request) == nil {
		for ; request.Lanes > 0; request.Lanes-- {
			go lane(db, &s, request.Socket)
		}
	}
}
