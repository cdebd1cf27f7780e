#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that a session does not change the watched files, and that only its helper opens them.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct UntouchedFilesTests {
    private let folder = TemporaryFolder()
    private static let strace = "/usr/bin/strace"

    /// The attributes and the content of a file.
    private struct State: Equatable {
        var size: Int
        var modified: timespec
        var changed: timespec
        var content: Data?

        init?(_ path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return nil }
            size = Int(information.st_size)
            modified = information.st_mtim
            changed = information.st_ctim
            content = FileManager.default.contents(atPath: path)
        }

        static func == (left: State, right: State) -> Bool {
            left.size == right.size && left.content == right.content
                && left.modified.tv_sec == right.modified.tv_sec
                && left.modified.tv_nsec == right.modified.tv_nsec
                && left.changed.tv_sec == right.changed.tv_sec
                && left.changed.tv_nsec == right.changed.tv_nsec
        }
    }

    private func states() -> [State?] {
        ["", "-wal", "-shm", "-journal"].map { State(folder.file() + $0) }
    }

    private func program(mode: String) throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path); c.execute("pragma journal_mode=\(mode)")
            c.execute("create table t(x)")
            c.execute("begin immediate"); c.execute("insert into t values(1)")
            """
        )
        return program
    }

    @Test(arguments: ["wal", "delete"])
    func sizesContentsAndTimesRemainUnchanged(mode: String) throws {
        let program = try program(mode: mode)
        let before = states()
        let session = try WatchSession.watching(folder.file())
        let report = session.report(samples: 50)
        #expect(report.processes.map(\.pid) == [program.pid])
        #expect(states() == before)
        #expect(before.compactMap(\.self).count >= 2)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: strace), "strace is missing"))
    func onlyTheHelperOpensTheFilesAndNoLockIsSet() throws {
        let program = try program(mode: "wal")
        let trace = folder.file("trace")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.strace)
        process.arguments =
            [
                "-f", "-y", "-o", trace, "-e", "trace=file,desc,mmap,ftruncate,fallocate,flock",
            ] + helperCommand + ["watch", folder.file(), "1000"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // In a sandbox that forbids tracing, the test cannot check the calls.
        guard process.terminationStatus == 0 else { return }
        let report = try JSONDecoder().decode(WatchReport.self, from: data)
        #expect(report.locks(program).contains(.writer))
        #expect(report.processes.count == 1)

        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        // A path after a quotation mark is an argument. A path after a bracket belongs to a
        // descriptor.
        let databaseCalls = lines.filter { line in
            (line.contains("\"" + folder.file()) || line.contains("<" + folder.file()))
                && !line.contains("execve(")
                // If another process interrupts a call, only the first part contains the arguments.
                && !line.contains(" resumed>")
        }
        let watcher = try #require(lines.first?.split(separator: " ").first)
        func call(_ line: Substring) -> Substring {
            line.drop { $0 != " " }.drop { $0 == " " }.prefix { $0 != "(" }
        }
        let watcherCalls = databaseCalls.filter { $0.hasPrefix(watcher + " ") }.map(call)
        #expect(
            Set(watcherCalls).isSubset(of: [
                "newfstatat", "stat", "lstat", "readlink", "readlinkat",
            ])
        )
        let helperCalls = databaseCalls.filter { !$0.hasPrefix(watcher + " ") }
        let opens = helperCalls.filter { call($0) == "openat" }
        #expect(!opens.isEmpty)
        #expect(opens.allSatisfy { $0.contains("O_RDONLY") && !$0.contains("O_CREAT") })
        #expect(
            Set(helperCalls.map(call)).isSubset(
                of: ["openat", "newfstatat", "stat", "pread64", "fcntl", "close"]
            )
        )
        let locks = lines.filter { call($0) == "fcntl" && $0.contains("F_") }
        #expect(!locks.contains { $0.contains("SETLK") })
    }
}
#endif
