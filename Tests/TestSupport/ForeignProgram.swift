import Foundation

/// A Python process that uses SQLite and runs code from tests.
///
/// Each step is Python code that ends before the call returns, so tests need no sleeps.
package final class ForeignProgram {
    /// An error with the program's response, if the response is not "ok".
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// The path of a Python interpreter with the `sqlite3` module, or `nil` if none is installed.
    package static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        path in
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", "import sqlite3"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether such an interpreter is installed.
    package static var isAvailable: Bool { python != nil }

    private static let script = """
        import sys, json, os, time, threading, sqlite3
        def connect(path, **more):
            return sqlite3.connect(path, isolation_level=None, check_same_thread=False, **more)
        for line in sys.stdin:
            try:
                exec(json.loads(line), globals())
                print("ok", flush=True)
            except BaseException as error:
                print("error", repr(error), flush=True)
        """

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var text: [UInt8] = []

    /// The process ID.
    package var pid: Int32 { process.processIdentifier }

    /// Starts a program whose variable `path` is the path of a database.
    ///
    /// If a command is given, such as one that changes the user, that command starts the program.
    package init(_ path: String, name: String? = nil, through command: [String] = []) throws {
        let words = command + [Self.python ?? "/nonexistent", "-c", Self.script]
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try run("path = \(Self.json(path))")
        if let name {
            try run("open('/proc/self/comm', 'wb').write(\(Self.json(name)).encode())")
        }
    }

    deinit {
        if process.isRunning { Foundation.kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    /// Runs code and waits for it to end.
    package func run(_ code: String) throws {
        try begin(code)
        try finish()
    }

    /// Starts code without waiting for it to end.
    package func begin(_ code: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((Self.json(code) + "\n").utf8))
    }

    /// Waits for the started code to end.
    package func finish() throws {
        while true {
            if let end = text.firstIndex(of: 0x0a) {
                let line = String(decoding: text[..<end], as: UTF8.self)
                text.removeSubrange(...end)
                if line == "ok" { return }
                throw Failure(description: line)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(description: "the program ended") }
            text += more
        }
    }

    /// Kills the process without cleanup.
    package func kill() {
        Foundation.kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    private static func json(_ text: String) -> String {
        let encoder = JSONEncoder()
        // Python also parses the text and does not support escaped slashes.
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = (try? encoder.encode(text)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
