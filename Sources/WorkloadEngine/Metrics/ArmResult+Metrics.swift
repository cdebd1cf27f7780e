extension ArmResult {
    /// Returns the value of a metric, such as `p(99)` of `ui.response`, in its base unit.
    ///
    /// The names are those in ``MetricCatalog``. The value is `nil` if there are no samples or if
    /// no run produces the metric.
    public func value(of metric: String, _ aggregate: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        if let client = clients[parts[0]] {
            return ClientMetrics.metric(parts[1])?.value(aggregate, of: client)
        }
        return DatabaseMetrics.metric(metric)?.value(aggregate, of: self)
    }

    func sampleCount(of metric: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let client = clients[parts[0]] else { return nil }
        return ClientMetrics.metric(parts[1])?.sampleCount(of: client)
    }
}
