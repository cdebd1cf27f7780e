import Foundation
import TestSupport
import Testing

/// Tests the arguments, output, and exit status of `poolgauge compare`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CompareCommandTests {
    /// A scenario with two arms on the same rows.
    ///
    /// One arm must scan all rows.
    ///
    /// The number of rows is small. A short run therefore has hundreds of accesses, and a median
    /// even if the machine stalls.
    private static let scenario = """
        version: 1
        name: index-or-scan
        dataset:
          schema: |
            CREATE TABLE item(id INTEGER PRIMARY KEY, k INTEGER, filler TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
              INSERT INTO item SELECT i, i * 7919 % 15000, 'some text for the row' FROM n;
            CREATE INDEX item_k ON item (k);
        arms:
          index: {type: queue}
          scan:  {type: queue, setup: [DROP INDEX item_k]}
        phases: [{name: steady, duration: 1s}]
        drain: 200ms
        clients:
          read: {access: read, sql: "SELECT sum(id) FROM item WHERE k BETWEEN 5000 AND 5500"}
        """

    private func compare(_ arguments: [String], in folder: URL) throws -> HeadlessProgram.Outcome {
        try HeadlessProgram.run(["compare", file(in: folder)] + arguments, in: folder)
    }

    @Test func aRegressionExitsWithStatus2AndAReason() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(
                // Uses medians and two additional blocks, because a machine may stall during a run.
                [
                    "--blocks", "8", "--duration", "300ms", "--primary", "read.response.p50",
                    "--fail-if", "read.response.p50 > 1.1x", "--output", "report.txt",
                ],
                in: folder
            )
            #expect(outcome.status == 2, "\(outcome)")
            let report = try String(
                contentsOf: folder.appendingPathComponent("report.txt"),
                encoding: .utf8
            )
            #expect(
                report.hasPrefix(
                    "REGRESSION  read.response.p50 > 1.1x: read.response.p50 of scan is"
                ),
                "\(report)"
            )
            #expect(report.contains("\nscan: read p50 "), "\(report)")
            #expect(report.contains("higher"))
            // On a busy machine, a block may be discarded.
            #expect(report.contains("index-or-scan: index, scan, index again; "))
        }
    }

    private static let mistakes: [([String], String)] = [
        (["--fail-if", "read.respons.p99 > 1.1x"], "did you mean 'response'?"),
        (["--fail-if", "read.throughput > fast"], "for example, 1.1x"),
        (["--arms", "index,scna"], "did you mean 'scan'?"),
        (["--primary", "reed.throughput"], "did you mean 'read'?"),
        (["--blocks", "5"], "requires at least 6 blocks"),
        (["--format", "xml"], "markdown"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreReportedBeforeTheFirstRun(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test func aStoppedComparisonWritesItsCompletedBlocks() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["compare", file(in: folder), "--duration", "200ms", "--progress", "always"],
                in: folder,
                sending: (SIGINT, after: "block 3 of 10")
            )
            #expect(outcome.status == 130, "\(outcome)")
            // The signal arrives during the third block, or later if the test must wait for a core.
            let reported = outcome.errors.matches(of: /block (\d+) of 10/).compactMap {
                Int($0.output.1)
            }
            let last = try #require(reported.last)
            #expect(last >= 3)
            let stopped = try #require(
                outcome.output.firstMatch(of: /^PARTIAL  stopped after (\d+) blocks/),
                "\(outcome)"
            )
            let completed = try #require(Int(stopped.output.1))
            #expect((last - 1...last).contains(completed), "\(outcome)")
        }
    }

    private func file(in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("scenario.yaml")
        try Self.scenario.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
