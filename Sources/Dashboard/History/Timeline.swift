import TerminalUI

/// A value of a series, with the time at which it was taken.
protocol Timed: Sendable {
    /// Seconds since the beginning.
    var time: Double { get }
}

/// A series over time, with a moment of it that is shown: the newest, or an earlier one.
protocol Timeline {
    /// What is kept of each moment.
    associatedtype Entry: Timed

    /// The moments, the newest last.
    var moments: RingBuffer<Entry> { get }
    /// The place among ``moments`` of an earlier moment that is shown; nil for the newest.
    var cursor: Int? { get }
    /// Whether no moment follows.
    var isOver: Bool { get }

    /// Shows the moment at a place among ``moments``, or the nearest that is kept.
    mutating func look(atPlace place: Int)
}

extension Timeline {
    /// The time of the newest moment, in seconds since the beginning.
    var newestTime: Double { moments.last?.time ?? 0 }

    /// The time of the moment that is shown, in seconds since the beginning.
    var now: Double { cursor.map { moments[$0].time } ?? newestTime }

    /// The time at the right edge of lanes and charts that show so many seconds.
    ///
    /// It is the newest moment. A moment that would lie outside is shown in the middle.
    func windowEnd(_ seconds: Double) -> Double {
        guard cursor != nil, now < newestTime - seconds else { return newestTime }
        return now + seconds / 2
    }

    /// The label at the right edge of a chart of so many seconds; nil where it is "now".
    func endLabel(_ seconds: Double) -> String? {
        cursor == nil ? (isOver ? "end" : nil) : "at \(HumanUnits.seconds(windowEnd(seconds)))"
    }

    /// The place on a chart of so many seconds of the earlier moment that is shown, from 0 to 1;
    /// nil for the newest one.
    func cursorShare(_ seconds: Double) -> Double? {
        guard cursor != nil, seconds > 0 else { return nil }
        return min(max(1 - (windowEnd(seconds) - now) / seconds, 0), 1)
    }

    /// Shows the moment that is so many places later, or the newest.
    mutating func step(by count: Int) {
        guard moments.count > 0 else { return }
        look(atPlace: (cursor ?? moments.count - 1) + count)
    }

    /// Shows the moment whose time is nearest.
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

    /// Makes a part of the screen that shows so many seconds clickable, and draws the earlier
    /// moment that is shown into it.
    func markTime(_ seconds: Double, on canvas: inout Canvas, _ rect: Rect) {
        guard !rect.isEmpty, moments.count > 0 else { return }
        let end = windowEnd(seconds)
        canvas.markTimes(rect, from: end - seconds, to: end)
        guard let share = cursorShare(seconds) else { return }
        let x = rect.minX + min(Int(share * Double(rect.width)), rect.width - 1)
        canvas.drawCursor(x: x, in: rect)
    }
}
