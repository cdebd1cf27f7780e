# A driver for poolgauge (docs/Drivers.md): the gem sqlite3 with threads.
#
# Each thread has its own connection, or takes one from a pool of `readers` connections.
#
# While a statement runs, the gem holds Ruby's global lock. The driver's busy handler sleeps, which
# releases the lock, so that other threads can run: the one that holds the database's lock, for
# example. With the option `release: false`, SQLite's own handler waits instead, and no other thread
# can run meanwhile. (See https://github.com/rails/rails/pull/51958.)
require "json"
require "socket"
require "sqlite3"

NAMES = { 5 => "SQLITE_BUSY", 6 => "SQLITE_LOCKED", 517 => "SQLITE_BUSY_SNAPSHOT" }.freeze

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

class Connection
  def initialize(setup)
    @database = SQLite3::Database.new(setup["database"])
    wait(setup["busyTimeout"] || 5000, setup["busyPause"], setup.dig("options", "release") != "false")
    setup["pragmas"].each { |pragma| @database.execute(pragma) }
    # The driver keeps prepared statements, as Active Record does.
    @accesses = setup["accesses"].map do |access|
      list = access["statements"].map { |s| [@database.prepare(s["sql"]), s["parameters"]] }
      # A single statement is a read transaction of its own.
      next [nil, list] if access["kind"] == "plain" || (access["kind"] == "read" && list.size == 1)
      [access["kind"] == "write" ? setup["begin"] : "BEGIN DEFERRED", list]
    end
    @accesses << [nil, []] # The access -1 has no statements.
  end

  # Sets how the connection waits for a lock, in milliseconds.
  def wait(timeout, pause, releases)
    return @database.busy_timeout(timeout) unless releases
    @database.busy_handler do |count|
      @deadline = now + timeout * 1_000_000 if count.zero?
      next false if now > @deadline
      sleep((pause || 1) / 1000.0)
      true
    end
  end

  # Returns the number of rows, or the failure as text.
  def perform(id, values)
    start, statements = @accesses[id]
    rows = first = 0
    @database.execute(start) if start
    statements.each do |statement, parameters|
      statement.reset!
      index = 0
      statement.bind_param(index, values[first + index - 1]) while (index += 1) <= parameters
      rows += 1 while statement.step
      statement.reset!
      first += parameters
    end
    @database.execute("COMMIT") if start
    rows
  rescue SQLite3::Exception => error
    statements.each { |statement, _| statement.reset! rescue nil }
    @database.execute("ROLLBACK") if @database.transaction_active?
    code = error.code || 1
    "#{NAMES[code] || NAMES[code & 255] || code} #{error.message}"[0, 200]
  end
end

class Pool
  def initialize(setup)
    @setup = setup
    @size = setup["readers"]
    @idle = Queue.new
    @size&.times { @idle << Connection.new(setup) }
  end

  def with
    return yield(Thread.current[:connection] ||= Connection.new(@setup)) unless @size
    connection = @idle.pop
    begin
      yield connection
    ensure
      @idle << connection
    end
  end
end

# Blobs and large integers are objects.
def value(json)
  return json unless json.is_a?(Hash)
  json["b"] ? SQLite3::Blob.new([json["b"]].pack("H*")) : Integer(json["i"])
end

def lane(path, pool)
  socket = UNIXSocket.new(path)
  while (line = socket.gets)
    answers = []
    JSON.parse(line).each do |id, *values|
      values.map! { |item| value(item) } if values.any?(Hash)
      start = now
      pool.with do |connection|
        entry = now
        result = connection.perform(id, values)
        answers.push(entry - start, now - entry, result)
      end
    end
    socket.write(JSON.generate(answers) << "\n")
  end
rescue Errno::EPIPE, Errno::ECONNRESET
  nil # The run has ended.
end

$stdout.sync = true
Thread.report_on_exception = true
begin
  setup = JSON.parse($stdin.gets)
  Connection.new(setup)
  pool = Pool.new(setup)
  puts JSON.generate(ready: true, runtime: "Ruby #{RUBY_VERSION}, sqlite3 #{SQLite3::VERSION}",
                     sqlite: SQLite3::SQLITE_VERSION)
rescue SQLite3::Exception => error
  puts JSON.generate(error: error.message)
end
while (line = $stdin.gets)
  request = JSON.parse(line)
  request["lanes"].times { Thread.new { lane(request["socket"], pool) } }
end
