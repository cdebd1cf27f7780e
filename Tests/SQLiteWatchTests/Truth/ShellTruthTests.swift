#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

private let shell = "/usr/bin/sqlite3"
private let hasShell = FileManager.default.isExecutableFile(atPath: shell)

/// Tests that reports about the `sqlite3` shell match the shell's behavior.
@Suite(.enabled(if: hasShell, "the sqlite3 shell is missing"), .timeLimit(.minutes(1)))
struct ShellTruthTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["wal", "delete"])
    func theShellHoldsItsLockInsideATransaction(mode: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["-batch", folder.file()]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        func run(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\nselect 'done';\n".utf8))
            var text = ""
            while !text.contains("done") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { return }
                text += String(decoding: data, as: UTF8.self)
            }
        }
        try run("pragma journal_mode=\(mode); create table t(x);")
        try run("begin immediate; insert into t values(1);")
        let session = try WatchSession.watching(folder.file())
        let held = session.report()
        #expect(held.processes.map(\.name) == ["sqlite3"])
        let locks = held.processes.first?.locks.map(\.kind) ?? []
        #expect(locks.first == (mode == "wal" ? .writer : .reserved))
        try run("commit;")
        let after = session.report()
        #expect(after.processes.first?.locks.isEmpty == true)
        #expect((after.wal?.commits ?? after.rollback?.transactions) == 1)
    }
}
#endif
