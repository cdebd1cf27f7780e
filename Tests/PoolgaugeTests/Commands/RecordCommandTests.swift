import Foundation
import Recording
import SQLiteEngine
import TestSupport
import Testing

/// Tests the commands that write and read recordings.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RecordCommandTests {
    private func run(_ arguments: [String], in folder: URL) throws -> HeadlessProgram.Outcome {
        try HeadlessProgram.run(arguments, in: folder)
    }

    private func picture(_ arguments: [String], in folder: URL) throws -> String {
        let outcome = try run(
            ["replay"] + arguments
                + ["--screenshot", "picture.txt", "--after", "200ms", "--size", "120x44"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome)")
        return try String(
            contentsOf: folder.appendingPathComponent("picture.txt"),
            encoding: .utf8
        )
    }

    @Test func aRunIsRecordedReportedAndReplayed() throws {
        try withTemporaryFolder { folder in
            let outcome = try run(
                ["run", "reader-storm", "--arm", "pool", "--duration", "2s", "--record", "a.rec"],
                in: folder
            )
            #expect(outcome.status < 7, "\(outcome)")
            #expect(outcome.errors.contains("samples in "))
            #expect(outcome.errors.contains(" per hour)"))
            let contents = try RecordingReader(path: folder.appendingPathComponent("a.rec").path)
                .contents
            #expect(contents.rows.count > 15)
            #expect(contents.sessions.map(\.kind) == [.run])
            #expect(contents.sessions.first?.scenario?.contains("reader-storm") == true)
            for format in ["text", "markdown", "html", "json", "csv"] {
                let report = try run(["report", "a.rec", "--format", format], in: folder)
                #expect(report.status == 0, "\(report)")
                #expect(report.output.contains(format == "csv" ? "saturation" : "a.rec"))
            }
            let end = try picture(["a.rec", "--press", ")"], in: folder)
            #expect(end.contains("poolgauge  reader-storm"))
            #expect(end.contains("END 1x"))
            let refused = try picture(["a.rec", "--press", ")a"], in: folder)
            #expect(refused.contains("'a' controls only a live run; this is a recording"))
            let help = try picture(["a.rec", "--press", "?"], in: folder)
            #expect(help.contains("play or pause the recording"))
            try Data().write(to: folder.appendingPathComponent("app.sqlite"))
            let capture = try run(
                ["capture", "--from", "a.rec", "app.sqlite", "--output", "x.yaml"],
                in: folder
            )
            #expect(capture.errors.contains("already has a scenario"), "\(capture)")
            #expect(capture.status != 0)
        }
    }

    #if os(Linux)
    @Test func aDatabaseIsRecordedWithoutAScreen() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let pool = try DatabasePool(path: path)
            try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            try pool.write { database in
                try database.execute(sql: "INSERT INTO t VALUES (1)")
                let outcome = try run(
                    [
                        "record", "app.sqlite", "--output", "a.rec", "--for", "1500ms",
                        "--interval", "300ms",
                    ],
                    in: folder
                )
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.errors.contains("poolgauge: recorded "))
                let more = try run(
                    ["top", "app.sqlite", "--follow", "--for", "400ms", "--interval", "200ms"]
                        + ["--record", "a.rec"],
                    in: folder
                )
                #expect(more.status == 0, "\(more)")
                let events = try run(
                    [
                        "record", "app.sqlite", "--on", "writer > 200ms, wal > 1GiB", "--for",
                        "1200ms", "--interval", "300ms", "--output", "episodes",
                    ],
                    in: folder
                )
                #expect(events.status == 0, "\(events)")
                let report = try run(["report", "episodes"], in: folder)
                #expect(report.output.contains("Recorded because of: "), "\(report)")
                #expect(report.output.contains(" writer > 200ms ("), "\(report)")
                let files = FileManager.default
                #expect(try files.contentsOfDirectory(atPath: folder.path + "/episodes").count == 1)
            }
            let text = try run(["report", "a.rec"], in: folder).output
            #expect(text.contains("between two sessions: the recording ended"))
            #expect(text.contains("saturation"))
            let end = try picture(["a.rec", "--press", ")"], in: folder)
            #expect(end.contains("app.sqlite"))
            #expect(end.contains("● REPLAY"))
            let noSQL = try run(
                ["capture", "--from", "a.rec", "app.sqlite", "--output", "x.yaml"],
                in: folder
            )
            #expect(noSQL.errors.contains("contains no statements"), "\(noSQL)")
        }
    }
    #endif

    private static let mistakes: [([String], Int32, String)] = [
        (["run", "ycsb-c", "--record", "text"], 64, "exists and is not a recording"),
        (["record", "text", "--output", "text"], 64, "are the same file"),
        (["record", "--on", "bussy", "--output", "x"], 64, "'bussy' is not a condition"),
        (["record", "--keep", "9s", "--output", "x"], 64, "--max-per-hour require --on"),
        (["record", "--on", "log > 1MB", "--output", "text"], 64, "'text' is not a folder"),
        (["report", "."], 64, "there are no recordings in '.'"),
        (["record", "absent", "--output", "b.rec"], 1, "there is no agent with the name 'absent'"),
        (["record", "./absent", "--output", "b.rec"], 64, "there is no file './absent'"),
        (["what-if", "text"], 64, "'what-if' no longer exists; measure other numbers of readers"),
        (["report", "text"], 1, "is not a recording"),
        (["replay", "text", "--ghost=b.rec"], 64, "'--ghost' no longer exists; write a report"),
        (["replay", "absent", "--screenshot", "x.txt"], 1, "No such file"),
        (["report", "text", "--from", "soon"], 64, "'soon' is not a time"),
        (["run", "ycsb-c", "--retain", "1h"], 64, "require --record"),
        (["run", "ycsb-c", "--record", "a", "--max-size", "1KiB"], 64, "at least 1MiB"),
        (["attach", "x", "--once", "--record", "a"], 64, "--record works only with"),
        (["replay", "text", "--speed", "0"], 64, "from 1 to 600"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreExplained(
        arguments: [String],
        status: Int32,
        message: String
    ) throws {
        try withTemporaryFolder { folder in
            try Data("text".utf8).write(to: folder.appendingPathComponent("text"))
            let outcome = try HeadlessProgram.run(
                arguments,
                in: folder,
                variables: ["XDG_RUNTIME_DIR": folder.path]
            )
            #expect(outcome.status == status, "\(outcome)")
            #expect(outcome.errors.contains(message), "\(outcome)")
            #expect(!contents(of: folder).contains("b.rec"))
        }
    }
}
