import Histogram
import Telemetry

/// A histogram of latencies from 1 ns to 1 h, with two significant digits and an exact mean.
///
/// A histogram uses 18 KB.
package struct LatencyHistogram: Sendable {
    /// The largest latency that the histogram can represent, in nanoseconds.
    ///
    /// Longer latencies are recorded as this value.
    static let longest: UInt64 = 3_600_000_000_000

    private var histogram = Histogram<UInt32>(
        lowestDiscernibleValue: 1,
        highestTrackableValue: longest,
        numberOfSignificantValueDigits: .two
    )
    /// The sum of all latencies, in nanoseconds, which overflows after 584 years.
    private var sum: UInt64 = 0

    package init() {}

    package var count: UInt64 { histogram.totalCount }

    package var maximum: UInt64 { histogram.maxRecorded }

    /// The smallest latency, in the resolution of the histogram, or `nil` if there is none.
    package var minimum: UInt64? { count > 0 ? histogram.valueAtPercentile(0) : nil }

    var total: UInt64 { sum }

    @inline(__always)
    mutating func count(_ nanoseconds: UInt64) {
        let value = min(nanoseconds, Self.longest)
        histogram.record(value)
        sum &+= value
    }

    package mutating func count(_ nanoseconds: UInt64, times: UInt64) {
        let value = min(nanoseconds, Self.longest)
        histogram.record(value, count: UInt32(clamping: times))
        sum &+= value &* times
    }

    package mutating func add(_ other: LatencyHistogram) {
        guard other.count > 0 else { return }
        histogram.add(other.histogram)
        sum &+= other.sum
    }

    func add(to distribution: inout LatencyDistribution) {
        guard count > 0 else { return }
        for step in histogram.recordedValues() {
            distribution.add(
                histogram.medianEquivalentForValue(step.value),
                count: UInt64(step.count)
            )
        }
    }

    func add(to buckets: inout LatencyBuckets) {
        guard count > 0 else { return }
        for step in histogram.recordedValues() {
            let median = histogram.medianEquivalentForValue(step.value)
            buckets.add(count: UInt64(step.count), toBucket: LatencyBuckets.bucket(of: median))
        }
        buckets.sum &+= sum
    }

    var spectrum: LatencySpectrum {
        guard count > 0 else { return LatencySpectrum() }
        return histogram.recordedValues().reduce(into: LatencySpectrum()) { spectrum, step in
            spectrum.add(
                histogram.medianEquivalentForValue(step.value),
                count: UInt64(step.count)
            )
        }
    }

    mutating func clear() {
        guard count > 0 else { return }
        histogram.reset()
        sum = 0
    }

    /// Returns the latency at `percentile` (from 0 to 100), or `nil` if ``Percentile`` requires
    /// more latencies.
    package func value(at percentile: Double) -> UInt64? {
        guard count > 0 else { return nil }
        guard percentile < 100 else { return maximum }
        guard Percentile.supports(percentile, count: count) else { return nil }
        return histogram.valueAtPercentile(percentile)
    }

    package var summary: LatencySummary? {
        guard count > 0 else { return nil }
        return LatencySummary(
            count: count,
            mean: UInt64((Double(sum) / Double(count)).rounded()),
            p50: value(at: 50),
            p90: value(at: 90),
            p95: value(at: 95),
            p99: value(at: 99),
            p999: value(at: 99.9),
            p9999: value(at: 99.99),
            max: maximum
        )
    }
}
