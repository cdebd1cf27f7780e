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
#endif
