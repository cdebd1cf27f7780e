import Telemetry
import TerminalUI
import Text

/// A requested interrupt whose outcome is pending.
struct PendingInterrupt: Sendable, Equatable {
    /// The maximum time to wait for an outcome, in seconds.
    ///
    /// Most statements respond to an interrupt sooner.
    private static let timeout = 5.0

    /// The status at the time of the request.
    private let initialStatus: InterruptStatus
    /// The time of the request, in seconds since the start of the run.
    private let requestTime: Double
    /// The label of the connection, or a description of several connections.
    private var name: String
    /// The number of interrupted statements as of the last sample.
    private var endedCount: UInt64

    /// Starts waiting for an outcome, or returns `nil` if the library does not count interrupts.
    ///
    /// `sample` is the newest sample at the time of the request.
    init?(_ sample: Sample, name: String) {
        guard let interrupts = sample.database.interrupts else { return nil }
        initialStatus = interrupts
        requestTime = sample.time
        endedCount = initialStatus.delivered
        self.name = name
    }

    /// Records another request before the outcome of the first request is known.
    mutating func recordRequest(_ name: String) {
        if name != self.name { self.name = "several connections" }
    }

    /// Processes a sample.
    ///
    /// - Returns: The outcome as a sentence, or `nil` if the outcome is pending.
    mutating func update(with sample: Sample) -> String? {
        let now = sample.database.interrupts ?? initialStatus
        let isLate = sample.time - requestTime > Self.timeout
        // Statements on different connections end at different times. Report the outcome when no
        // more statements end.
        defer { endedCount = now.delivered }
        if now.delivered > initialStatus.delivered {
            guard now.delivered == endedCount || isLate else { return nil }
            let count = now.delivered - initialStatus.delivered
            let statements = count == 1 ? "1 statement" : "\(count) statements"
            let time = meanLatency(until: now).map {
                " \(HumanUnits.duration(nanoseconds: $0)) after the interrupt"
            }
            return "\(name): \(statements) ended\(time ?? " by the interrupt")"
        }
        if now.withoutEffect > initialStatus.withoutEffect {
            return "\(name): no statement was running"
        }
        return isLate ? "\(name): no statement ended after the interrupt" : nil
    }

    /// Returns the mean latency of interrupts since the request, in nanoseconds.
    private func meanLatency(until now: InterruptStatus) -> UInt64? {
        guard let latency = now.latency else { return nil }
        let old = initialStatus.latency
        let count = latency.count - min(latency.count, old?.count ?? 0)
        guard count > 0 else { return nil }
        let sum = Double(latency.mean) * Double(latency.count)
        let oldSum = Double(old?.mean ?? 0) * Double(old?.count ?? 0)
        return UInt64(max(0, sum - oldSum) / Double(count))
    }
}
