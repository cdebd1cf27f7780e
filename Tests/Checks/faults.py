"""Programs with one fault each, in several languages, and what a check must find in them.

A program receives the path of a new database as its only argument.
"""

import textwrap

# name: (language, expected rules with a part of the statement or None, program)
FAULTS = {}


def fault(name, language, expected, program):
    assert name not in FAULTS, name
    FAULTS[name] = (language, expected, textwrap.dedent(program))


PYTHON = """
import os, sqlite3, sys, threading, time
path = sys.argv[1]
"""


def python(name, expected, program):
    fault(name, "python", expected, PYTHON + textwrap.dedent(program))


python("upgrade", {"upgrade": "UPDATE stock"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n)")
    c.execute("INSERT INTO stock VALUES(1, 5)")
    c.execute("BEGIN")
    n = c.execute("SELECT n FROM stock WHERE id = ?", (1,)).fetchone()[0]
    c.execute("UPDATE stock SET n = ? WHERE id = ?", (n - 1, 1))
    c.execute("COMMIT")
""")
python("upgrade in memory, savepoint", {"upgrade": "INSERT INTO log"}, """
    c = sqlite3.connect(":memory:", isolation_level=None)
    c.execute("CREATE TABLE log(a)")
    c.execute("SAVEPOINT work")
    c.execute("SELECT count(*) FROM log").fetchone()
    c.execute("INSERT INTO log VALUES(1)")
    c.execute("RELEASE work")
""")
python("upgrade that fails in WAL mode", {"upgrade": "UPDATE stock", "failed": "UPDATE", "version": None}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n)")
    c.execute("INSERT INTO stock VALUES(1, 5)")
    d = sqlite3.connect(path, isolation_level=None)
    c.execute("BEGIN")
    c.execute("SELECT n FROM stock").fetchall()
    d.execute("INSERT INTO stock VALUES(2, 5)")
    try: c.execute("UPDATE stock SET n = 4")
    except sqlite3.OperationalError: c.execute("ROLLBACK")
    c.close(); d.close()
""")
python("self-wait", {"self-wait": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    c.execute("CREATE TABLE t(a)")
    c.execute("BEGIN IMMEDIATE")
    c.execute("INSERT INTO t VALUES('holder')")
    def other():
        d = sqlite3.connect(path, isolation_level=None, timeout=5)
        d.execute("INSERT INTO t VALUES('waiter')")
        d.close()
    thread = threading.Thread(target=other)
    thread.start()
    time.sleep(0.12)
    c.execute("COMMIT")
    thread.join()
""")
python("self-wait for an open cursor", {"self-wait": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    c.execute("CREATE TABLE t(a)")
    c.executescript("BEGIN; " + "".join(f"INSERT INTO t VALUES({i});" for i in range(20)) + "COMMIT")
    rows = c.execute("SELECT a FROM t")
    rows.fetchone()
    def other():
        d = sqlite3.connect(path, isolation_level=None, timeout=5)
        d.execute("INSERT INTO t VALUES('waiter')")
        d.close()
    thread = threading.Thread(target=other)
    thread.start()
    time.sleep(0.12)
    rows.fetchall()
    thread.join()
""")
python("transaction across a pause", {"open-transaction": "UPDATE t"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(a)")
    c.execute("INSERT INTO t VALUES(1)")
    c.commit()
    c.execute("UPDATE t SET a = 2")
    time.sleep(0.4)
    c.commit()
""")
python("transaction that is never committed", {"open-transaction": "UPDATE t"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(a)")
    c.execute("UPDATE t SET a = 2")
    time.sleep(0.5)
    c.close()
""")
python("long transaction of many statements", {"open-transaction": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE t(a)")
    c.execute("BEGIN IMMEDIATE")
    for i in range(150):
        c.execute("INSERT INTO t VALUES(?)", (i,))
        time.sleep(0.01)
    c.execute("COMMIT")
""")
python("query that stays open", {"open-transaction": "SELECT a FROM t"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(a)")
    c.executemany("INSERT INTO t VALUES(?)", [(i,) for i in range(50)])
    c.commit()
    rows = c.execute("SELECT a FROM t")
    rows.fetchone()
    time.sleep(1.3)
    rows.fetchall()
""")
python("no timeout, two processes", {"no-timeout": "INSERT INTO t"}, """
    import subprocess
    c = sqlite3.connect(path, timeout=0, isolation_level=None)
    if not c.execute("SELECT 1 FROM sqlite_master").fetchone():
        c.execute("CREATE TABLE t(a)")
        child = subprocess.Popen([sys.executable] + sys.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        c.execute("INSERT INTO t VALUES(1)")
        child.communicate(b"end")
    else:
        c.execute("SELECT a FROM t").fetchall()
        print("ready", flush=True)
        sys.stdin.read()
        c.execute("INSERT INTO t VALUES(1)")
""")
SCAN = """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, owner, text)")
    c.executemany("INSERT INTO t(owner, text) VALUES(?, ?)", [(i % 300, "x" * 20) for i in range(3000)])
    c.commit()
"""
python("scan", {"scan": "SELECT text FROM t WHERE owner"}, SCAN + """
    for owner in range(3): c.execute("SELECT text FROM t WHERE owner = ?", (owner,)).fetchall()
""")
python("scan by UPDATE", {"scan": "UPDATE t SET text"}, SCAN + """
    c.execute("UPDATE t SET text = 'y' WHERE owner = 7")
    c.commit()
""")
python("scan by LIKE, in memory", {"scan": "SELECT id FROM t WHERE text LIKE"},
       SCAN.replace("(path)", "(':memory:')") + """
    c.execute("SELECT id FROM t WHERE text LIKE '%abc%'").fetchall()
""")
python("sort", {"sort": "SELECT id FROM t ORDER BY owner"}, SCAN + """
    c.execute("SELECT id FROM t ORDER BY owner LIMIT 10").fetchall()
""")
python("sort of all rows", {"sort": "SELECT * FROM t ORDER BY text"}, SCAN + """
    c.execute("SELECT * FROM t ORDER BY text, owner").fetchall()
""")
python("automatic index", {"automatic-index": "JOIN"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE a(x, y)")
    c.execute("CREATE TABLE b(x, z)")
    for table in "ab":
        c.executemany(f"INSERT INTO {table} VALUES(?, ?)", [(i, i) for i in range(400)])
    c.commit()
    c.execute("SELECT count(*) FROM a JOIN b ON a.x = b.x").fetchall()
""")
LIST = """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name)")
    c.execute("CREATE TABLE post(id INTEGER PRIMARY KEY, author, title)")
    c.execute("CREATE INDEX post_author ON post(author)")
    c.executemany("INSERT INTO author(name) VALUES(?)", [(str(i),) for i in range(25)])
    c.executemany("INSERT INTO post(author, title) VALUES(?, ?)", [(i % 25, "t") for i in range(60)])
    c.commit()
"""
python("N+1 after a list", {"repeated": "SELECT title FROM post"}, LIST + """
    for author, in c.execute("SELECT id FROM author").fetchall():
        c.execute("SELECT title FROM post WHERE author = ?", (author,)).fetchall()
""")
python("N+1 inside a list", {"repeated": "SELECT title FROM post"}, LIST + """
    for author, in c.execute("SELECT id FROM author"):
        c.execute("SELECT title FROM post WHERE author = ?", (author,)).fetchall()
""")
python("N+1 without a list", {"repeated": "SELECT name FROM author"}, LIST + """
    for id in range(1, 70): c.execute("SELECT name FROM author WHERE id = ?", (id,)).fetchone()
""")
python("N+1 on two connections, in a transaction", {"repeated": "SELECT title FROM post"}, LIST + """
    d = sqlite3.connect(path, isolation_level=None)
    d.execute("BEGIN")
    for author, in c.execute("SELECT id FROM author"):
        d.execute("SELECT title FROM post WHERE author = ?", (author,)).fetchall()
    d.execute("COMMIT")
""")
python("literals in texts", {"prepared": "SELECT name FROM t WHERE id = ?", "repeated": "SELECT name"}, """
    c = sqlite3.connect(path, cached_statements=0)
    c.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name)")
    for id in range(150): c.execute(f"SELECT name FROM t WHERE id = {id}").fetchone()
""")
python("BUSY", {"failed": "INSERT INTO t", "no-timeout": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE t(a)")
    d = sqlite3.connect(path, isolation_level=None, timeout=0)
    c.execute("BEGIN IMMEDIATE")
    try: d.execute("INSERT INTO t VALUES(1)")
    except sqlite3.OperationalError: pass
    c.execute("ROLLBACK")
""")
python("READONLY", {"failed": "INSERT INTO t"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(a)")
    c.close()
    d = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
    try: d.execute("INSERT INTO t VALUES(1)")
    except sqlite3.OperationalError: pass
""")
python("FULL", {"failed": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE t(a)")
    c.execute("PRAGMA max_page_count = 3")
    try: c.execute("INSERT INTO t VALUES(zeroblob(100000))")
    except sqlite3.OperationalError: pass
""")
python("CORRUPT", {"failed": "SELECT count(b) FROM t"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE t(a, b)")
    c.execute("INSERT INTO t VALUES(1, zeroblob(20000))")
    c.close()
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\\xff" * 4096)
    d = sqlite3.connect(path)
    try: d.execute("SELECT count(b) FROM t").fetchall()
    except sqlite3.DatabaseError: pass
""")
python("LOCKED", {"failed": "DROP TABLE t"}, """
    c = sqlite3.connect(":memory:", isolation_level=None)
    c.execute("CREATE TABLE t(a)")
    c.executescript("INSERT INTO t VALUES(1); INSERT INTO t VALUES(2);")
    rows = c.execute("SELECT a FROM t")
    rows.fetchone()
    try: c.execute("DROP TABLE t")
    except sqlite3.OperationalError: pass
""")
python("committed failure", {"committed-failure": "INSERT INTO account"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, n)")
    c.execute("INSERT INTO account VALUES(1, 1)")
    c.commit()
    c.execute("UPDATE account SET n = 0 WHERE id = 1")
    try: c.execute("INSERT INTO account VALUES(1, 1)")
    except sqlite3.IntegrityError: pass
    c.commit()
""")
python("writes outside transactions", {"single-writes": "INSERT INTO t"}, """
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("PRAGMA synchronous = OFF")
    c.execute("CREATE TABLE t(a)")
    for i in range(150): c.execute("INSERT INTO t VALUES(?)", (i,))
""")
python("a commit after each write", {"single-writes": "INSERT INTO t"}, """
    c = sqlite3.connect(path)
    c.execute("PRAGMA synchronous = OFF")
    c.execute("CREATE TABLE t(a)")
    for i in range(150):
        c.execute("INSERT INTO t VALUES(?)", (i,))
        c.commit()
""")
python("foreign keys are off", {"foreign-keys": "INSERT INTO post"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE author(id INTEGER PRIMARY KEY)")
    c.execute("CREATE TABLE post(id INTEGER PRIMARY KEY, author REFERENCES author(id))")
    c.execute("INSERT INTO post(author) VALUES(17)")
    c.commit()
""")
python("foreign keys in an existing file", {"foreign-keys": "INSERT INTO post"}, """
    import subprocess
    shell = subprocess.run(["env", "-u", "LD_PRELOAD", "sqlite3", path],
        input=b"CREATE TABLE author(id INTEGER PRIMARY KEY); "
              b"CREATE TABLE post(id INTEGER PRIMARY KEY, author REFERENCES author);")
    c = sqlite3.connect(path)
    c.execute("BEGIN")
    c.execute("PRAGMA foreign_keys = ON")
    c.execute("INSERT INTO post(author) VALUES(17)")
    c.commit()
""")
python("leftover log", {"leftover-wal": None}, """
    c = sqlite3.connect(path)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("CREATE TABLE t(a)")
    c.commit()
    os._exit(0)
""")
python("version", {"version": None}, """
    c = sqlite3.connect(path)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("CREATE TABLE t(a)")
    c.commit()
    d = sqlite3.connect(path)
    d.execute("INSERT INTO t VALUES(1)")
    d.commit()
    d.close(); c.close()
""")

# MARK: Variations with libraries

python("LOCKED in a shared cache", {"failed": "SELECT a FROM t"}, """
    uri = "file:x?mode=memory&cache=shared"
    a = sqlite3.connect(uri, uri=True, isolation_level=None)
    b = sqlite3.connect(uri, uri=True, isolation_level=None)
    a.execute("CREATE TABLE t(a)")
    b.execute("SELECT a FROM t").fetchall()
    a.execute("BEGIN")
    a.execute("INSERT INTO t VALUES(1)")
    try: b.execute("SELECT a FROM t").fetchall()
    except sqlite3.OperationalError: pass
    a.execute("ROLLBACK")
""")
python("IOERR", {"failed": "INSERT INTO t"}, """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    c = sqlite3.connect(path, isolation_level=None)
    c.execute("CREATE TABLE t(a)")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))
    try: c.execute("INSERT INTO t VALUES(zeroblob(100000))")
    except sqlite3.OperationalError: pass
""")
python("log of a child that is killed", {"leftover-wal": None}, """
    import signal
    if (child := os.fork()) == 0:
        c = sqlite3.connect(path)
        c.execute("PRAGMA journal_mode = WAL")
        c.execute("CREATE TABLE t(a)")
        c.commit()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
""")
python("deadlock in one thread", {"self-wait": "INSERT INTO t", "failed": "INSERT INTO t",
                                  "open-transaction": "INSERT INTO t"}, """
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t(a)")
    c.execute("INSERT INTO t VALUES(1)")
    d = sqlite3.connect(path, timeout=0.3)
    try: d.execute("INSERT INTO t VALUES(2)")
    except sqlite3.OperationalError: pass
    c.commit()
""")
ALCHEMY = """
    from sqlalchemy import ForeignKey, create_engine, event, select
    from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
    class Base(DeclarativeBase): pass
    class Author(Base):
        __tablename__ = "author"
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str]
        posts: Mapped[list["Post"]] = relationship(back_populates="author")
    class Post(Base):
        __tablename__ = "post"
        id: Mapped[int] = mapped_column(primary_key=True)
        author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
        author: Mapped[Author] = relationship(back_populates="posts")
    engine = create_engine("sqlite:///" + path)
    @event.listens_for(engine, "connect")
    def connected(connection, record):
        if KEYS: connection.execute("PRAGMA foreign_keys = ON")
    Base.metadata.create_all(engine)
    with Session(engine) as s:
        s.add_all([Author(name=str(i), posts=[Post(), Post()]) for i in range(15)])
        s.commit()
"""
python("SQLAlchemy: N+1", {"repeated": "FROM post WHERE ? = post.author_id"},
       ALCHEMY.replace("KEYS", "True") + """
    with Session(engine) as s:
        for author in s.scalars(select(Author)): len(author.posts)
""")
python("SQLAlchemy: N+1 to distinct rows", {"repeated": "FROM author WHERE author.id = ?"},
       ALCHEMY.replace("KEYS", "True") + """
    with Session(engine) as s:
        for post in s.scalars(select(Post)): post.author.name
""")
python("SQLAlchemy: foreign keys are off", {"foreign-keys": "INSERT INTO author"},
       ALCHEMY.replace("KEYS", "False"))
python("SQLAlchemy: session across a pause", {"open-transaction": "INSERT INTO author"},
       ALCHEMY.replace("KEYS", "True") + """
    with Session(engine) as s:
        s.add(Author(name="x"))
        s.flush()
        time.sleep(0.4)
        s.commit()
""")
DJANGO = """
    import django
    from django.conf import settings
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField")
    django.setup()
    from django.db import connection, models, transaction
    class Author(models.Model):
        name = models.CharField(max_length=20)
        class Meta: app_label = "shop"
    class Post(models.Model):
        author = models.ForeignKey(Author, on_delete=models.CASCADE)
        class Meta: app_label = "shop"
    with connection.schema_editor() as editor:
        editor.create_model(Author)
        editor.create_model(Post)
    with transaction.atomic():
        for i in range(20): Post.objects.create(author=Author.objects.create(name=str(i)))
"""
python("Django: N+1", {"repeated": "WHERE \"shop_author\".\"id\" = "}, DJANGO + """
    for post in Post.objects.all(): post.author.name
""")
python("Django: update_or_create", {"upgrade": "INSERT INTO \"shop_author\""}, DJANGO + """
    Author.objects.update_or_create(name="new", defaults={"name": "newer"})
""")
python("Django: work in a transaction", {"open-transaction": "UPDATE \"shop_author\""}, DJANGO + """
    with transaction.atomic():
        Author.objects.filter(id=1).update(name="x")
        time.sleep(0.4)
""")
python("Django: a commit for each row", {"single-writes": "INSERT INTO \"shop_author\""}, DJANGO + """
    connection.cursor().execute("PRAGMA synchronous = OFF")
    for i in range(120): Author.objects.create(name=str(i))
""")

# MARK: Node.js

NODE = """
const {DatabaseSync} = require('node:sqlite');
const path = process.argv[2];
const pause = ms => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
"""


def node(name, expected, program):
    fault("Node: " + name, "node", expected, NODE + textwrap.dedent(program))


node("prepared in a loop, N+1", {"prepared": "SELECT name", "repeated": "SELECT name"}, """
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, name)');
    for (let i = 0; i < 200; i++) db.prepare('SELECT name FROM t WHERE id = ?').get(i);
""")
node("no timeout", {"no-timeout": "INSERT INTO t"}, """
    const a = new DatabaseSync(path), b = new DatabaseSync(path);
    a.exec('CREATE TABLE t(a)');
    b.prepare('SELECT a FROM t').all();
    a.exec('INSERT INTO t VALUES(1)');
    a.close(); b.close();
""")
node("writes outside transactions", {"single-writes": "INSERT INTO t"}, """
    const db = new DatabaseSync(path);
    db.exec('PRAGMA synchronous = OFF; CREATE TABLE t(a)');
    const insert = db.prepare('INSERT INTO t VALUES(?)');
    for (let i = 0; i < 200; i++) insert.run(i);
""")
node("transaction across a pause", {"open-transaction": "INSERT INTO t"}, """
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES(1)');
    pause(400);
    db.exec('COMMIT');
""")
node("foreign keys were disabled", {"foreign-keys": "INSERT INTO b"}, """
    const db = new DatabaseSync(path, {enableForeignKeyConstraints: false});
    db.exec('CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a)');
    db.exec('INSERT INTO b VALUES(7)');
""")

# MARK: PHP


def php(name, expected, program):
    fault("PHP: " + name, "php", expected, "<?php\n$path = $argv[1];\n" + textwrap.dedent(program))


php("prepared in a loop", {"prepared": "INSERT INTO t"}, """
    $db = new PDO("sqlite:$path");
    $db->exec('CREATE TABLE t(a, b)');
    $db->beginTransaction();
    for ($i = 0; $i < 200; $i++) $db->prepare('INSERT INTO t VALUES(?, ?)')->execute([$i, 1]);
    $db->commit();
""")
php("upgrade", {"upgrade": "UPDATE account"}, """
    $db = new PDO("sqlite:$path");
    $db->exec('CREATE TABLE account(id INTEGER PRIMARY KEY, n)');
    $db->exec('INSERT INTO account VALUES(1, 5)');
    $db->beginTransaction();
    $n = $db->query('SELECT n FROM account WHERE id = 1')->fetchColumn();
    $db->prepare('UPDATE account SET n = ? WHERE id = 1')->execute([$n - 1]);
    $db->commit();
""")
php("committed failure", {"committed-failure": "INSERT INTO account"}, """
    $db = new PDO("sqlite:$path");
    $db->exec('CREATE TABLE account(id INTEGER PRIMARY KEY)');
    $db->beginTransaction();
    $db->exec('INSERT INTO account VALUES(1)');
    try { $db->exec('INSERT INTO account VALUES(1)'); } catch (PDOException $e) {}
    $db->commit();
""")
php("no timeout", {"no-timeout": "INSERT INTO t"}, """
    $a = new SQLite3($path);
    $b = new SQLite3($path);
    $a->exec('CREATE TABLE t(a)');
    $b->querySingle('SELECT count(*) FROM t');
    $a->exec('INSERT INTO t VALUES(1)');
""")

# MARK: Ruby


def ruby(name, expected, program):
    head = "require 'sqlite3'\npath = ARGV[0]\n"
    fault("Ruby: " + name, "ruby", expected, head + textwrap.dedent(program))


ruby("leftover log", {"leftover-wal": None}, """
    db = SQLite3::Database.new(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE t(a)")
    exit!(0)
""")
ruby("N+1", {"repeated": "SELECT title FROM post"}, """
    db = SQLite3::Database.new(path)
    db.transaction do
      db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY)")
      db.execute("CREATE TABLE post(author INTEGER PRIMARY KEY, title)")
      20.times { |i| db.execute("INSERT INTO author VALUES(?)", [i]) }
    end
    db.execute("SELECT id FROM author").each do |row|
      db.execute("SELECT title FROM post WHERE author = ?", [row[0]])
    end
""")
ruby("a failure that is ignored", {"committed-failure": "INSERT INTO t"}, """
    db = SQLite3::Database.new(path)
    db.execute("CREATE TABLE t(a UNIQUE)")
    db.transaction do
      db.execute("INSERT INTO t VALUES(1)")
      begin
        db.execute("INSERT INTO t VALUES(1)")
      rescue SQLite3::ConstraintException
      end
    end
""")

# MARK: Go

GO = """
package main

import (
    "database/sql"
    "os"
    "time"

    _ "github.com/mattn/go-sqlite3"
)

var _ = time.Now

func must(err error) {
    if err != nil { panic(err) }
}

func exec(db interface{ Exec(string, ...interface{}) (sql.Result, error) }, text string, values ...interface{}) {
    _, err := db.Exec(text, values...)
    must(err)
}
"""


def go(name, expected, program):
    main = "func main() {\n    path := os.Args[1]\n" + textwrap.dedent(program) + "}\n"
    fault("Go: " + name, "go", expected, GO + main)


go("upgrade", {"upgrade": "UPDATE account"}, """
    db, err := sql.Open("sqlite3", path)
    must(err)
    exec(db, "CREATE TABLE account(id INTEGER PRIMARY KEY, n)")
    exec(db, "INSERT INTO account VALUES(1, 5)")
    tx, err := db.Begin()
    must(err)
    var n int
    must(tx.QueryRow("SELECT n FROM account WHERE id = ?", 1).Scan(&n))
    exec(tx, "UPDATE account SET n = ? WHERE id = ?", n-1, 1)
    must(tx.Commit())
    db.Close()
""")
go("N+1 over a pool", {"repeated": "SELECT title FROM post"}, """
    db, err := sql.Open("sqlite3", path)
    must(err)
    exec(db, "CREATE TABLE author(id INTEGER PRIMARY KEY)")
    exec(db, "CREATE TABLE post(author INTEGER PRIMARY KEY, title)")
    tx, err := db.Begin()
    must(err)
    for i := 0; i < 30; i++ { exec(tx, "INSERT INTO author VALUES(?)", i) }
    must(tx.Commit())
    rows, err := db.Query("SELECT id FROM author")
    must(err)
    for rows.Next() {
        var id int
        var title string
        must(rows.Scan(&id))
        _ = db.QueryRow("SELECT title FROM post WHERE author = ?", id).Scan(&title)
    }
    db.Close()
""")
go("self-wait", {"self-wait": "INSERT INTO t"}, """
    db, err := sql.Open("sqlite3", path + "?_txlock=immediate")
    must(err)
    exec(db, "CREATE TABLE t(a)")
    tx, err := db.Begin()
    must(err)
    exec(tx, "INSERT INTO t VALUES(1)")
    done := make(chan bool)
    go func() {
        exec(db, "INSERT INTO t VALUES(2)")
        done <- true
    }()
    time.Sleep(120 * time.Millisecond)
    must(tx.Commit())
    <-done
    db.Close()
""")

# MARK: C

C = """
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void run(sqlite3 *c, const char *text) {
    if (sqlite3_exec(c, text, 0, 0, 0)) { fprintf(stderr, "%s: %s\\n", text, sqlite3_errmsg(c)); exit(1); }
}
int main(int count, char **arguments) {
    sqlite3 *c;
    if (sqlite3_open(arguments[1], &c)) return 1;
"""


def c(name, expected, program):
    fault("C: " + name, "c", expected, C + textwrap.dedent(program) + "    return 0;\n}\n")


c("sqlite3_exec in a loop", {"single-writes": "INSERT INTO t", "prepared": "INSERT INTO t"}, """
    run(c, "PRAGMA synchronous = OFF; CREATE TABLE t(a)");
    for (int i = 0; i < 150; i++) run(c, "INSERT INTO t VALUES(1)");
    sqlite3_close(c);
""")
c("log remains", {"leftover-wal": None}, """
    run(c, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
    _exit(0);
""")
c("statement that is not reset", {"open-transaction": "SELECT a FROM t"}, """
    run(c, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)");
    sqlite3_stmt *s;
    sqlite3_prepare_v2(c, "SELECT a FROM t", -1, &s, 0);
    sqlite3_step(s);
    usleep(1300000);
    sqlite3_finalize(s);
    sqlite3_close(c);
""")
c("scan", {"scan": "SELECT count(*) FROM t WHERE b"}, """
    run(c, "CREATE TABLE t(a, b); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
           "INSERT INTO t SELECT i, i FROM n");
    run(c, "SELECT count(*) FROM t WHERE b = 7");
    sqlite3_close(c);
""")
