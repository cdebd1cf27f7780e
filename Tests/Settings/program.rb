# Opens connections with settings that are set in different ways: program.rb WAL ROLLBACK.
require "io/wait"
require "json"
require "sqlite3"

wal, rollback = ARGV
[[wal, "wal"], [rollback, "delete"]].each do |path, mode|
  connection = SQLite3::Database.new(path)
  connection.execute("PRAGMA journal_mode = #{mode}")
  connection.execute("CREATE TABLE IF NOT EXISTS t(a)")
  connection.close
end
$connections = []
def add(connection, *statements, **known)
  statements.each { |statement| connection.execute(statement) }
  $connections << [connection, known]
end
NAMES = %w[busy_timeout synchronous journal_mode cache_size mmap_size wal_autocheckpoint
           foreign_keys locking_mode query_only].freeze
def values(connection, known)
  connection.execute("SELECT count(*) FROM t")
  found = { "read_only" => false, "shared_cache" => false, "threading" => "serialized",
            "own_handler" => false, "own_hook" => false }
  NAMES.each { |name| found[name] = connection.get_first_value("PRAGMA #{name}") }
  found.merge(known.transform_keys(&:to_s))
end
Database = SQLite3::Database
add(Database.new(wal))
timeout = Database.new(wal)
timeout.busy_timeout = 7500
add(timeout, "PRAGMA cache_size = -1001")
add(Database.new(wal), "PRAGMA cache_size = 1002", "PRAGMA busy_timeout = 4321")
level = Database.new(wal)
level.synchronous = "off"
add(level, "PRAGMA cache_size = -1003")
add(Database.new(wal), "PRAGMA cache_size = -1004", "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON")
add(Database.new(wal), "PRAGMA cache_size = 1006", "PRAGMA mmap_size = 268435456", "PRAGMA wal_autocheckpoint = 0")
add(Database.new(wal), "PRAGMA cache_size = -1007", "PRAGMA mmap_size = 99999999999", "PRAGMA wal_autocheckpoint = 17")
add(Database.new(wal), "PRAGMA cache_size = -1008", "PRAGMA query_only = 1")
add(Database.new(wal, readonly: true), "PRAGMA cache_size = -1009", read_only: true)
add(Database.new("file:#{wal}?cache=shared"), "PRAGMA cache_size = -1010", shared_cache: true)
own = Database.new(wal)
own.busy_handler { |_count| false }
add(own, "PRAGMA cache_size = -1012", own_handler: true)
%w[DELETE TRUNCATE PERSIST MEMORY OFF].each_with_index do |mode, index|
  add(Database.new(rollback), "PRAGMA cache_size = -#{1101 + index}", "PRAGMA journal_mode = #{mode}")
end
puts JSON.generate($connections.map { |entry| values(*entry) })
$stdout.flush
loop do
  if $stdin.wait_readable(0) && (line = $stdin.gets)
    $connections[0][0].execute(line)
    puts JSON.generate(values(*$connections[0]))
    $stdout.flush
  end
  $connections.each { |connection, _| connection.execute("SELECT count(*) FROM t") }
  sleep 0.02
end
