#if Metrics
import MetricDescriptors
import Metrics
import Telemetry

/// A reporter that sends a database's metrics to swift-metrics.
///
/// Bootstrap swift-metrics, and keep the reporter running:
///
/// ```swift
/// let reporter = MetricsReporter(pool)
/// try await withThrowingTaskGroup { group in
///     group.addTask { try await reporter.run() }
///     // …
/// }
/// ```
///
/// `run()` satisfies the requirement of the `Service` protocol in ServiceLifecycle. The metrics
/// have the same names and dimensions as the metrics that an agent exports for Prometheus. The
/// reporter reads the status of the database. Accesses never wait for the reporter.
///
/// * A counter starts at 0 when the reporter is created.
/// * A gauge whose value is unknown is destroyed.
/// * A timer records each new wait, hold, opening, statement, and commit. The status contains their
///   counts in buckets with the bounds 1, 2.5, and 5 times each power of ten. A recorded time is
///   therefore only as precise as its bucket. The sum of the recorded times is exact, except for
///   rounding.
public final class MetricsReporter: Sendable {
    private struct State {
        /// The values of the last report, keyed by series.
        var lastValues: [Series: MetricValue.Number]
        var instruments: [Series: Instrument] = [:]
    }

    private let database: any StatusReporting
    private let interval: Duration
    private let factory: any MetricsFactory
    private let state: Lock<State>

    /// Creates a reporter, whose counters and timers start at the current status.
    ///
    /// - Parameters:
    ///   - database: The database, such as a `DatabasePool`.
    ///   - interval: The time between two reports of ``run()``.
    ///   - factory: The metrics factory, or `nil` to use the factory that the program passed when
    ///     it bootstrapped swift-metrics.
    public init(
        _ database: some StatusReporting,
        interval: Duration = .seconds(10),
        factory: (any MetricsFactory)? = nil
    ) {
        self.database = database
        self.interval = interval
        self.factory = factory ?? MetricsSystem.factory
        state = Lock(State(lastValues: Self.values(of: database.status())))
    }

    deinit {
        for instrument in state.withLock({ $0.instruments.values }) { instrument.destroyGauge() }
    }

    /// Reports at each interval until the task is canceled, and then once more.
    ///
    /// - Throws: This method never throws an error. It is declared as `throws` to match the
    ///   requirement of `Service`.
    public func run() async throws {
        repeat {
            try? await Task.sleep(for: interval)
            report()
        } while !Task.isCancelled
    }

    /// Reports the changes since the last report.
    ///
    /// You can call this method from any thread, even while ``run()`` is active.
    public func report() {
        let values = Self.values(of: database.status())
        state.withLock { state in
            for (series, number) in values {
                let instrument =
                    state.instruments[series] ?? Instrument(of: series, factory: factory)
                state.instruments[series] = instrument
                state.lastValues[series] = instrument.record(
                    number,
                    since: state.lastValues[series]
                )
            }
            for (series, instrument) in state.instruments
            where series.type == .gauge && values[series] == nil {
                instrument.destroyGauge()
                state.instruments[series] = nil
            }
        }
    }

    private static func values(of status: DatabaseStatus) -> [Series: MetricValue.Number] {
        var values: [Series: MetricValue.Number] = [:]
        for metric in DatabaseMetric.all {
            for value in metric.values(status) {
                let series = Series(
                    name: metric.name,
                    type: metric.type,
                    labels: metric.labels,
                    values: value.labels
                )
                values[series] = value.number
            }
        }
        return values
    }
}

/// A metric with the values of its labels.
struct Series: Sendable, Hashable {
    var name: String
    var type: MetricType
    var labels: [String]
    var values: [String]

    var dimensions: [(String, String)] { Array(zip(labels, values)) }
}

/// The metric of swift-metrics that receives the values of a series.
enum Instrument: Sendable {
    case counter(Counter)
    /// A counter of seconds, whose increments are usually fractions.
    case seconds(FloatingPointCounter)
    case gauge(Gauge)
    case timer(Timer)

    init(of series: Series, factory: any MetricsFactory) {
        let (name, dimensions) = (series.name, series.dimensions)
        switch series.type {
        case .counter where name.hasSuffix("_seconds_total"):
            self = .seconds(
                FloatingPointCounter(label: name, dimensions: dimensions, factory: factory)
            )
        case .counter:
            self = .counter(Counter(label: name, dimensions: dimensions, factory: factory))
        case .gauge:
            self = .gauge(Gauge(label: name, dimensions: dimensions, factory: factory))
        case .histogram:
            self = .timer(Timer(label: name, dimensions: dimensions, factory: factory))
        }
    }

    /// Records the change of a value.
    ///
    /// A status reads counts one after another, so a count can briefly be lower than before.
    ///
    /// - Returns: The value to compare with the next one.
    func record(
        _ number: MetricValue.Number,
        since earlier: MetricValue.Number?
    ) -> MetricValue.Number {
        switch (self, number) {
        case (.gauge(let gauge), .single(let value)):
            gauge.record(value)
        case (.counter(let counter), .single(let value)):
            let growth = value - (earlier?.value ?? 0)
            guard growth > 0 else { return earlier ?? number }
            counter.increment(by: Int64(growth))
        case (.seconds(let counter), .single(let value)):
            let growth = value - (earlier?.value ?? 0)
            guard growth > 0 else { return earlier ?? number }
            counter.increment(by: growth)
        case (.timer(let timer), .latency(let summary)):
            let new = NewLatencies(summary, since: earlier?.latency)
            for (nanoseconds, count) in new.values {
                for _ in 0..<count { timer.recordNanoseconds(Int64(clamping: nanoseconds)) }
            }
            return .latency(new.total)
        default: break
        }
        return number
    }

    /// Removes a gauge, whose last value would otherwise remain.
    func destroyGauge() {
        if case .gauge(let gauge) = self { gauge.destroy() }
    }
}

extension MetricValue.Number {
    fileprivate var value: Double? {
        if case .single(let value) = self { value } else { nil }
    }

    fileprivate var latency: LatencySummary? {
        if case .latency(let summary) = self { summary } else { nil }
    }
}

/// The latencies that a histogram has gained since an earlier status.
struct NewLatencies {
    /// A time for each bucket with new latencies, in nanoseconds, and the number of new latencies
    /// in the bucket.
    ///
    /// The times are inside their buckets, all at the same relative position. The position makes
    /// the sum of all times equal to the growth of the histogram's sum.
    private(set) var values: [(nanoseconds: UInt64, count: UInt64)] = []
    /// The summary to compare with the next one, with counts that never decrease.
    private(set) var total: LatencySummary

    init(_ now: LatencySummary, since earlier: LatencySummary?) {
        total = now
        // Without buckets, the latencies are unknown.
        guard let buckets = now.buckets else { return }
        let old = earlier?.buckets ?? LatencyBuckets()
        let bucketCount = max(buckets.counts.count, old.counts.count)
        let counts = (0..<bucketCount).map { index in
            let oldCount = index < old.counts.count ? old.counts[index] : 0
            let newCount = index < buckets.counts.count ? buckets.counts[index] : 0
            return (old: oldCount, new: max(oldCount, newCount))
        }
        total.buckets = LatencyBuckets(sum: max(old.sum, buckets.sum), counts: counts.map(\.new))

        let gains: [(count: UInt64, lower: Double, upper: Double)] = counts.enumerated()
            .compactMap { index, count in
                guard count.new > count.old else { return nil }
                let bounds = LatencyBuckets.bounds
                let lower = index == 0 ? 0 : Double(bounds[min(index, bounds.count) - 1])
                let upper = index < bounds.count ? Double(bounds[index]) : Double(now.max)
                return (count.new - count.old, lower, max(upper, lower + 1))
            }
        let minimumSum = gains.reduce(0) { $0 + Double($1.count) * $1.lower }
        let range = gains.reduce(0) { $0 + Double($1.count) * ($1.upper - $1.lower) }
        let sum = Double(buckets.sum - min(buckets.sum, old.sum))
        let position = range > 0 ? min(max((sum - minimumSum) / range, 0), 1) : 0
        values = gains.map { gain in
            // A bucket excludes its lower bound.
            let time = max(gain.lower + position * (gain.upper - gain.lower), gain.lower + 1)
            return (UInt64(time.rounded()), gain.count)
        }
    }
}
#endif
