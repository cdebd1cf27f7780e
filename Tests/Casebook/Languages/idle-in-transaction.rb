require "sqlite3"
path, finish = ARGV[0], Time.now + ARGV[1].to_f
c = SQLite3::Database.new(path)
c.execute("PRAGMA journal_mode = wal")
c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
c.execute("INSERT INTO item VALUES (1, 0, '')")
c.close
if fork.nil?
  c = SQLite3::Database.new(path)
  c.busy_timeout(250)
  while Time.now < finish
    begin
      c.execute("INSERT INTO item (hits) VALUES (1)")
    rescue SQLite3::BusyException
    end
    sleep 0.05
  end
  exit!
end
c = SQLite3::Database.new(path)
while Time.now < finish
  c.transaction(:immediate) do
    c.execute("SELECT count(*) FROM item")
    sleep 0.8
    c.execute("UPDATE item SET hits = 1 WHERE id = 1")
  end
  sleep 0.1
end
