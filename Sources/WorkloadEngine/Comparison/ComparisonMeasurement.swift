/// What one run of a comparison gave: its result, and its clients' responses with nobody missing.
struct ComparisonMeasurement: Sendable {
    /// The run's own result.
    let result: ArmResult
    /// The responses of each client by its name, those included that were given up.
    ///
    /// An access that was given up has no response. To leave it out would flatter the arm that was
    /// so slow: of a queue that gives nine of ten accesses up, only the luckiest would count. So it
    /// counts as the time after which it was given up, the least that it would have taken.
    let responses: [String: LatencyHistogram]

    /// Takes a run's result, and the responses of its completed accesses.
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
        if metric.isResponse, let found = responses[metric.owner]?.summary {
            return found.value(metric.aggregate)
        }
        return result.value(of: metric.metric, metric.aggregate)
    }
}
