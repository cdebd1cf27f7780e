import TerminalUI
import Text

/// The last seconds of a history in equal intervals, one for each column of a chart.
///
/// Intervals start at multiples of their length, measured from the start of the run, not from the
/// newest sample. As a result, the content of a column stays the same while the column moves left.
struct TimeBins {
    enum Reduction {
        case mean
        case maximum
    }

    let count: Int
    /// The index of the first sample that belongs to an interval.
    private let firstSampleIndex: Int
    /// The interval of each sample, starting with the sample at `firstSampleIndex`.
    private let bins: [Int]

    /// Divides the displayed window of `seconds` into `count` intervals.
    init(_ timeline: some Timeline, seconds: Double, count: Int) {
        self.init(
            moments: timeline.moments,
            seconds: seconds,
            until: timeline.windowEnd(seconds),
            count: count
        )
    }

    /// Divides the `seconds` before `end` into `count` intervals.
    init(moments: RingBuffer<some Timed>, seconds: Double, until end: Double, count: Int) {
        self.count = max(0, count)
        guard moments.count > 0, count > 0, seconds > 0 else {
            firstSampleIndex = moments.count
            bins = []
            return
        }
        let length = seconds / Double(count)
        let newest = (end / length).rounded(.down)
        var reversed: [Int] = []
        var index = moments.count - 1
        while index >= 0, (moments[index].time / length).rounded(.down) > newest { index -= 1 }
        while index >= 0 {
            let age = newest - (moments[index].time / length).rounded(.down)
            guard age < Double(count) else { break }
            reversed.append(count - 1 - Int(max(age, 0)))
            index -= 1
        }
        firstSampleIndex = index + 1
        bins = reversed.reversed()
    }

    /// Returns one value for each interval.
    ///
    /// An interval without samples repeats the previous value. Intervals before the first sample,
    /// and intervals in which all values are NaN, are NaN.
    func values(_ reduction: Reduction, _ value: (Int) -> Double) -> [Double] {
        var values = Array(repeating: Double.nan, count: count)
        var samples = Array(repeating: 0, count: count)
        var isUnknown = Array(repeating: false, count: count)
        for (offset, bin) in bins.enumerated() {
            let value = value(firstSampleIndex + offset)
            guard value.isFinite else {
                isUnknown[bin] = true
                continue
            }
            if samples[bin] == 0 {
                values[bin] = value
            } else if reduction == .maximum {
                values[bin] = max(values[bin], value)
            } else {
                values[bin] += value
            }
            samples[bin] += 1
        }
        var last = Double.nan
        for bin in 0..<count {
            if samples[bin] > 1, reduction == .mean { values[bin] /= Double(samples[bin]) }
            if samples[bin] == 0, !isUnknown[bin] {
                values[bin] = last
            } else {
                last = values[bin]
            }
        }
        return values
    }

    /// Returns the main state of a lane in each interval, or `nil` if unknown.
    ///
    /// If a lane is busy in at least a third of an interval's samples, the interval shows the most
    /// frequent busy state.
    func states(of lane: Lane, in moments: RingBuffer<Moment>) -> [Int?] {
        states(
            stateCount: LaneState.allCases.count,
            seriesLength: lane.states.count,
            offset: moments.count - lane.states.count
        ) { Int(lane.states[$0].rawValue) }
    }

    /// Returns the main state of a series in each interval, or `nil` if unknown.
    ///
    /// State 0 is idle. If at least a third of an interval's samples are busy, the interval shows
    /// the most frequent busy state.
    ///
    /// - Parameters:
    ///   - stateCount: The number of possible states.
    ///   - length: The number of values in the series. The last value belongs to the newest moment.
    ///   - offset: The number of moments before the first value.
    ///   - state: A closure that returns the state at an index of the series.
    /// - Returns: The states, or `nil` for intervals before the first value.
    func states(
        stateCount: Int,
        seriesLength length: Int,
        offset: Int,
        _ state: (Int) -> Int
    ) -> [Int?] {
        var tallies = Array(repeating: 0, count: count * stateCount)
        for (step, bin) in bins.enumerated() {
            let index = firstSampleIndex + step - offset
            guard index >= 0, index < length else { continue }
            tallies[bin * stateCount + state(index)] += 1
        }
        var last: Int?
        return (0..<count).map { bin in
            let tally = tallies[(bin * stateCount)..<((bin + 1) * stateCount)]
            let totalCount = tally.reduce(0, +)
            guard totalCount > 0 else { return last }
            let idle = tally[tally.startIndex]
            let work = tally.dropFirst()
            let strongest = work.indices.max { work[$0] < work[$1] } ?? work.startIndex
            let state = (totalCount - idle) * 3 >= totalCount ? strongest - tally.startIndex : 0
            last = state
            return state
        }
    }

    /// Returns the share of samples in which a lane was in use, from 0 to 1, or `nil` if there are
    /// no samples.
    func busyShare(of lane: Lane, in moments: RingBuffer<Moment>) -> Double? {
        let offset = moments.count - lane.states.count
        var busyCount = 0
        var totalCount = 0
        for step in bins.indices {
            let index = firstSampleIndex + step - offset
            guard index >= 0, index < lane.states.count else { continue }
            let state = lane.states[index]
            if state == .absent { continue }
            totalCount += 1
            if state != .idle { busyCount += 1 }
        }
        return totalCount > 0 ? Double(busyCount) / Double(totalCount) : nil
    }
}

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
    func markTime(_ seconds: Double, on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty, moments.count > 0 else { return }
        let end = windowEnd(seconds)
        canvas.markTimes(rect, from: end - seconds, to: end)
        guard let share = cursorShare(seconds) else { return }
        let x = rect.minX + min(Int(share * Double(rect.width)), rect.width - 1)
        canvas.drawCursor(x: x, in: rect)
    }
}
