require "json"
require "sqlite3"
path, finish = ARGV[0], Time.now + ARGV[1].to_f
c = SQLite3::Database.new(path)
c.execute("PRAGMA journal_mode = wal")
c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
c.execute("INSERT INTO item VALUES (1, 0, '')")
c.close
prints = true
2.times do
  next unless fork.nil?
  prints = false
  break
end
c = SQLite3::Database.new(path)
c.busy_timeout(20_000)
done = failed = 0
while Time.now < finish
  begin
    c.transaction do
      c.execute("SELECT hits FROM item WHERE id = 1")
      sleep 0.004
      c.execute("UPDATE item SET hits = hits + 1 WHERE id = 1")
    end
    done += 1
  rescue SQLite3::BusyException
    failed += 1
  end
end
puts JSON.generate(done: done, failed: failed) if prints
