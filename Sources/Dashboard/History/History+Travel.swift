import Telemetry
import TerminalUI

extension History {
    /// The time of the newest sample, in seconds since the run began.
    var newestTime: Double { moments.last?.time ?? 0 }

    /// The time of the sample that is looked at, in seconds since the run began.
    var now: Double { cursor.map { moments[$0].time } ?? newestTime }

    /// Whether what is looked at is the end of the run: what goes on now says nothing any more.
    var isOver: Bool { latest?.state == .finished }

    /// What a time that ends with the sample looked at is called: `last 10 s`, or, when the run has
    /// ended, `last 10 s of the run`.
    func spanLabel(_ seconds: Double) -> String {
        "last \(HumanUnits.secondsLabel(seconds))" + (isOver ? " of the run" : "")
    }

    /// When somebody who waits in the sample looked at began to, in seconds since the run began.
    func began(_ waiter: WaiterStatus) -> Double {
        max(0, now - Double(waiter.waitedNanoseconds) / 1e9)
    }

    /// The right edge of lanes and charts that show so many seconds: the newest sample, or, when
    /// what is looked at would lie outside, a time that shows it in the middle.
    func windowEnd(_ seconds: Double) -> Double {
        guard cursor != nil, now < newestTime - seconds else { return newestTime }
        return now + seconds / 2
    }

    /// What stands at the right edge of a chart of so many seconds where that is not now.
    func endLabel(_ seconds: Double) -> String? {
        cursor == nil ? (isOver ? "end" : nil) : "at \(HumanUnits.seconds(windowEnd(seconds)))"
    }

    /// Where on a chart of so many seconds the moment is that somebody went back to, in 0…1; nil
    /// for the newest one.
    func cursorShare(_ seconds: Double) -> Double? {
        guard cursor != nil, seconds > 0 else { return nil }
        return min(max(1 - (windowEnd(seconds) - now) / seconds, 0), 1)
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

    /// Goes by so many samples; beyond the newest one it stays there.
    mutating func step(by samples: Int) {
        guard moments.count > 0 else { return }
        look(atPlace: (cursor ?? moments.count - 1) + samples)
    }

    /// Goes to the sample whose time is nearest.
    mutating func look(at time: Double) {
        guard moments.count > 0, time.isFinite else { return }
        var low = 0
        var high = moments.count - 1
        while low < high {
            let middle = (low + high) / 2
            if moments[middle].time < time { low = middle + 1 } else { high = middle }
        }
        if low > 0, time - moments[low - 1].time < moments[low].time - time { low -= 1 }
        look(atPlace: low)
    }
}
