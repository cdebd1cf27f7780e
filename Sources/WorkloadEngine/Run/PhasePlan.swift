/// The phases of a run, with times in nanoseconds since the start of the load.
struct PhasePlan: Sendable {
    struct Stretch: Sendable {
        let name: String
        let start: UInt64
        let end: UInt64
        /// Whether to measure accesses with an intended start in the phase.
        let isMeasured: Bool
    }

    /// The phases in order, without gaps, starting at 0.
    let stretches: [Stretch]
    let end: UInt64
    /// The maximum time to wait for running accesses after the last phase.
    let drain: UInt64
    let measured: Duration

    init(_ scenario: Scenario) {
        var time: UInt64 = 0
        stretches = scenario.phases.map { phase in
            let start = time
            time += phase.duration.wholeNanoseconds
            return Stretch(name: phase.name, start: start, end: time, isMeasured: phase.isMeasured)
        }
        end = time
        drain = scenario.drain.wholeNanoseconds
        measured = scenario.measuredDuration
    }

    /// Returns the phase at the given time, or the last phase if the time is after the end.
    func stretch(at time: UInt64) -> Stretch? {
        stretches.first { time < $0.end } ?? stretches.last
    }

    /// The phase that contains an access's intended start.
    struct Place: Sendable, Equatable {
        /// The index of the phase, or the number of phases if the start is outside all phases.
        var index: Int
        var isMeasured: Bool
    }

    @inline(__always)
    func place(at time: UInt64) -> Place {
        for index in stretches.indices where time < stretches[index].end {
            return Place(index: index, isMeasured: stretches[index].isMeasured)
        }
        return Place(index: stretches.count, isMeasured: false)
    }

    func isMeasured(at time: UInt64) -> Bool {
        for stretch in stretches where time < stretch.end {
            return stretch.isMeasured
        }
        return false
    }

    func boundary(after time: UInt64) -> UInt64? {
        stretches.first { time < $0.end }?.end
    }

    /// Returns the time since the start of the load at which measured phases have lasted for `offset` nanoseconds.
    func time(intoMeasuredPart offset: UInt64) -> UInt64 {
        var rest = offset
        for stretch in stretches where stretch.isMeasured {
            let length = stretch.end - stretch.start
            if rest < length { return stretch.start + rest }
            rest -= length
        }
        return end + rest
    }

    /// Returns the length of each phase before a time, in seconds.
    func seconds(until time: UInt64) -> [Double] {
        stretches.map { stretch in
            (min(time, stretch.end) - min(time, stretch.start)).secondsFromNanoseconds
        }
    }

    /// Returns the length of the measured phases before a time, in nanoseconds.
    func measuredTime(until time: UInt64) -> UInt64 {
        stretches.reduce(0) { sum, stretch in
            guard stretch.isMeasured, time > stretch.start else { return sum }
            return sum + min(time, stretch.end) - stretch.start
        }
    }
}
