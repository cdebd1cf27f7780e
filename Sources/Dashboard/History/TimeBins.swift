/// Cuts the last seconds of a history into equal stretches, one for each column of a picture.
///
/// Stretches begin at multiples of their length since the run began, not at the newest sample: so
/// a column keeps what it showed while it moves to the left.
struct TimeBins {
    /// How the samples of a stretch become one value.
    enum Reduction {
        /// Their mean.
        case mean
        /// The largest.
        case maximum
    }

    /// How many stretches there are.
    let count: Int
    /// The first sample that falls into one, as an index of the history.
    private let first: Int
    /// The stretch of each sample from `first` on.
    private let places: [Int]

    /// Cuts `seconds` of a history into `count` stretches: the last ones, or those that the moment
    /// is in that somebody went back to.
    init(_ timeline: some Timeline, seconds: Double, count: Int) {
        self.init(
            moments: timeline.moments,
            seconds: seconds,
            until: timeline.windowEnd(seconds),
            count: count
        )
    }

    /// Cuts the `seconds` before a time into `count` stretches.
    init(moments: RingBuffer<some Timed>, seconds: Double, until end: Double, count: Int) {
        self.count = max(0, count)
        guard moments.count > 0, count > 0, seconds > 0 else {
            first = moments.count
            places = []
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
        first = index + 1
        places = reversed.reversed()
    }

    /// One value for each stretch, NaN before the first sample; a stretch without a sample keeps
    /// the value of the one before.
    func values(_ reduction: Reduction, _ value: (Int) -> Double) -> [Double] {
        var values = Array(repeating: Double.nan, count: count)
        var samples = Array(repeating: 0, count: count)
        for (offset, place) in places.enumerated() {
            let value = value(first + offset)
            guard value.isFinite else { continue }
            if samples[place] == 0 {
                values[place] = value
            } else if reduction == .maximum {
                values[place] = max(values[place], value)
            } else {
                values[place] += value
            }
            samples[place] += 1
        }
        var last = Double.nan
        for place in 0..<count {
            if samples[place] > 1, reduction == .mean { values[place] /= Double(samples[place]) }
            if samples[place] == 0 { values[place] = last } else { last = values[place] }
        }
        return values
    }

    /// The state that a lane was in most of each stretch; nil where it is not known.
    ///
    /// Idle counts less: a stretch in which the connection worked at least a third shows the work.
    func states(of lane: Lane, in moments: RingBuffer<Moment>) -> [Int?] {
        states(
            kinds: LaneState.allCases.count,
            series: lane.states.count,
            offset: moments.count - lane.states.count
        ) { Int(lane.states[$0].rawValue) }
    }

    /// The state that a series was in most of each stretch; nil where it is not known.
    ///
    /// State 0 is idle, and counts less: a stretch with at least a third of work shows the work.
    ///
    /// - Parameters:
    ///   - kinds: The number of states.
    ///   - length: The number of values of the series, whose last belongs to the newest moment.
    ///   - offset: The number of moments before its first value.
    ///   - state: The state at a place of the series.
    /// - Returns: A state for each stretch.
    func states(
        kinds: Int,
        series length: Int,
        offset: Int,
        _ state: (Int) -> Int
    ) -> [Int?] {
        var tallies = Array(repeating: 0, count: count * kinds)
        for (step, place) in places.enumerated() {
            let index = first + step - offset
            guard index >= 0, index < length else { continue }
            tallies[place * kinds + state(index)] += 1
        }
        var last: Int?
        return (0..<count).map { place in
            let tally = tallies[(place * kinds)..<((place + 1) * kinds)]
            let total = tally.reduce(0, +)
            guard total > 0 else { return last }
            let idle = tally[tally.startIndex]
            let work = tally.dropFirst()
            let strongest = work.indices.max { work[$0] < work[$1] } ?? work.startIndex
            let state = (total - idle) * 3 >= total ? strongest - tally.startIndex : 0
            last = state
            return state
        }
    }

    /// The share of the samples in which a lane was in use, in 0…1; nil without samples.
    func busyShare(of lane: Lane, in moments: RingBuffer<Moment>) -> Double? {
        let offset = moments.count - lane.states.count
        var busy = 0
        var total = 0
        for step in places.indices {
            let index = first + step - offset
            guard index >= 0, index < lane.states.count else { continue }
            let state = lane.states[index]
            if state == .absent { continue }
            total += 1
            if state != .idle { busy += 1 }
        }
        return total > 0 ? Double(busy) / Double(total) : nil
    }
}
