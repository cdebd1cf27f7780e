import TerminalUI
import Text

protocol Timed: Sendable {
    /// The time since the start, in seconds.
    var time: Double { get }
}

/// A time series with one displayed moment.
protocol Timeline {
    associatedtype Entry: Timed

    /// The moments, newest last.
    var moments: RingBuffer<Entry> { get }
    /// The index in ``moments`` of the displayed earlier moment, or `nil` for the newest moment.
    var cursor: Int? { get }
    var isOver: Bool { get }

    /// Displays the moment at an index in ``moments``, or the nearest recorded moment.
    mutating func show(at index: Int)
}

extension Timeline {
    /// The time of the newest moment, in seconds since the start.
    var newestTime: Double { moments.last?.time ?? 0 }

    /// The time of the displayed moment, in seconds since the start.
    var now: Double { cursor.map { moments[$0].time } ?? newestTime }

    /// Returns the time at the right edge of lanes and charts that span a number of seconds.
    ///
    /// This is the time of the newest moment, unless the displayed moment would be outside the
    /// window. In that case, the displayed moment is in the middle.
    func windowEnd(_ seconds: Double) -> Double {
        guard cursor != nil, now < newestTime - seconds else { return newestTime }
        return now + seconds / 2
    }

    /// Returns the label at the right edge of a chart, or `nil` for "now".
    func endLabel(_ seconds: Double) -> String? {
        cursor == nil ? (isOver ? "end" : nil) : "at \(HumanUnits.seconds(windowEnd(seconds)))"
    }

    /// Returns the horizontal position of the displayed earlier moment on a chart, from 0 to 1, or
    /// `nil` for the newest moment.
    func cursorShare(_ seconds: Double) -> Double? {
        guard cursor != nil, seconds > 0 else { return nil }
        return min(max(1 - (windowEnd(seconds) - now) / seconds, 0), 1)
    }

    /// Displays the moment that is `count` moments later, or the newest moment.
    mutating func step(by count: Int) {
        guard moments.count > 0 else { return }
        show(at: (cursor ?? moments.count - 1) + count)
    }

    /// Displays the moment nearest to a time.
    mutating func show(time: Double) {
        guard moments.count > 0, time.isFinite else { return }
        var low = 0
        var high = moments.count - 1
        while low < high {
            let middle = (low + high) / 2
            if moments[middle].time < time { low = middle + 1 } else { high = middle }
        }
        if low > 0, time - moments[low - 1].time < moments[low].time - time { low -= 1 }
        show(at: low)
    }

    /// Makes a chart that spans a number of seconds clickable, and marks the displayed moment if it
    /// is not the newest.
    func markTime(_ seconds: Double, on canvas: inout Canvas, _ rect: Rect) {
        guard !rect.isEmpty, moments.count > 0 else { return }
        let end = windowEnd(seconds)
        canvas.markTimes(rect, from: end - seconds, to: end)
        guard let share = cursorShare(seconds) else { return }
        let x = rect.minX + min(Int(share * Double(rect.width)), rect.width - 1)
        canvas.drawCursor(x: x, in: rect)
    }
}
