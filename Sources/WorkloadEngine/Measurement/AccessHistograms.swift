import Telemetry

/// An operation's latencies.
struct AccessHistograms: Sendable {
    /// The times from intended start to end of completed accesses.
    var response = LatencyHistogram()
    /// The times from start to entry into the closure of completed accesses.
    var wait = LatencyHistogram()
    /// The times from entry to end of completed accesses.
    var service = LatencyHistogram()
    /// The times from intended start to start of every scheduled access.
    var lag = LatencyHistogram()

    /// The processor times from entry to end of the sampled accesses.
    var processor = ProcessorTally()

    /// Adds the counts of other histograms.
    mutating func add(_ other: AccessHistograms) {
        addEnded(other)
        lag.add(other.lag)
    }

    /// Adds other histograms' counts of ended accesses, without lags.
    mutating func addEnded(_ other: AccessHistograms) {
        response.add(other.response)
        wait.add(other.wait)
        service.add(other.service)
        processor.add(other.processor)
    }

    /// Adds the counts of ended accesses to a live view's distributions.
    func add(to latencies: inout OperationLatencies) {
        response.add(to: &latencies.response)
        wait.add(to: &latencies.wait)
        service.add(to: &latencies.service)
    }

    /// Resets all counts but keeps the memory.
    mutating func clear() {
        response.clear()
        wait.clear()
        service.clear()
        lag.clear()
        processor = ProcessorTally()
    }
}
