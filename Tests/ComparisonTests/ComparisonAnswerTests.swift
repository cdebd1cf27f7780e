import Reports
import Scenarios
import Testing

@testable import Comparison

struct ComparisonAnswerTests {
    private let arms: [Arm] = [
        .init(name: "queue", kind: .queue), .init(name: "queue-wal", kind: .queue, journal: .wal),
        .init(name: "pool", kind: .pool),
    ]

    private func pair(
        _ metric: String,
        _ b: String,
        _ a: String,
        _ ratio: Double,
        _ verdict: ComparisonVerdict
    ) -> ComparisonPair {
        ComparisonPair(
            metric: metric,
            a: a,
            b: b,
            ratio: ratio,
            low: ratio * 0.9,
            high: ratio * 1.1,
            p: 0.01,
            verdict: verdict,
            blocks: 10,
            primary: true,
            lowerIsBetter: !metric.hasSuffix("throughput"),
            note: verdict == .inconclusive ? "below the noise floor" : nil
        )
    }

    private func result(_ pairs: [ComparisonPair], floor: Double = 1.08) -> ComparisonResult {
        var metrics: [String] = []
        for pair in pairs where !metrics.contains(pair.metric) { metrics.append(pair.metric) }
        return ResultFixture.comparison(
            pairs: pairs,
            primary: metrics,
            noiseFloor: Dictionary(uniqueKeysWithValues: metrics.map { ($0, floor) })
        )
    }

    @Test func metricsThatAreReplacedInOneWayAreOneWarning() {
        let warnings = ComparisonSummary.replacementWarnings(
            [
                "ui.response.p99": "ui.response.p50", "jobs.response.p99": "jobs.response.p50",
                "sync.response.p99.9": "sync.response.mean",
            ],
            remedy: "--within"
        )
        #expect(
            warnings == [
                "response.p99 of jobs, ui has too few samples in some blocks and was replaced by "
                    + "response.p50 (a longer --within avoids this)",
                "response.p99.9 of sync has too few samples in some blocks and was replaced by "
                    + "response.mean (a longer --within avoids this)",
            ]
        )
    }

    @Test func aChangeThatDiffersFromThatOfTheMediansIsExplained() throws {
        let metric = "ui.response.p99"
        var result = result([pair(metric, "pool", "queue", 1 / 4.1, .better)])
        #expect(!ComparisonReport.text(of: result).contains("medians of all runs are"))
        // Two runs of the queue stalled.
        result.arms[0].metrics[metric] = Spread([4e6, 3e8, 4e8])
        let text = ComparisonReport.text(of: result)
        #expect(
            text.contains(
                "4.1× lower in runs of the same block, but the medians of all runs are 286× lower, "
                    + "because the runs of queue differ (4.00 ms to 400 ms)"
            )
        )
    }

    @Test func theAnswerReportsTheEffectOfWALAlone() {
        let p99 = "ui.response.p99"
        let rate = "pay.throughput"
        let sentences = ComparisonAnswer(
            result([
                pair(p99, "pool", "queue", 1 / 4.1, .better),
                pair(rate, "pool", "queue", 1.3, .better),
                pair(p99, "queue-wal", "queue", 1 / 1.5, .better),
                pair(rate, "queue-wal", "queue", 1.2, .better),
                pair(p99, "pool", "queue-wal", 1 / 2.7, .better),
                pair(rate, "pool", "queue-wal", 1.08, .inconclusive),
            ]),
            arms: arms
        ).sentences
        #expect(
            sentences == [
                "pool: ui p99 4.1× lower (3.7–4.6), pay throughput 1.3× higher (1.2–1.4) than "
                    + "queue; WAL and synchronous NORMAL alone (queue-wal) account for 1.5× of the "
                    + "difference in ui p99 and all of the difference in pay throughput."
            ]
        )
    }

    @Test func oneMetricIsReportedAsASentence() {
        let rate = "pay.throughput"
        func sentence(_ walAlone: ComparisonVerdict, _ rest: ComparisonVerdict) -> String? {
            ComparisonAnswer(
                result([
                    pair(rate, "pool", "queue", 1.5, .better),
                    pair(rate, "queue-wal", "queue", 1.2, walAlone),
                    pair(rate, "pool", "queue-wal", 1.25, rest),
                ]),
                arms: arms
            ).sentences.first
        }
        let start = "pool: pay throughput 1.5× higher (1.4–1.7) than queue; "
        #expect(
            sentence(.better, .better)
                == start + "of that, 1.2× comes from WAL and synchronous NORMAL alone."
        )
        #expect(
            sentence(.inconclusive, .better)
                == start + "none of it comes from WAL and synchronous NORMAL alone."
        )
        #expect(
            sentence(.better, .same) == start
                + "all of it comes from WAL and synchronous NORMAL alone."
        )
    }

    @Test func differencesBelowTheNoiseFloorAreReported() {
        let sentences = ComparisonAnswer(
            result([
                pair("ui.response.p99", "pool", "queue", 1.05, .inconclusive),
                pair("pay.throughput", "pool", "queue", 1.01, .same),
            ]),
            arms: arms
        ).sentences
        #expect(
            sentences == [
                "pool: these blocks show no difference from queue; ui p99 1.05× "
                    + "(0.95–1.16) is below this machine's noise of ±1.08×, pay throughput is the "
                    + "same within this machine's noise (±1.08×)."
            ]
        )
    }

    @Test func theRemainingTimeIsRounded() {
        #expect(ComparisonProgress.text(seconds: 0.2) == "1 s")
        #expect(ComparisonProgress.text(seconds: 12.1) == "13 s")
        #expect(ComparisonProgress.text(seconds: 61) == "1 min 5 s")
        #expect(ComparisonProgress.text(seconds: 118) == "2 min")
    }
}
