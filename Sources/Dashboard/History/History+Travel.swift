import Telemetry
import TerminalUI

extension History: Timeline {
    /// Whether what is looked at is the end of the run: what goes on now says nothing any more.
    var isOver: Bool { latest?.state == .finished }

    /// The share of the last `seconds` in which everything was in use and an access waited, in 0…1;
    /// after a run, that of its measured time, as in its result.
    func saturation(over seconds: Double) -> Double? {
        (isOver ? peaks.saturation : nil) ?? mean(over: seconds, \.saturation)
    }

    /// The mean of the connections that served reads in the last `seconds`; after a run, that of its
    /// measured time, as in its result.
    func inUse(over seconds: Double) -> Double? {
        let maximum = Double(latest?.database.readers?.maximum ?? 1)
        return (isOver ? peaks.utilization.map { $0 * maximum } : nil)
            ?? mean(over: seconds, \.inUse)
    }

    /// What a time that ends with the sample looked at is called: `last 10 s`, or, when the run has
    /// ended, `last 10 s of the run`.
    func spanLabel(_ seconds: Double) -> String {
        "last \(HumanUnits.secondsLabel(seconds))" + (isOver ? " of the run" : "")
    }

    /// When somebody who waits in the sample looked at began to, in seconds since the run began.
    func began(_ waiter: WaiterStatus) -> Double {
        max(0, now - Double(waiter.waitedNanoseconds) / 1e9)
    }

    /// The events up to the moment that is looked at, the newest first.
    func newestEvents(_ count: Int) -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var index = events.count - 1
        while index >= 0, found.count < count {
            // A note of the program has the time at which it was made.
            if cursor == nil || events[index].time <= now { found.append(events[index]) }
            index -= 1
        }
        return found
    }
}
