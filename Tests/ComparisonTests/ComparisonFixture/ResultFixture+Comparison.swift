import Telemetry

@testable import Comparison

extension ResultFixture {
    /// Returns a comparison of a queue and a pool with the given verdicts.
    static func comparison(
        pairs: [ComparisonPair],
        primary: [String],
        noiseFloor: [String: Double]
    ) -> ComparisonResult {
        func arm(_ name: String, response: Double) -> ArmComparison {
            let values = ["ui.response.p99": [response, response * 1.1, nil]]
            return ArmComparison(
                arm: name,
                metrics: values.compactMapValues { Spread($0.compactMap { $0 }) },
                values: values,
                spectra: [
                    "ui": PercentileCurve(
                        count: 1000,
                        max: 9_000_000,
                        points: [.init(percentile: 50, nanoseconds: 900_000)]
                    )
                ],
                representative: run
            )
        }
        return ComparisonResult(
            schema: ComparisonResult.schemaName,
            answer: ["pool: ui p99 4.1× lower (3.6–4.7) than queue."],
            scenario: "test",
            seed: 42,
            environment: host,
            blocks: 3,
            blockDuration: 3,
            partial: false,
            order: [["pool", "queue", "queue"], ["queue", "pool", "queue"]],
            primary: primary,
            noiseFloor: noiseFloor,
            noise: [],
            pairs: pairs,
            arms: [arm("queue", response: 4_000_000), arm("pool", response: 1_000_000)],
            control: arm("queue", response: 4_100_000),
            representativeBlock: 2
        )
    }
}
