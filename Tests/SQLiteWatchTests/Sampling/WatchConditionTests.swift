#if os(Linux)
import TestSupport
import Testing

@testable import SQLiteWatch

@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct WatchConditionTests {
    @Test func eachMetricIsANumberInTheReport() throws {
        let folder = TemporaryFolder()
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path); r = connect(path)
            c.execute("pragma journal_mode=wal"); c.execute("create table t(x)")
            r.execute("begin"); r.execute("select * from t").fetchall()
            for i in range(3): c.execute("insert into t values(1)")
            c.execute("begin immediate")
            """
        )
        let report = try WatchSession.watching(folder.file()).report()
        let met: [(WatchCondition.Metric, WatchCondition.Comparison, Double)] = [
            (.pin, .more, 0), (.pinFrames, .atLeast, 3), (.pinBytes, .atLeast, 3 * 4120),
            (.writer, .more, 0), (.hold, .atLeast, 0), (.writerShare, .atLeast, 1),
            (.checkpoint, .atMost, 0),
            (.waiting, .less, 1), (.log, .more, 4120), (.logFrames, .atLeast, 4),
            (.commits, .atMost, 0), (.processes, .atLeast, 1),
        ]
        // The number of failures is unknown without a trace.
        #expect(met.count + 1 == WatchCondition.Metric.allCases.count)
        #expect(!WatchCondition(.busy, .atLeast, 0).isMet(by: report))
        for (metric, comparison, value) in met {
            #expect(
                WatchCondition(metric, comparison, value).isMet(by: report),
                "\(metric.rawValue) is \(metric.value(in: report))"
            )
        }
    }

    @Test func aMissingDatabaseMeetsNoCondition() throws {
        let report = try WatchSession.watching("/nonexistent/app.sqlite").report()
        #expect(!WatchCondition(.processes, .atMost, 5).isMet(by: report))
    }
}
#endif
