import Histogram
import Telemetry

/// The histogram of all latencies: from 1 ns to an hour with two significant digits, 18 KB.
typealias LatencyHistogram = Histogram<UInt32>

extension LatencyHistogram {
    /// The largest latency that is told apart, one hour in nanoseconds; longer ones count as it.
    static var longest: UInt64 { 3_600_000_000_000 }

    /// Creates an empty histogram of latencies.
    static func latencies() -> LatencyHistogram {
        LatencyHistogram(
            lowestDiscernibleValue: 1,
            highestTrackableValue: longest,
            numberOfSignificantValueDigits: .two
        )
    }

    /// Counts one latency, in nanoseconds.
    @inline(__always)
    mutating func count(_ nanoseconds: UInt64) {
        record(Swift.min(nanoseconds, Self.longest))
    }

    /// The value at `percentile` (0…100), or nil with fewer than ten values beyond it.
    func value(at percentile: Double) -> UInt64? {
        guard totalCount > 0 else { return nil }
        guard percentile < 100 else { return maxRecorded }
        // A little slack: 1 − 0.99 in floating point must not cost the tenth value.
        let beyond = Double(totalCount) * (100 - percentile) / 100
        return beyond >= 10 - 1e-6 ? valueAtPercentile(percentile) : nil
    }
}

extension LatencySummary {
    /// What a histogram says in a few numbers; nil when it is empty.
    init?(_ histogram: LatencyHistogram) {
        guard histogram.totalCount > 0 else { return nil }
        self.init(
            count: histogram.totalCount,
            mean: UInt64(histogram.mean.rounded()),
            p50: histogram.value(at: 50),
            p90: histogram.value(at: 90),
            p95: histogram.value(at: 95),
            p99: histogram.value(at: 99),
            p999: histogram.value(at: 99.9),
            max: histogram.maxRecorded
        )
    }
}

/// The latencies of one operation.
struct AccessHistograms: Sendable {
    /// From the intended start to the end, of completed accesses.
    var response = LatencyHistogram.latencies()
    /// From the start to the entry into the closure, of completed accesses.
    var wait = LatencyHistogram.latencies()
    /// From the entry to the end, of completed accesses.
    var service = LatencyHistogram.latencies()
    /// From the intended start to the start, of every access that started on a schedule.
    var lag = LatencyHistogram.latencies()

    /// Adds another one's counts.
    mutating func add(_ other: AccessHistograms) {
        response.merge(other.response)
        wait.merge(other.wait)
        service.merge(other.service)
        lag.merge(other.lag)
    }

    /// Forgets all counts, keeping the memory.
    mutating func clear() {
        response.clear()
        wait.clear()
        service.clear()
        lag.clear()
    }
}

extension LatencyHistogram {
    /// Adds another histogram, skipping the work when there is nothing in it.
    mutating func merge(_ other: LatencyHistogram) {
        if other.totalCount > 0 { add(other) }
    }

    /// Forgets all counts, skipping the work when there are none.
    mutating func clear() {
        if totalCount > 0 { reset() }
    }
}
