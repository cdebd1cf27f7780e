import Scenarios
import Testing

struct ThresholdTests {
    private let catalog = MetricCatalog(clients: ["ui"])

    @Test(arguments: [
        ("ui.response", "p(99) < 50ms", "p(99)", "<", 50e6),
        ("ui.wait", "p(99.9)<=200us", "p(99.9)", "<=", 200e3),
        ("ui.wait", "p(99.99) < 1ms", "p(99.99)", "<", 1e6),
        ("ui.fairness", "min > 0.5", "min", ">", 0.5),
        ("ui.fairness", "min > 50%", "min", ">", 0.5),
        ("ui.longest-wait", "max < 1s", "max", "<", 1e9),
        ("ui.lag", "  max  <  1s  ", "max", "<", 1e9),
        ("ui.service", "mean < 1ms", "mean", "<", 1e6),
        ("ui.response", "count >= 100", "count", ">=", 100),
        ("ui.skipped", "rate < 0.01", "rate", "<", 0.01),
        ("ui.skipped", "rate < 1%", "rate", "<", 0.01),
        ("ui.errors", "count < 1", "count", "<", 1),
        ("ui.throughput", "mean > 150/s", "mean", ">", 150),
        ("wal.bytes", "max < 64MiB", "max", "<", 67_108_864),
        ("pool.saturation", "mean < 0.5", "mean", "<", 0.5),
        ("snapshots.age", "max < 10s", "max", "<", 10e9),
    ])
    func anExpressionUsesTheUnitOfItsMetric(
        metric: String,
        expression: String,
        aggregate: String,
        comparison: String,
        limit: Double
    ) throws {
        let threshold = try Threshold(metric: metric, expression: expression, in: catalog)
        #expect(
            threshold
                == Threshold(
                    metric: metric,
                    expression: expression,
                    aggregate: aggregate,
                    comparison: comparison,
                    limit: limit
                )
        )
    }

    @Test(arguments: [
        ("ui.response", "p(99) < 50"), ("ui.response", "p(99) = 50ms"), ("ui.response", "p(99)"),
        ("ui.response", "< 50ms"), ("ui.response", "p(99) <"), ("ui.response", "p99 < 50ms"),
        ("ui.response", "rate < 0.1"), ("ui.response", "p(99) << 50ms"), ("ui.errors", "count < x"),
        ("ui.throughput", "mean > 150"), ("wal.bytes", "max < 64"), ("wal.bytes", "max < 1s"),
        ("us.response", "max < 1s"), ("ui", "max < 1s"), ("ui.response.p99", "max < 1s"), ("", ""),
    ])
    func invalidThresholdsAreRejected(metric: String, expression: String) {
        #expect(throws: Threshold.Failure.self) {
            try Threshold(metric: metric, expression: expression, in: catalog)
        }
    }

    @Test(arguments: [
        ("<", 9.0, true), ("<", 10, false), ("<=", 10, true), ("<=", 11, false), (">", 11, true),
        (">", 10, false), (">=", 10, true), (">=", 9, false),
    ])
    func theOperatorDeterminesWhetherTheLimitIsMet(
        comparison: String,
        observed: Double,
        isMet: Bool
    ) {
        let threshold = Threshold(
            metric: "ui.response",
            expression: "",
            aggregate: "max",
            comparison: comparison,
            limit: 10
        )
        #expect(threshold.isMet(by: observed) == isMet)
    }

    @Test(arguments: ["<", "<=", ">", ">="])
    func withoutSamplesThresholdsAreUndecided(comparison: String) {
        let threshold = Threshold(
            metric: "ui.response",
            expression: "",
            aggregate: "max",
            comparison: comparison,
            limit: 10
        )
        #expect(threshold.isMet(by: nil) == nil)
        #expect(threshold.isMet(by: .nan) == nil)
    }
}
