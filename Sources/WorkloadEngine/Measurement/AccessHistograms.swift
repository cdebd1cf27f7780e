import Telemetry

/// The latencies and processor times of accesses.
struct AccessHistograms: Sendable {
    /// The response times of completed accesses, from the intended start to the end.
    var response = LatencyHistogram()
    /// The wait times of completed accesses, from the start to the entry into the closure.
    var wait = LatencyHistogram()
    /// The service times of completed accesses, from the entry into the closure to the end.
    var service = LatencyHistogram()
    /// The delays of scheduled accesses, from the intended start to the actual start.
    var lag = LatencyHistogram()

    /// The processor times of sampled accesses, from the entry into the closure to the end.
    var processor = ProcessorTally()

    mutating func add(_ other: AccessHistograms) {
        addEnded(other)
        lag.add(other.lag)
    }

    /// Adds the times of ended accesses from other histograms, which excludes lags.
    mutating func addEnded(_ other: AccessHistograms) {
        response.add(other.response)
        wait.add(other.wait)
        service.add(other.service)
        processor.add(other.processor)
    }

    func add(to latencies: inout OperationLatencies) {
        response.add(to: &latencies.response)
        wait.add(to: &latencies.wait)
        service.add(to: &latencies.service)
    }

    mutating func clear() {
        response.clear()
        wait.clear()
        service.clear()
        lag.clear()
        processor = ProcessorTally()
    }
}
