#if Metrics
import MetricDescriptors
import Metrics
import Telemetry

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
#endif
