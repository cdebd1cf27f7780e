import Foundation
import TestSupport
import Testing

@testable import poolgauge

/// Tests that commands reject an output that would overwrite an input or another output.
@Suite(.timeLimit(.minutes(2)))
struct DistinctFilesTests {
    /// Creates a scenario, a database, and a symbolic link and a hard link to the scenario.
    private func prepare(in folder: URL) throws {
        for name in ["mine.yaml", "app.sqlite"] {
            try Data("previous".utf8).write(to: folder.appendingPathComponent(name))
        }
        #expect(symlink("mine.yaml", folder.appendingPathComponent("symbolic.yaml").path) == 0)
        try FileManager.default.linkItem(
            at: folder.appendingPathComponent("mine.yaml"),
            to: folder.appendingPathComponent("hard.yaml")
        )
    }

    @Test(arguments: [
        (["run", "mine.yaml", "--output", "mine.yaml"], "--output and the scenario"),
        (["run", "mine.yaml", "--output", "./mine.yaml"], "--output and the scenario"),
        (["run", "mine.yaml", "--output", "symbolic.yaml"], "--output and the scenario"),
        (["run", "hard.yaml", "--output", "mine.yaml"], "--output and the scenario"),
        (["run", "mine.yaml", "--record", "mine.yaml"], "--record and the scenario"),
        (["run", "ycsb-c", "--record", "new", "--output", "./new"], "--record and --output"),
        (
            ["run", "mine.yaml", "--database", "app.sqlite", "--output", "app.sqlite"],
            "--output and --database"
        ),
        (["compare", "mine.yaml", "--output", "mine.yaml"], "--output and the scenario"),
        (["compare", "ycsb-c", "--record", "new", "--output", "new"], "--record and --output"),
        (["capacity", "mine.yaml", "--output", "mine.yaml"], "--output and the scenario"),
        (["advise", "mine.yaml", "--output", "mine.yaml"], "--output and the scenario"),
        (
            ["try", "--database", "app.sqlite", "--read", "SELECT 1", "--output", "app.sqlite"],
            "--output and --database"
        ),
        (
            ["capture", "app.sqlite", "--from", "mine.yaml", "--force", "--output", "mine.yaml"],
            "--output and --from"
        ),
        (
            ["capture", "app.sqlite", "--for", "1s", "--force", "--output", "app.sqlite"],
            "--output and the database"
        ),
        (
            ["scenarios", "new", "--database", "app.sqlite", "--force", "--output", "app.sqlite"],
            "--output and --database"
        ),
        (["record", "app.sqlite", "--output", "app.sqlite"], "--output and a recorded database"),
        (["report", "mine.yaml", "--output", "mine.yaml"], "--output and the recording"),
        (["replay", "app.sqlite", "--costs", "app.sqlite"], "--costs and the recording"),
        (["top", "app.sqlite", "--record", "app.sqlite"], "--record and a watched database"),
        (
            ["attach", "--record", "new.txt", "--screenshot", "new.txt"],
            "--record and --screenshot"
        ),
        (["dashboard", "mine.yaml", "--output", "mine.yaml"], "--output and the scenario"),
    ])
    func oneFileForTwoPurposesIsRejected(arguments: [String], names: String) throws {
        try withTemporaryFolder { folder in
            try prepare(in: folder)
            let before = contents(of: folder)
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.errors.contains("\(names) are the same file, '"), "\(outcome.errors)")
            #expect(contents(of: folder) == before)
            for name in ["mine.yaml", "app.sqlite"] {
                let data = try Data(contentsOf: folder.appendingPathComponent(name))
                #expect(data == Data("previous".utf8))
            }
        }
    }

    @Test func aLinkToAMissingFileIsTheSameFileAsItsTarget() throws {
        try withTemporaryFolder { folder in
            #expect(symlink("new", folder.appendingPathComponent("link").path) == 0)
            let paths = ["new", "link"].map { folder.appendingPathComponent($0).path }
            #expect(throws: (any Error).self) {
                try DistinctFiles.check(
                    outputs: [.init("--output", paths[0]), .init("--record", paths[1])]
                )
            }
        }
    }

    @Test func differentFilesAndDevicesAreAccepted() throws {
        try withTemporaryFolder { folder in
            try prepare(in: folder)
            let paths = ["mine.yaml", "app.sqlite", "new.txt"].map {
                folder.appendingPathComponent($0).path
            }
            try DistinctFiles.check(
                outputs: [.init("--output", paths[2]), .init("--record", paths[1])],
                inputs: [.scenario(paths[0]), .init("--database", nil)]
            )
            try DistinctFiles.check(
                outputs: [.init("--output", "/dev/null"), .init("--costs", "/dev/null")]
            )
            // A preset is not a file, even if a file has the same name.
            try DistinctFiles.check(
                outputs: [.init("--output", "ycsb-c")],
                inputs: [.scenario("ycsb-c")]
            )
        }
    }
}
