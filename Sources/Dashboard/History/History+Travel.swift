import Telemetry
import TerminalUI

extension History: Timeline {
    /// Whether the displayed sample is the last sample of an ended run.
    var isOver: Bool { latest?.state == .finished }

    /// Returns the share of the last `seconds` with all connections in use and an access waiting,
    /// from 0 to 1.
    ///
    /// After a run, returns the share of its measured time, as in its result.
    func saturation(over seconds: Double) -> Double? {
        (isOver ? peaks.saturation : nil) ?? mean(over: seconds, \.saturation)
    }

    /// Returns the mean number of connections in use for reads in the last `seconds`.
    ///
    /// After a run, returns the mean over its measured time, as in its result.
    func inUse(over seconds: Double) -> Double? {
        let maximum = Double(latest?.database.readers?.maximum ?? 1)
        return (isOver ? peaks.utilization.map { $0 * maximum } : nil)
            ?? mean(over: seconds, \.inUse)
    }

    /// Describes the period before the displayed sample, such as `last 10 s` or, after the run
    /// ends, `last 10 s of the run`.
    func spanLabel(_ seconds: Double) -> String {
        "last \(HumanUnits.secondsLabel(seconds))" + (isOver ? " of the run" : "")
    }

    /// Returns the start of a wait in the displayed sample, in seconds since the start of the run.
    func start(of waiter: WaiterStatus) -> Double {
        max(0, now - Double(waiter.waitedNanoseconds) / 1e9)
    }

    /// Returns the events up to the displayed moment, newest first.
    func newestEvents(_ count: Int) -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var index = events.count - 1
        while index >= 0, found.count < count {
            // Notes are added at the time of the newest sample, so they may be later than the
            // displayed sample.
            if cursor == nil || events[index].time <= now { found.append(events[index]) }
            index -= 1
        }
        return found
    }
}
