import Telemetry

/// The result of one run in a comparison, with the response times of skipped accesses.
struct ComparisonMeasurement: Sendable {
    let result: ArmResult
    /// The response times of each client, keyed by name, including skipped accesses.
    ///
    /// A skipped access has no response time, but omitting skipped accesses would favor the slower
    /// arm. If a queue skipped nine of ten accesses, only the remaining tenth would count. The
    /// response time of a skipped access is therefore the limit after which it was skipped, which
    /// is a lower bound.
    let responses: [String: LatencyHistogram]
    /// The client whose accesses contain several of the other arms' accesses, if any.
    private var batch: WriteBatch?

    init(
        _ result: ArmResult,
        completed: [String: LatencyHistogram] = [:],
        clients: [Client] = [],
        batch: WriteBatch? = nil
    ) {
        self.result = result
        self.batch = batch
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

    func value(of metric: ComparisonMetric) -> Double? {
        if let batch, batch.client == metric.owner {
            // The times of a batch are not those of its writes.
            guard metric.percentile == nil else { return nil }
            let value = result.value(of: metric.metric, metric.aggregate)
            return metric.metric == "\(metric.owner).throughput"
                ? value.map { $0 * Double(batch.size) } : value
        }
        if metric.isResponse, let found = responses[metric.owner]?.summary {
            return found.value(metric.aggregate)
        }
        return result.value(of: metric.metric, metric.aggregate)
    }
}
