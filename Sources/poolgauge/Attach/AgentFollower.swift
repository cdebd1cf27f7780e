import PoolgaugeAgent

/// The state of a followed agent across restarts of its program.
///
/// Times are on this process's monotonic clock, in nanoseconds.
struct AgentFollower {
    enum Event: Equatable {
        /// A status, and the previous status of the same run of the program.
        case status(AgentStatus, since: AgentStatus?)
        /// The agent stopped responding.
        case lost(reason: String)
        /// The agent responds again after the given time without a status.
        case reconnected(process: Int32, gapNanoseconds: UInt64)

        /// Passes the status to `receiver`, or `nil` if the agent stopped responding.
        func report(to receiver: (AgentStatus?) -> Void) {
            switch self {
            case .status(let status, _): receiver(status)
            case .lost: receiver(nil)
            case .reconnected: break
            }
        }
    }

    /// The last received status.
    private(set) var last: AgentStatus?
    private var lastTime: UInt64?
    private var isLost = false

    /// Adds a status that was received at `now`.
    mutating func receive(_ status: AgentStatus, at now: UInt64) -> [Event] {
        // A program can restart between two requests.
        let hasRestarted =
            last.map {
                $0.process != status.process || $0.ageNanoseconds > status.ageNanoseconds
            } ?? false
        var events: [Event] = []
        if isLost || hasRestarted, let lastTime {
            events.append(
                .reconnected(process: status.process, gapNanoseconds: now - min(lastTime, now))
            )
        }
        events.append(.status(status, since: hasRestarted ? nil : last))
        (last, lastTime, isLost) = (status, now, false)
        return events
    }

    /// Records a failed request.
    ///
    /// Only the first of several consecutive failures produces an event.
    mutating func recordFailure(reason: String) -> [Event] {
        defer { isLost = true }
        return isLost ? [] : [.lost(reason: reason)]
    }
}
