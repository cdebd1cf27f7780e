"""Test suites without a fault, as people write them, in several languages."""

import os
import pathlib
import shutil
import textwrap

PYTEST = {
    "store.py": """
        import sqlite3

        class Store:
            def __init__(self, path):
                self.c = sqlite3.connect(path)
                self.c.execute("PRAGMA foreign_keys = ON")
                self.c.executescript('''
                    CREATE TABLE IF NOT EXISTS owner(id INTEGER PRIMARY KEY, name UNIQUE);
                    CREATE TABLE IF NOT EXISTS item(
                        id INTEGER PRIMARY KEY, owner REFERENCES owner(id), text, state);
                    CREATE INDEX IF NOT EXISTS item_owner ON item(owner);
                ''')

            def add_owner(self, name):
                with self.c:
                    return self.c.execute("INSERT INTO owner(name) VALUES(?)", (name,)).lastrowid

            def add_items(self, owner, texts):
                with self.c:
                    self.c.executemany(
                        "INSERT INTO item(owner, text, state) VALUES(?, ?, 'new')",
                        [(owner, text) for text in texts])

            def items(self, owner):
                return self.c.execute(
                    "SELECT id, text FROM item WHERE owner = ? ORDER BY id", (owner,)).fetchall()

            def new_items(self):
                return self.c.execute("SELECT text FROM item WHERE state = 'new' ORDER BY text").fetchall()

            def finish(self, id):
                with self.c:
                    self.c.execute("UPDATE item SET state = 'done' WHERE id = ?", (id,))

            def close(self):
                self.c.close()
    """,
    "test_store.py": """
        import sqlite3, threading
        import pytest
        from store import Store

        @pytest.fixture(params=["file", "memory"])
        def store(request, tmp_path):
            store = Store(":memory:" if request.param == "memory" else str(tmp_path / "app.db"))
            yield store
            store.close()

        @pytest.mark.parametrize("count", range(40))
        def test_items(store, count):
            owner = store.add_owner("a")
            store.add_items(owner, [str(i) for i in range(count)])
            assert [text for _, text in store.items(owner)] == [str(i) for i in range(count)]
            assert len(store.new_items()) == count

        def test_names_are_unique(store):
            store.add_owner("a")
            with pytest.raises(sqlite3.IntegrityError):
                store.add_owner("a")

        def test_finish(store):
            owner = store.add_owner("a")
            store.add_items(owner, "abcdefghijkl")
            for id, _ in store.items(owner)[:8]:
                store.finish(id)
            assert store.new_items() == [("i",), ("j",), ("k",), ("l",)]

        def test_large(tmp_path):
            store = Store(str(tmp_path / "app.db"))
            owner = store.add_owner("a")
            store.add_items(owner, [str(i) for i in range(5000)])
            assert len(store.items(owner)) == 5000
            store.close()

        def test_two_connections(tmp_path):
            path = str(tmp_path / "app.db")
            first, second = Store(path), Store(path)
            first.add_owner("a")
            second.add_owner("b")
            assert first.c.execute("SELECT name FROM owner ORDER BY name").fetchall() == [("a",), ("b",)]
            first.close()
            second.close()

        def test_threads(tmp_path):
            path = str(tmp_path / "app.db")
            Store(path).close()
            def work(name):
                store = Store(path)
                store.add_owner(name)
                store.close()
            for name in "abcd":
                thread = threading.Thread(target=work, args=(name,))
                thread.start()
                thread.join()
    """,
}

DJANGO = {
    "manage.py": """
        import os, sys
        os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
        from django.core.management import execute_from_command_line
        execute_from_command_line(sys.argv)
    """,
    "settings.py": """
        import os
        SECRET_KEY = "x"
        INSTALLED_APPS = [
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "shop"]
        DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "app.db"}}
        if os.environ.get("TEST_FILE"):
            DATABASES["default"]["TEST"] = {"NAME": "test.db"}
        DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
        PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
        USE_TZ = True
    """,
    "shop/__init__.py": "",
    "shop/models.py": """
        from django.contrib.auth.models import User
        from django.db import models

        class Order(models.Model):
            customer = models.ForeignKey(User, on_delete=models.CASCADE, related_name="orders")
            number = models.IntegerField(unique=True)

        class Line(models.Model):
            order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
            text = models.CharField(max_length=50)
    """,
    "shop/tests.py": """
        import time
        from django.contrib.auth.models import User
        from django.db import IntegrityError, transaction
        from django.test import TestCase, TransactionTestCase
        from shop.models import Line, Order

        class OrderTests(TestCase):
            @classmethod
            def setUpTestData(cls):
                cls.user = User.objects.create_user("a", password="b")
                for number in range(20):
                    order = Order.objects.create(customer=cls.user, number=number)
                    Line.objects.bulk_create([Line(order=order, text=str(i)) for i in range(3)])

            def test_lines(self):
                orders = Order.objects.prefetch_related("lines").select_related("customer")
                self.assertEqual(sum(len(order.lines.all()) for order in orders), 60)

            def test_unique(self):
                with self.assertRaises(IntegrityError), transaction.atomic():
                    Order.objects.create(customer=self.user, number=1)
                self.assertEqual(Order.objects.count(), 20)

            def test_get_or_create(self):
                order, created = Order.objects.get_or_create(number=100, customer=self.user)
                self.assertTrue(created)
                order.delete()

            def test_slow(self):
                time.sleep(0.3)
                self.assertTrue(self.client.login(username="a", password="b"))

        for i in range(60):
            def test(self, i=i):
                order = Order.objects.get(number=i % 20)
                self.assertEqual(order.customer_id, self.user.id)
                order.number = 1000 + i
                order.save()
            setattr(OrderTests, f"test_{i}", test)

        class CommitTests(TransactionTestCase):
            def test_create(self):
                user = User.objects.create_user("a", password="b")
                with transaction.atomic():
                    order = Order.objects.create(customer=user, number=1)
                    Line.objects.create(order=order, text="x")
                self.assertEqual(Line.objects.count(), 1)
    """,
}

NODE = {
    "store.test.js": """
        const {test, beforeEach, afterEach} = require('node:test');
        const assert = require('node:assert');
        const {DatabaseSync} = require('node:sqlite');
        let db, add, get;
        beforeEach(() => {
            db = new DatabaseSync(':memory:');
            db.exec('CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT UNIQUE)');
            add = db.prepare('INSERT INTO user(name) VALUES(?)');
            get = db.prepare('SELECT name FROM user WHERE id = ?');
        });
        afterEach(() => db.close());
        for (let i = 0; i < 50; i++) test(`adds ${i} users`, () => {
            for (let j = 0; j < i; j++) add.run('name' + j);
            assert.equal(db.prepare('SELECT count(*) AS n FROM user').get().n, i);
            if (i) assert.equal(get.get(1).name, 'name0');
        });
        test('names are unique', () => {
            add.run('a');
            assert.throws(() => add.run('a'));
        });
        test('a file', t => {
            const file = new DatabaseSync('file.db');
            file.exec('CREATE TABLE t(a)');
            file.exec('BEGIN IMMEDIATE');
            const insert = file.prepare('INSERT INTO t VALUES(?)');
            for (let i = 0; i < 300; i++) insert.run(i);
            file.exec('COMMIT');
            assert.equal(file.prepare('SELECT count(*) AS n FROM t').get().n, 300);
            file.close();
        });
    """,
}

GO = {
    "store_test.go": """
        package store

        import (
            "database/sql"
            "fmt"
            "path/filepath"
            "testing"

            _ "github.com/mattn/go-sqlite3"
        )

        func open(t *testing.T) *sql.DB {
            db, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "app.db")+"?_fk=1&_txlock=immediate")
            if err != nil { t.Fatal(err) }
            t.Cleanup(func() { db.Close() })
            for _, text := range []string{
                "CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
                "CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a(id))",
            } {
                if _, err := db.Exec(text); err != nil { t.Fatal(err) }
            }
            return db
        }

        func TestMany(t *testing.T) {
            for i := 0; i < 20; i++ {
                t.Run(fmt.Sprint(i), func(t *testing.T) {
                    db := open(t)
                    tx, err := db.Begin()
                    if err != nil { t.Fatal(err) }
                    for j := 0; j < 30; j++ {
                        if _, err := tx.Exec("INSERT INTO a(name) VALUES(?)", fmt.Sprint(j)); err != nil { t.Fatal(err) }
                    }
                    if err := tx.Commit(); err != nil { t.Fatal(err) }
                    var n int
                    if err := db.QueryRow("SELECT count(*) FROM a").Scan(&n); err != nil || n != 30 { t.Fatal(n, err) }
                })
            }
        }

        func TestConstraint(t *testing.T) {
            db := open(t)
            if _, err := db.Exec("INSERT INTO b(a) VALUES(7)"); err == nil { t.Fatal("no error") }
            tx, _ := db.Begin()
            tx.Exec("INSERT INTO a(name) VALUES('x')")
            if _, err := tx.Exec("INSERT INTO a(name) VALUES('x')"); err == nil { t.Fatal("no error") }
            tx.Rollback()
        }
    """,
}

RUBY = {
    "test_store.rb": """
        require "minitest/autorun"
        require "sqlite3"
        require "tmpdir"

        class StoreTest < Minitest::Test
          def setup
            @folder = Dir.mktmpdir
            @db = SQLite3::Database.new(File.join(@folder, "app.db"))
            @db.busy_timeout = 1000
            @db.execute("PRAGMA foreign_keys = ON")
            @db.execute("CREATE TABLE user(id INTEGER PRIMARY KEY, name UNIQUE)")
          end

          def teardown
            @db.close
            FileUtils.remove_entry(@folder)
          end

          30.times do |i|
            define_method("test_users_#{i}") do
              @db.transaction { i.times { |j| @db.execute("INSERT INTO user(name) VALUES(?)", ["n#{j}"]) } }
              assert_equal i, @db.get_first_value("SELECT count(*) FROM user")
            end
          end

          def test_unique
            @db.execute("INSERT INTO user(name) VALUES('a')")
            assert_raises(SQLite3::ConstraintException) { @db.execute("INSERT INTO user(name) VALUES('a')") }
          end
        end
    """,
}

SUITES = {
    "healthy: pytest": PYTEST,
    "healthy: Django in memory": DJANGO,
    "healthy: Django on a file": DJANGO,
    "healthy: node:test": NODE,
    "healthy: go test": GO,
    "healthy: minitest": RUBY,
}


def prepare(name, folder, languages):
    """Writes the files of a suite, and returns its command and environment, or the reason why it cannot
    run."""
    for path, text in SUITES[name].items():
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    python = languages.python
    if name == "healthy: pytest":
        if os.system(f"'{python}' -c 'import pytest' 2> /dev/null"):
            return "pytest", None
        return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], None
    if name.startswith("healthy: Django"):
        if os.system(f"'{python}' -c 'import django' 2> /dev/null"):
            return "Django", None
        environment = {"TEST_FILE": "1"} if name.endswith("file") else {}
        for arguments in (["makemigrations", "shop", "-v0"],):
            os.system(f"cd '{folder}' && '{python}' manage.py {' '.join(arguments)}")
        return [python, "manage.py", "test", "-v0"], environment
    if name == "healthy: node:test":
        if not languages.node:
            return "Node.js", None
        return [languages.node, "--no-warnings", "--test"], None
    if name == "healthy: go test":
        if not shutil.which("go") or not os.path.isdir("/usr/share/gocode"):
            return "Go with golang-github-mattn-go-sqlite3-dev", None
        return ["go", "test", "-tags", "libsqlite3", "-v", "./..."], {
            "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "",
            "GOCACHE": str(languages.scratch / "go"),
        }
    if not shutil.which("ruby"):
        return "Ruby", None
    return ["ruby", "test_store.rb"], None
