/// A run's phases in load time, in nanoseconds since the start of the load.
struct PhasePlan: Sendable {
    /// A phase with its start and end.
    struct Stretch: Sendable {
        /// The phase's name.
        let name: String
        /// The start.
        let start: UInt64
        /// The end, which is the start of the next phase.
        let end: UInt64
        /// Whether accesses whose intended start is in the phase are measured.
        let isMeasured: Bool
    }

    /// The phases, without gaps, starting at 0.
    let stretches: [Stretch]
    /// The end of the last phase.
    let end: UInt64
    /// The maximum time to wait for running accesses at the end of the load.
    let drain: UInt64
    /// The total length of the measured phases.
    let measured: Duration

    /// Creates the plan for the scenario's phases.
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
        /// Whether the access is measured.
        var isMeasured: Bool
    }

    @inline(__always)
    func place(at time: UInt64) -> Place {
        for index in stretches.indices where time < stretches[index].end {
            return Place(index: index, isMeasured: stretches[index].isMeasured)
        }
        return Place(index: stretches.count, isMeasured: false)
    }

    /// Returns whether an access with this intended start is measured.
    func isMeasured(at time: UInt64) -> Bool {
        for stretch in stretches where time < stretch.end {
            return stretch.isMeasured
        }
        return false
    }

    /// Returns the next phase boundary after a time, or `nil` after the end.
    func boundary(after time: UInt64) -> UInt64? {
        stretches.first { time < $0.end }?.end
    }

    /// Returns the load time at which the measured phases have lasted for `offset`, for an
    /// `at:` key.
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
