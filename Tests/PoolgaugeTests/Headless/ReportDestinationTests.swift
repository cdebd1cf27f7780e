import Foundation
import TestSupport
import Testing

@testable import poolgauge

/// Tests the effect of `--output` on its file.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReportDestinationTests {
    private let brokenScenario = """
        version: 1
        name: mine
        dataset: {sql: [CREATE TABLE item (id INTEGER)]}
        arms: {pool: {type: pool}}
        phases: [{name: steady, duration: 1s}]
        clients: {list: {access: read, sql: SELECT * FROM itme}}
        """

    private func text(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: ["run", "compare", "capacity"])
    func aFailedRunLeavesThePreviousFileIntact(command: String) throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("report.txt")
            try "previous".write(to: file, atomically: false, encoding: .utf8)
            let scenario = folder.appendingPathComponent("mine.yaml")
            try brokenScenario.replacing(
                "{pool: {type: pool}}",
                with: "{pool: {type: pool}, queue: {type: queue}}"
            )
            .write(to: scenario, atomically: false, encoding: .utf8)
            let outcome = try HeadlessProgram.run(
                [command, "mine.yaml", "--output", "report.txt"],
                in: folder
            )
            #expect(outcome.status == 64, "\(outcome)")
            #expect(try text(of: file) == "previous")
            #expect(contents(of: folder).sorted() == ["mine.yaml", "report.txt"])
        }
    }

    @Test func aReportReplacesTheFileAndKeepsItsPermissions() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("report.txt")
            try "a previous, longer text".write(to: file, atomically: false, encoding: .utf8)
            #expect(chmod(file.path, 0o600) == 0)
            let destination = try ReportDestination(path: file.path)
            #expect(try text(of: file) == "a previous, longer text")
            try destination.write("new")
            #expect(try text(of: file) == "new")
            var status = stat()
            #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(contents(of: folder) == ["report.txt"])
        }
    }

    @Test(arguments: [true, false])
    func aSymbolicLinkIsPreserved(exists: Bool) throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("report.txt")
            if exists { try "previous".write(to: file, atomically: false, encoding: .utf8) }
            let link = folder.appendingPathComponent("latest").path
            #expect(symlink("report.txt", link) == 0)
            try ReportDestination(path: link).write("new")
            #expect(try text(of: file) == "new")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: link) == "report.txt"
            )
        }
    }

    @Test func aFIFOIsWrittenDirectly() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("pipe").path
            #expect(mkfifo(path, 0o600) == 0)
            // A descriptor that is open for reading and writing keeps both ends of the FIFO open.
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            try ReportDestination(path: path).write("new")
            var buffer = [UInt8](repeating: 0, count: 16)
            let count = read(descriptor, &buffer, buffer.count)
            #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "new")
            #expect(contents(of: folder) == ["pipe"])
        }
    }

    @Test func foldersAndFilesInMissingFoldersAreRejected() throws {
        try withTemporaryFolder { folder in
            for path in [folder.path, folder.path + "/no/such/file"] {
                #expect(throws: CommandFailure.self) { try ReportDestination(path: path) }
            }
        }
    }
}
