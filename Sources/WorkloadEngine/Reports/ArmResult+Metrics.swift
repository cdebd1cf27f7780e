import Telemetry

extension ArmResult {
    /// Returns the value of a metric, such as `p(99)` of `ui.response`, in its base unit.
    ///
    /// The names are those in ``MetricCatalog``. The value is nil if there are no samples or if
    /// runs do not produce the metric.
    public func value(of metric: String, _ aggregate: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        if let client = clients[parts[0]] { return client.value(of: parts[1], aggregate) }
        switch metric {
        case "wal.bytes":
            return wal.map { Double(aggregate == "final" ? $0.finalBytes : $0.peakBytes) }
        case "pool.utilization": return pool?.utilization
        case "pool.saturation": return pool?.saturation
        case "pool.readers": return pool?.readersPeak.map { Double($0) }
        case "pool.waiting-readers": return pool.map { Double($0.waitingReadersPeak) }
        case "pool.waiting-writers": return pool.map { Double($0.waitingWritersPeak) }
        case "snapshots.made": return snapshots.map { Double($0.made) }
        case "snapshots.age": return snapshots?.oldestSeconds.map { $0 * 1e9 }
        case "interrupts.requested": return interrupts.map { Double($0.requested) }
        case "interrupts.delivered": return interrupts.map { Double($0.delivered) }
        case "interrupts.without-effect": return interrupts.map { Double($0.withoutEffect) }
        default: return nil
        }
    }
}

extension ClientResult {
    fileprivate func value(of metric: String, _ aggregate: String) -> Double? {
        switch metric {
        case "response": response?.value(aggregate)
        case "wait": wait?.value(aggregate)
        case "service": service?.value(aggregate)
        case "lag": lag?.value(aggregate)
        case "throughput": throughput
        case "fairness":
            aggregate == "count" ? fairness.map { _ in Double(completed) } : fairness?.smallestShare
        case "longest-wait": fairness?.longestWait.map { Double($0) }
        case "offered": count(offered, aggregate)
        case "started": count(started, aggregate)
        case "completed": count(completed, aggregate)
        case "skipped": count(skipped, aggregate)
        case "late": count(late, aggregate)
        case "retried": count(retried, aggregate)
        case "interrupted": count(interrupted, aggregate)
        case "unfinished": count(unfinished, aggregate)
        case "errors": count(errorCount, aggregate)
        default: nil
        }
    }

    /// Returns a count or its share of the offered accesses; returns nil for a share if no accesses
    /// were offered.
    private func count(_ count: UInt64, _ aggregate: String) -> Double? {
        guard offered > 0 else { return nil }
        return aggregate == "rate" ? Double(count) / Double(offered) : Double(count)
    }
}

extension LatencySummary {
    func value(_ aggregate: String) -> Double? {
        let nanoseconds: UInt64? =
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
        return nanoseconds.map { Double($0) }
    }
}
