import Scenarios
import Telemetry

extension ArmResult {
    /// Returns the value of a metric, such as `p(99)` of `ui.response`, in its base unit.
    ///
    /// The names are those in `MetricCatalog`. The value is `nil` if there are no samples or if
    /// no run produces the metric.
    public func value(of metric: String, _ aggregate: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        if let client = clients[parts[0]] {
            return ClientMetrics.metric(parts[1]).flatMap { client.value(of: $0, aggregate) }
        }
        return DatabaseMetrics.metric(metric).flatMap { value(of: $0, aggregate) }
    }

    package func sampleCount(of metric: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let client = clients[parts[0]] else { return nil }
        return ClientMetrics.metric(parts[1]).flatMap(client.sampleCount)
    }

    private func value(of metric: MetricDescriptor<RunMetric>, _ aggregate: String) -> Double? {
        guard metric.has(aggregate) else { return nil }
        return switch metric.name {
        case .walBytes: wal.map { Double(aggregate == "max" ? $0.peakBytes : $0.finalBytes) }
        case .poolUtilization: pool?.utilization
        case .poolSaturation: pool?.saturation
        case .poolReaders: pool?.readersPeak.map { Double($0) }
        case .poolWaitingReaders: pool.map { Double($0.waitingReadersPeak) }
        case .poolWaitingWriters: pool.map { Double($0.waitingWritersPeak) }
        case .snapshotsMade: snapshots.map { Double($0.made) }
        case .snapshotsAge: snapshots?.oldestSeconds.map { $0 * 1e9 }
        case .interruptsRequested: interrupts.map { Double($0.requested) }
        case .interruptsDelivered: interrupts.map { Double($0.delivered) }
        case .interruptsWithoutEffect: interrupts.map { Double($0.withoutEffect) }
        }
    }
}

extension ClientResult {
    /// Returns the value of a metric in its base unit, or `nil` if there are no samples.
    ///
    /// A threshold on a missing value is undecided.
    package func value(
        of metric: MetricDescriptor<ClientMetric>,
        _ aggregate: String
    ) -> Double? {
        guard metric.has(aggregate) else { return nil }
        let count: UInt64
        switch metric.name {
        case .response, .wait, .service, .lag:
            return latency(metric.name)?.value(aggregate)
        case .throughput: return throughput
        case .fairness: return fairness?.smallestShare
        case .longestWait: return fairness?.longestWait.map { Double($0) }
        case .offered: count = offered
        case .started: count = started
        case .completed: count = completed
        case .skipped: count = skipped
        case .late: count = late
        case .retried: count = retried
        case .interrupted: count = interrupted
        case .errors: count = errorCount
        case .unfinished: count = unfinished
        }
        guard offered > 0 else { return nil }
        return aggregate == "rate" ? Double(count) / Double(offered) : Double(count)
    }

    /// Returns the summary of a latency, or `nil` if there are no samples or the metric is not a
    /// latency.
    package func latency(_ metric: ClientMetric) -> LatencySummary? {
        switch metric {
        case .response: response
        case .wait: wait
        case .service: service
        case .lag: lag
        default: nil
        }
    }

    fileprivate func sampleCount(of metric: MetricDescriptor<ClientMetric>) -> Double? {
        // All completed accesses contribute to the share of a worker.
        if metric.name == .fairness { return fairness.map { _ in Double(completed) } }
        return value(of: metric, "count")
    }
}

extension MetricDescriptor {
    fileprivate func has(_ aggregate: String) -> Bool {
        aggregates.contains { $0.name == aggregate }
    }
}

extension LatencySummary {
    package func value(_ aggregate: String) -> Double? {
        let value: UInt64? =
            switch aggregate {
            case "p(50)": p50
            case "p(90)": p90
            case "p(95)": p95
            case "p(99)": p99
            case "p(99.9)": p999
            case "p(99.99)": p9999
            case "max": max
            case "mean": mean
            case "count": count
            default: nil
            }
        return value.map { Double($0) }
    }
}
