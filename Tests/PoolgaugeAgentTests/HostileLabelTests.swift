import MetricDescriptors
import Telemetry
import TestSupport
import Testing

@testable import PoolgaugeAgent

struct HostileLabelTests {
    @Test(.enabled(if: IndependentParser.isAvailable))
    func labelsOfMetricsContainTheName() throws {
        let documents = HostileStrings.all.map { name in
            let database = DatabaseStatus(label: name, kind: .pool, takenAtNanoseconds: 1)
            return MetricText().text(
                DatabaseMetric.all,
                of: [database],
                labels: [(name: "arm", value: name)]
            )
        }
        for (name, samples) in zip(HostileStrings.all, try IndependentParser.metrics(documents)) {
            #expect(!samples.isEmpty)
            for labels in samples {
                #expect(
                    labels["arm"].map { Array($0.unicodeScalars) } == Array(name.unicodeScalars)
                )
            }
        }
    }
}
