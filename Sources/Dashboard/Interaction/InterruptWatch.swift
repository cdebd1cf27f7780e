import Telemetry
import TerminalUI

/// Tells what came of an interrupt that somebody asked for by key: once, with its latency.
struct InterruptWatch: Sendable, Equatable {
    /// How long it is waited for, in seconds: a statement that looks at nothing for so long is rare.
    private static let patience = 5.0

    /// What was counted before somebody asked.
    private let before: InterruptStatus
    /// When somebody asked, in seconds of the run.
    private let asked: Double
    /// What was interrupted.
    private var name: String
    /// The statements that had ended at the last look.
    private var ended: UInt64

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - sample: The newest sample when somebody asked.
    ///   - name: What was interrupted.
    init(_ sample: Sample, name: String) {
        before = sample.database.interrupts
        asked = sample.time
        ended = before.delivered
        self.name = name
    }

    /// Takes in that somebody asked again before it was told what came of it.
    mutating func askAgain(_ name: String) {
        if name != self.name { self.name = "several connections" }
    }

    /// Looks at a new sample.
    ///
    /// - Returns: What came of it, in a sentence; nil as long as that is not known.
    mutating func look(at sample: Sample) -> String? {
        let now = sample.database.interrupts
        let isLate = sample.time - asked > Self.patience
        // Statements of several connections end one after another: told when no more of them do.
        defer { ended = now.delivered }
        if now.delivered > before.delivered {
            guard now.delivered == ended || isLate else { return nil }
            let count = now.delivered - before.delivered
            let statements = count == 1 ? "1 statement" : "\(count) statements"
            let time = meanLatency(until: now).map {
                " \(HumanUnits.duration(nanoseconds: $0)) after the interrupt"
            }
            return "\(name): \(statements) ended\(time ?? " by the interrupt")"
        }
        if now.withoutEffect > before.withoutEffect {
            return "\(name): the interrupt met no statement"
        }
        return isLate ? "\(name): the interrupt ended no statement" : nil
    }

    /// The mean of the latencies that were added since, in nanoseconds.
    private func meanLatency(until now: InterruptStatus) -> UInt64? {
        guard let latency = now.latency else { return nil }
        let old = before.latency
        let count = latency.count - min(latency.count, old?.count ?? 0)
        guard count > 0 else { return nil }
        let sum = Double(latency.mean) * Double(latency.count)
        let oldSum = Double(old?.mean ?? 0) * Double(old?.count ?? 0)
        return UInt64(max(0, sum - oldSum) / Double(count))
    }
}
