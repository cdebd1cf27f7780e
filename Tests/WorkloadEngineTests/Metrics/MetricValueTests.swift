import Testing

@testable import Scenarios

struct MetricValueTests {
    @Test(
        arguments: [
            ("ui.response", "p(99)", 9_990_000), ("ui.wait", "mean", 1_234_567),
            ("ui.lag", "count", 12_345), ("ui.throughput", "mean", 411.5),
            ("ui.completed", "count", 12_345), ("ui.errors", "count", 3),
            ("ui.retried", "rate", 2.0 / 12_360), ("ui.longest-wait", "max", 28_000_000),
            ("wal.bytes", "max", 39_845_888), ("wal.bytes", "final", 4_194_304),
            ("pool.utilization", "mean", 0.61), ("pool.waiting-readers", "max", 6),
            ("snapshots.age", "max", 4.2e9), ("interrupts.without-effect", "count", 4),
        ] as [(String, String, Double)]
    )
    func valuesComeFromTheResult(metric: String, aggregate: String, value: Double) {
        #expect(ResultFixture.run.value(of: metric, aggregate) == value)
    }

    @Test(arguments: [
        ("ui.response", "p(99.99)"), ("ui.response", "p(98)"), ("ui.fairness", "min"),
        ("ui.none", "count"), ("other.response", "p(99)"), ("wal.bytes", "mean"), ("wal", "max"),
    ])
    func missingValuesAreNil(metric: String, aggregate: String) {
        #expect(ResultFixture.run.value(of: metric, aggregate) == nil)
    }

    @Test func higherIsBetterOnlyForTheListedMetrics() {
        let higher = MetricCatalog(clients: ["ui"]).names.filter {
            !MetricCatalog.isLowerBetter($0, aggregate: "p(99)")
        }
        #expect(
            higher.sorted() == [
                "snapshots.made", "ui.completed", "ui.fairness", "ui.offered", "ui.started",
                "ui.throughput",
            ]
        )
        #expect(!MetricCatalog.isLowerBetter("ui.response", aggregate: "count"))
        #expect(MetricCatalog.isLowerBetter("ui.errors", aggregate: "count"))
    }

    @Test(
        arguments: [
            ("ui.response", "p(99)", 9_990_000, "9.99 ms"),
            ("ui.response", "count", 1_234, "1,234"),
            ("ui.errors", "rate", 0.0125, "1.25%"), ("wal.bytes", "max", 2_097_152, "2.00 MiB"),
            ("ui.fairness", "min", 0.625, "0.63"), ("ui.throughput", "mean", 100, "100/s"),
        ] as [(String, String, Double, String)]
    )
    func textShowsTheUnit(metric: String, aggregate: String, value: Double, text: String) {
        #expect(MetricCatalog.unit(of: metric, aggregate)?.text(value) == text)
    }

    @Test func eachKeyOccursOnce() {
        let keys = ClientMetrics.all.map(\.key) + DatabaseMetrics.all.map(\.key)
        #expect(Set(keys).count == keys.count)
    }
}
