import Foundation

/// A Python program that uses SQLite and ends when this object is released.
final class PythonProgram {
    private let process = Process()

    /// Whether Python and its `sqlite3` module are installed.
    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sqlite3"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The process ID.
    var pid: Int32 { process.processIdentifier }

    /// Starts a program and waits for its setup.
    ///
    /// - Parameters:
    ///   - name: The name in process lists.
    ///   - database: The database. The Python code can use `path`, the path of the database, and
    ///     `c`, a connection to it.
    ///   - setup: Code that runs before this initializer returns.
    ///   - loop: Code that the program then repeats.
    /// - Throws: ``ProgramEnded`` if the program ends during its setup.
    init(_ name: String, on database: URL, setup: String, loop: String = "time.sleep(60)") throws {
        let script = """
            import sqlite3, sys, time
            open('/proc/self/comm', 'wb').write(sys.argv[1].encode())
            path = sys.argv[2]
            c = sqlite3.connect(path, isolation_level=None, timeout=60)
            c.execute("PRAGMA journal_mode=WAL")
            exec(sys.argv[3])
            print("ready", flush=True)
            while True: exec(sys.argv[4])
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, name, database.path, setup, loop]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw ProgramEnded(description: "the program \(name) ended")
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Programs that use one database: a writer, a reader that never ends its transaction, and an
/// idle program.
struct WatchedPrograms {
    let writer: PythonProgram
    let reader: PythonProgram
    let idle: PythonProgram

    init(on database: URL) throws {
        idle = try PythonProgram(
            "idle\u{1B}[31m",
            on: database,
            setup: "c.execute('CREATE TABLE orders(id INTEGER PRIMARY KEY, note TEXT)')"
        )
        reader = try PythonProgram(
            "report",
            on: database,
            setup: """
                c.execute("INSERT INTO orders(note) VALUES ('first')")
                c.execute("BEGIN"); c.execute("SELECT count(*) FROM orders").fetchall()
                """
        )
        writer = try PythonProgram(
            "worker",
            on: database,
            setup: "",
            loop: """
                c.execute("BEGIN IMMEDIATE")
                c.execute("INSERT INTO orders(note) VALUES ('more')")
                time.sleep(0.02); c.execute("COMMIT"); time.sleep(0.02)
                """
        )
    }
}
