import Telemetry

/// The latencies of one operation.
struct AccessHistograms: Sendable {
    /// From the intended start to the end, of completed accesses.
    var response = LatencyHistogram()
    /// From the start to the entry into the closure, of completed accesses.
    var wait = LatencyHistogram()
    /// From the entry to the end, of completed accesses.
    var service = LatencyHistogram()
    /// From the intended start to the start, of every access that started on a schedule.
    var lag = LatencyHistogram()

    /// The processor time from the entry to the end, of the accesses that were looked at.
    var processor = ProcessorTally()

    /// Adds another one's counts.
    mutating func add(_ other: AccessHistograms) {
        addEnded(other)
        lag.add(other.lag)
    }

    /// Adds another one's counts of what ended, without the lags of what started.
    mutating func addEnded(_ other: AccessHistograms) {
        response.add(other.response)
        wait.add(other.wait)
        service.add(other.service)
        processor.add(other.processor)
    }

    /// Adds the counts of what ended to the distributions of a live view.
    func add(to latencies: inout OperationLatencies) {
        response.add(to: &latencies.response)
        wait.add(to: &latencies.wait)
        service.add(to: &latencies.service)
    }

    /// Forgets all counts, keeping the memory.
    mutating func clear() {
        response.clear()
        wait.clear()
        service.clear()
        lag.clear()
        processor = ProcessorTally()
    }
}
