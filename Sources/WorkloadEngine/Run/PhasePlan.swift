/// The phases of a run on its time line: load time, in nanoseconds from the load's begin.
struct PhasePlan: Sendable {
    /// A phase with its place on the time line.
    struct Stretch: Sendable {
        /// The phase's name.
        let name: String
        /// When it begins.
        let start: UInt64
        /// When the next one begins.
        let end: UInt64
        /// Whether the accesses that are intended to start in it count.
        let isMeasured: Bool
    }

    /// The phases, without gaps, from 0 on.
    let stretches: [Stretch]
    /// When the last phase ends.
    let end: UInt64
    /// How long accesses that run at the end are awaited.
    let drain: UInt64
    /// The length of all measured phases together.
    let measured: Duration

    /// Lays the scenario's phases one after another.
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

    /// The phase at a time: the last one for all times after the end.
    func stretch(at time: UInt64) -> Stretch? {
        stretches.first { time < $0.end } ?? stretches.last
    }

    /// Where on the time line an access is intended to start.
    struct Place: Sendable, Equatable {
        /// The index of the phase; the number of phases for what lies in none.
        var index: Int
        /// Whether the access counts.
        var isMeasured: Bool
    }

    /// The place of a time.
    @inline(__always)
    func place(at time: UInt64) -> Place {
        for index in stretches.indices where time < stretches[index].end {
            return Place(index: index, isMeasured: stretches[index].isMeasured)
        }
        return Place(index: stretches.count, isMeasured: false)
    }

    /// Whether an access that is intended to start then counts.
    func isMeasured(at time: UInt64) -> Bool {
        for stretch in stretches where time < stretch.end {
            return stretch.isMeasured
        }
        return false
    }

    /// The next begin or end of a phase after a time; nil after the end.
    func boundary(after time: UInt64) -> UInt64? {
        stretches.first { time < $0.end }?.end
    }

    /// The time at which the measured part has lasted for `offset`: what an `at:` means.
    func time(intoMeasuredPart offset: UInt64) -> UInt64 {
        var rest = offset
        for stretch in stretches where stretch.isMeasured {
            let length = stretch.end - stretch.start
            if rest < length { return stretch.start + rest }
            rest -= length
        }
        return end + rest
    }

    /// How much of the measured phases lies before a time, in nanoseconds.
    func measuredTime(until time: UInt64) -> UInt64 {
        stretches.reduce(0) { sum, stretch in
            guard stretch.isMeasured, time > stretch.start else { return sum }
            return sum + min(time, stretch.end) - stretch.start
        }
    }
}
