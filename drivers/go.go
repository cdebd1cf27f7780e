// A driver for poolgauge (docs/Drivers.md): database/sql with github.com/mattn/go-sqlite3.
//
// `readers` is SetMaxOpenConns; without it, the number of connections is unlimited.
package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	BusyTimeout     *int
	BusyPause       *float64
	Accesses        []access
}

func open(s setup) (*sql.DB, error) {
	if s.BusyPause != nil {
		return nil, errors.New("go-sqlite3 has no constant pause; remove 'retry'")
	}
	hook := func(connection *sqlite3.SQLiteConn) error {
		_, err := connection.Exec(strings.Join(s.Pragmas, "; "), nil)
		return err
	}
	sql.Register("sqlite3-pragmas", &sqlite3.SQLiteDriver{ConnectHook: hook})
	source := "file:" + (&url.URL{Path: s.Database}).EscapedPath()
	source += "?_txlock=" + strings.ToLower(strings.TrimPrefix(s.Begin, "BEGIN "))
	if s.BusyTimeout != nil { // go-sqlite3 waits 5 s by default.
		source += fmt.Sprintf("&_busy_timeout=%d", *s.BusyTimeout)
	}
	db, _ := sql.Open("sqlite3-pragmas", source)
	if s.Readers > 0 {
		db.SetMaxOpenConns(s.Readers)
		db.SetMaxIdleConns(s.Readers) // By default, the pool keeps two idle connections.
	}
	// A single statement is a read transaction of its own. Other reads start and end one, and writes use
	// sql.Tx, which _txlock would also make a write transaction for reads.
	for i, a := range s.Accesses {
		if a.Kind == "read" && len(a.Statements) > 1 {
			begin, commit := statement{"BEGIN DEFERRED", 0}, statement{"COMMIT", 0}
			s.Accesses[i].Statements = append(append([]statement{begin}, a.Statements...), commit)
		}
	}
	return db, db.Ping()
}

// perform returns when the access had a connection, and its number of rows or its failure.
func perform(db *sql.DB, a access, values []any) (entry time.Time, result any) {
	background, count := context.Background(), 0
	connection, err := db.Conn(background)
	entry = time.Now()
	var tx *sql.Tx
	if err == nil && a.Kind == "write" {
		tx, err = connection.BeginTx(background, nil)
	}
	for i := 0; err == nil && i < len(a.Statements); i++ {
		var rows *sql.Rows
		query, n := connection.QueryContext, a.Statements[i].Parameters
		if tx != nil {
			query = tx.QueryContext
		}
		if rows, err = query(background, a.Statements[i].SQL, values[:n]...); err != nil {
			break
		}
		for values = values[n:]; rows.Next(); count++ {
		}
		err = rows.Err()
		rows.Close()
	}
	if tx != nil && err == nil {
		err = tx.Commit()
	} else if tx != nil {
		tx.Rollback()
	}
	var failure sqlite3.Error
	if err == nil {
		result = count
	} else if errors.As(err, &failure) {
		result = fmt.Sprintf("%d %.150s", failure.ExtendedCode, err)
	} else {
		result = fmt.Sprintf("GO_ERROR %.150s", err)
	}
	if connection != nil {
		if err != nil && a.Kind == "read" && len(a.Statements) > 1 {
			connection.ExecContext(background, "ROLLBACK")
		}
		connection.Close()
	}
	return entry, result
}

// value converts a JSON value. Blobs and large integers are objects.
func value(v any) any {
	switch v := v.(type) {
	case json.Number:
		if integer, err := v.Int64(); err == nil {
			return integer
		}
		real, _ := v.Float64()
		return real
	case map[string]any:
		if integer, ok := v["i"].(string); ok {
			return value(json.Number(integer))
		}
		blob, _ := hex.DecodeString(v["b"].(string))
		return blob
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
			entry, result := perform(db, a, request[1:])
			answers = append(answers, entry.Sub(start), time.Since(entry), result)
		}
		err = encoder.Encode(answers)
	}
}

func main() {
	input := json.NewDecoder(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	var s setup
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
