require "sqlite3"
path, finish = ARGV[0], Time.now + ARGV[1].to_f
c = SQLite3::Database.new(path)
c.execute("PRAGMA journal_mode = wal")
c.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, hits INTEGER, name TEXT)")
200.times { |i| c.execute("INSERT INTO item (name) VALUES (?)", ["item #{i}"]) }
while Time.now < finish
  c.execute("SELECT id FROM item ORDER BY id DESC LIMIT 25").each do |row|
    c.execute("SELECT name FROM item WHERE id = ?", row)
  end
  sleep 0.03
end
