import Telemetry

/// The result of one run of a comparison, with the responses of all accesses, even skipped ones.
struct ComparisonMeasurement: Sendable {
    /// The run's own result.
    let result: ArmResult
    /// The responses of each client by its name, including skipped accesses.
    ///
    /// A skipped access has no response. To omit it would favor the slow arm: if a queue skips nine
    /// of ten accesses, only the fastest tenth would count. Each skipped access therefore counts
    /// with the time after which it was skipped, a lower bound of its response.
    let responses: [String: LatencyHistogram]
    /// The summaries that replace those of the responses, by client: a program states them more
    /// precisely than the distribution.
    var summaries: [String: LatencySummary] = [:]

    /// Combines a run's result with the responses of its completed accesses.
    init(
        _ result: ArmResult,
        completed: [String: LatencyHistogram] = [:],
        clients: [Client] = []
    ) {
        self.result = result
        var responses = completed
        for client in clients {
            guard case .open(let arrival) = client.pace, let limit = arrival.skipAfter,
                let skipped = result.clients[client.name]?.skipped, skipped > 0
            else { continue }
            responses[client.name, default: LatencyHistogram()]
                .count(limit.wholeNanoseconds, times: skipped)
        }
        self.responses = responses
    }

    /// The value of a metric; nil with too few samples of it.
    func value(of metric: ComparisonMetric) -> Double? {
        if metric.isResponse,
            let found = summaries[metric.owner] ?? responses[metric.owner]?.summary
        {
            return found.value(metric.aggregate)
        }
        return result.value(of: metric.metric, metric.aggregate)
    }
}
