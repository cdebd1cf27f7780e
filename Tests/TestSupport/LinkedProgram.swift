import Foundation

/// A C program that contains SQLite and executes the statements from its standard input.
package final class LinkedProgram {
    /// How the program is linked.
    package enum Kind: String, CaseIterable, Sendable {
        case relocatable, fixed
        case strippedRelocatable, strippedFixed
        /// A program without a dynamic loader.
        case strippedStatic, strippedRelocatableStatic

        fileprivate var options: [String] {
            switch self {
            case .relocatable: ["-fPIE", "-pie"]
            case .fixed: ["-no-pie"]
            case .strippedRelocatable: ["-fPIE", "-pie", "-s"]
            case .strippedFixed: ["-no-pie", "-s"]
            case .strippedStatic: ["-static", "-s"]
            case .strippedRelocatableStatic: ["-fPIE", "-static-pie", "-s"]
            }
        }
    }

    /// Whether a C compiler and a static library of SQLite are installed.
    package static let isAvailable: Bool = {
        let folder = TemporaryFolder()
        return (try? compile(.fixed, to: folder.file("program"))) != nil
    }()

    private static let source = """
        #include <sqlite3.h>
        #include <stdio.h>
        #include <string.h>
        int main(int count, char **arguments) {
            static char line[4096];
            sqlite3 *connection;
            if (sqlite3_open(arguments[1], &connection) != SQLITE_OK) return 1;
            while (fgets(line, sizeof line, stdin)) {
                sqlite3_stmt *statement;
                line[strcspn(line, "\\n")] = 0;
                int code = sqlite3_prepare_v2(connection, line, -1, &statement, 0);
                while (code == SQLITE_OK || code == SQLITE_ROW) code = sqlite3_step(statement);
                sqlite3_finalize(statement);
                puts(code == SQLITE_DONE ? "ok" : sqlite3_errmsg(connection));
                fflush(stdout);
            }
            return sqlite3_close(connection);
        }
        """

    /// Compiles the program.
    ///
    /// - Parameters:
    ///   - kind: How to link the program.
    ///   - path: The path of the program.
    ///   - options: Further options of the compiler.
    ///   - text: The text of another program.
    /// - Throws: An error if the program cannot be compiled.
    package static func compile(
        _ kind: Kind,
        to path: String,
        options: [String] = [],
        text: String? = nil
    ) throws {
        let source = path + ".c"
        try Data((text ?? Self.source).utf8).write(to: URL(fileURLWithPath: source))
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/gcc")
        compiler.arguments =
            [source, "-o", path] + kind.options + options + ["-l:libsqlite3.a", "-lm"]
        compiler.standardError = FileHandle.nullDevice
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw ForeignProgram.Failure(description: "the program cannot be compiled")
        }
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The process ID.
    package var pid: Int32 { process.processIdentifier }

    /// Starts a program with a connection to a database.
    ///
    /// If a command is given, such as one that changes the root directory, that command starts the
    /// program.
    package init(_ program: String, database: String, through command: [String] = []) throws {
        let words = command + [program, database]
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    /// Starts a statement without waiting for it to end.
    package func begin(_ sql: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
    }

    /// Executes a statement, and throws an error if it fails.
    package func execute(_ sql: String) throws {
        try begin(sql)
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer == "ok\n" else { throw ForeignProgram.Failure(description: answer) }
    }
}
