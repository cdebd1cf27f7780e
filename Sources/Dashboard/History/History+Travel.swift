import Telemetry
import TerminalUI
import Text

extension History: Timeline {
    /// Whether the run had ended by the time of the displayed sample.
    var isOver: Bool { displayedSample?.state == .finished }

    /// Whether the database's state is unknown because the attached program does not respond.
    var isUnknown: Bool { displayedSample?.program?.isConnected == false }

    /// Whether the attached program does not report its connections, or does not respond.
    var hidesConnections: Bool { isUnknown || displayedSample?.hidesConnections == true }

    /// Whether the attached program does not report waits, or does not respond.
    var hidesWaits: Bool { isUnknown || displayedSample?.hidesWaits == true }

    /// The text to show in place of an empty list of connections.
    var connectionsPlaceholder: String {
        if hidesConnections {
            return isUnknown ? "unknown" : "unknown: the program does not report its connections"
        }
        return displayedSample?.database.isClosed == true
            ? "the database is closed" : "no connection is open yet"
    }

    /// The text to show in place of the log's size if there is no log.
    var logPlaceholder: String {
        let mode = displayedSample?.database.journalMode
        if isUnknown || displayedSample?.program != nil && (mode == nil || mode == "wal") {
            return "unknown"
        }
        return "none in this journal mode" + (mode.map { " (\($0))" } ?? "")
    }

    /// Returns the share of the last `seconds` during which all connections were in use and an
    /// access waited, from 0 to 1.
    ///
    /// After a run, returns the share of the measured time, as in the run's result.
    func saturation(over seconds: Double) -> Double? {
        (isOver ? peaks.saturation : nil) ?? mean(over: seconds, \.saturation)
    }

    /// Returns the mean number of connections that served reads in the last `seconds`.
    ///
    /// After a run, returns the mean over the measured time, as in the run's result.
    func inUse(over seconds: Double) -> Double? {
        let maximum = Double(displayedSample?.database.readers?.maximum ?? 1)
        return (isOver ? peaks.utilization.map { $0 * maximum } : nil)
            ?? mean(over: seconds, \.inUse)
    }

    /// Returns a label for the last `seconds` before the displayed sample.
    ///
    /// The label is, for example, `last 10 s` or, after a run, `last 10 s of the run`.
    func spanLabel(_ seconds: Double) -> String {
        "last \(HumanUnits.secondsLabel(seconds))" + (isOver ? " of the run" : "")
    }

    /// Returns the time at which a displayed waiter started to wait, in seconds since the run's
    /// start.
    func start(of waiter: WaiterStatus) -> Double {
        max(0, now - Double(waiter.waitedNanoseconds) / 1e9)
    }

    /// Returns at most `count` events up to the displayed moment, newest first.
    func newestEvents(_ count: Int) -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var index = events.count - 1
        while index >= 0, found.count < count {
            // A note has the time of the newest sample, which may be later than the displayed
            // sample.
            if cursor == nil || events[index].time <= now { found.append(events[index]) }
            index -= 1
        }
        return found
    }
}
