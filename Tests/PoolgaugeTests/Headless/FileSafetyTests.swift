import Foundation
import Telemetry
import TestSupport
import Testing

@testable import poolgauge

/// Tests files and folders that other users can see, and unusual environments.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FileSafetyTests {
    private static let quick = ["--duration", "1s", "--arm", "pool", "--progress", "never"]

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Runs the program with a file mode creation mask.
    private func run(
        _ arguments: [String],
        umask mask: String,
        in folder: URL
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "umask \(mask); exec \"$0\" \"$@\"", Program.path] + arguments
        process.environment = Program.environment(temporary: folder)
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Expects that the program ended normally, possibly with a missed threshold or an invalid
    /// measurement.
    private func expectEnd(_ status: Int32, _ output: String) {
        #expect([0, 3, 5].contains(status), "\(output)")
    }

    @Test(arguments: ["077", "022", "000"])
    func aKeptFolderIsPrivate(mask: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try run(
                ["run", "ycsb-a", "--keep", "--output", "out.txt"] + Self.quick,
                umask: mask,
                in: folder
            )
            expectEnd(outcome.status, outcome.output)
            let kept = contents(of: folder).filter { $0.hasPrefix("poolgauge-") }
            #expect(kept.count == 1, "\(contents(of: folder))")
            for name in kept { #expect(mode(folder.path + "/" + name) == 0o700) }
            #expect(mode(folder.path + "/out.txt") == (mask == "077" ? 0o600 : 0o644))
        }
    }

    @Test(.enabled(if: geteuid() == 0), arguments: ["link", "dangling", "fifo"])
    func anotherUsersLinkOrFIFOInASharedFolderIsRejected(kind: String) throws {
        try withTemporaryFolder { folder in
            #expect(chmod(folder.path, 0o1777) == 0)
            let victim = folder.appendingPathComponent("victim").path
            let path = folder.appendingPathComponent("report.txt").path
            if kind == "link" { try Data("previous".utf8).write(to: URL(fileURLWithPath: victim)) }
            if kind == "fifo" {
                #expect(mkfifo(path, 0o666) == 0)
            } else {
                #expect(symlink(victim, path) == 0)
            }
            #expect(lchown(path, 65_534, 65_534) == 0)
            let error = #expect(throws: CommandFailure.self) { try ReportDestination(path: path) }
            #expect(error?.message.contains(path) == true)
            if kind == "link" {
                #expect(try String(contentsOfFile: victim, encoding: .utf8) == "previous")
            } else {
                #expect(!FileManager.default.fileExists(atPath: victim))
            }
            // The user's own links and links of the folder's owner are followed.
            #expect(lchown(path, 0, 0) == 0)
            if kind != "fifo" { #expect(throws: Never.self) { try ReportDestination(path: path) } }
        }
    }

    @Test func aReportIsWrittenToADevice() throws {
        try withTemporaryFolder { folder in
            for device in ["/dev/null", "/dev/stdout", "/dev/fd/1"] {
                let outcome = try HeadlessProgram.run(
                    ["run", "ycsb-a", "--output", device] + Self.quick,
                    in: folder
                )
                expectEnd(outcome.status, outcome.errors)
                #expect(outcome.output.contains("ycsb-a") == (device != "/dev/null"))
            }
            // A new file in memory is not a device.
            let memory = "/dev/shm"
            if FileManager.default.isWritableFile(atPath: memory) {
                let path = "\(memory)/poolgauge-\(UUID().uuidString)"
                defer { try? FileManager.default.removeItem(atPath: path) }
                let outcome = try HeadlessProgram.run(
                    ["run", "ycsb-a", "--output", path] + Self.quick,
                    in: folder
                )
                expectEnd(outcome.status, outcome.errors)
                #expect(try String(contentsOfFile: path, encoding: .utf8).contains("ycsb-a"))
            }
            let full = try HeadlessProgram.run(
                ["run", "ycsb-a", "--output", "/dev/full"] + Self.quick,
                in: folder
            )
            #expect(full.status == 1)
            #expect(full.errors.contains("cannot write to /dev/full: No space left"))
            #expect(contents(of: folder) == [])
        }
    }

    @Test func aReportIsWrittenToAFIFO() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("pipe").path
            #expect(mkfifo(path, 0o600) == 0)
            let reader = Process()
            reader.executableURL = URL(fileURLWithPath: "/bin/cat")
            reader.arguments = [path]
            let output = Pipe()
            reader.standardOutput = output
            try reader.run()
            let outcome = try HeadlessProgram.run(
                ["run", "ycsb-a", "--output", path] + Self.quick,
                in: folder
            )
            let text = output.fileHandleForReading.readDataToEndOfFile()
            reader.waitUntilExit()
            expectEnd(outcome.status, outcome.errors)
            #expect(String(decoding: text, as: UTF8.self).contains("ycsb-a on pool"))
            #expect(contents(of: folder) == ["pipe"])
        }
    }

    @Test func twoProcessesUseCopiesOfAKeptDatabase() throws {
        try withTemporaryFolder { folder in
            let kept = try HeadlessProgram.run(
                ["run", "ycsb-a", "--keep", "--output", "first.txt"] + Self.quick,
                in: folder
            )
            expectEnd(kept.status, kept.errors)
            let name = try #require(contents(of: folder).first { $0.hasPrefix("poolgauge-") })
            let database = folder.path + "/" + name + "/database.sqlite"
            let before = try Data(contentsOf: URL(fileURLWithPath: database))
            let scenario = """
                version: 1
                name: kept
                dataset: {file: "\(database)"}
                arms: {pool: {type: pool}}
                phases: [{name: steady, duration: 1s}]
                clients:
                  ui: {access: write, think: 5ms, sql: UPDATE usertable SET FIELD0 = 'x'}
                """
            try scenario.write(
                to: folder.appendingPathComponent("kept.yaml"),
                atomically: false,
                encoding: .utf8
            )
            let arguments = ["run", "kept.yaml", "--progress", "never"]
            let outcomes = try concurrently(2) {
                try HeadlessProgram.run(arguments, in: folder)
            }
            for outcome in outcomes { expectEnd(outcome.status, outcome.errors) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
            #expect(contents(of: folder).filter { $0.hasPrefix("poolgauge-") } == [name])
        }
    }

    @Test func theProgramWorksWithoutAHomeFolder() throws {
        try withTemporaryFolder { folder in
            for arguments in [
                ["themes", "list"], ["config"], ["scenarios", "list"],
                ["run", "ycsb-a"] + Self.quick,
                ["dashboard", "--screenshot", "a.txt", "--after", "1s"],
            ] {
                for home in ["", "relative"] {
                    let outcome = try HeadlessProgram.run(
                        arguments,
                        in: folder,
                        variables: ["HOME": home, "XDG_CONFIG_HOME": ""]
                    )
                    #expect([0, 3, 5].contains(outcome.status), "\(arguments): \(outcome)")
                }
            }
            #expect(contents(of: folder).filter { $0 != "a.txt" } == [])
        }
    }

    private func concurrently<Value: Sendable>(
        _ count: Int,
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> [Value] {
        let results = Lock<[Result<Value, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            let result = Result { try body() }
            results.withLock { $0.append(result) }
        }
        return try results.withLock { $0 }.map { try $0.get() }
    }
}
