import Foundation
import Scenarios
import Telemetry

/// The phases of a run, with times in nanoseconds since the start of the load.
struct PhasePlan: Sendable {
    struct Phase: Sendable {
        let name: String
        let start: UInt64
        let end: UInt64
        /// Whether to measure accesses with an intended start in the phase.
        let isMeasured: Bool
    }

    /// The phases in order, without gaps, starting at 0.
    let all: [Phase]
    let end: UInt64
    /// The maximum time to wait for running accesses after the last phase.
    let drain: UInt64
    /// The total length of the measured phases.
    let measured: Duration

    init(_ scenario: Scenario) {
        var time: UInt64 = 0
        all = scenario.phases.map { phase in
            let start = time
            time += phase.duration.wholeNanoseconds
            return Phase(name: phase.name, start: start, end: time, isMeasured: phase.isMeasured)
        }
        end = time
        drain = scenario.drain.wholeNanoseconds
        measured = scenario.measuredDuration
    }

    /// Returns the phase at the given time, or the last phase if the time is after the end.
    func phase(at time: UInt64) -> Phase? {
        all.first { time < $0.end } ?? all.last
    }

    /// The phase that contains an access's intended start.
    struct Place: Sendable, Equatable {
        /// The index of the phase, or the number of phases if the start is outside all phases.
        var index: Int
        var isMeasured: Bool
    }

    @inline(__always)
    func place(at time: UInt64) -> Place {
        for index in all.indices where time < all[index].end {
            return Place(index: index, isMeasured: all[index].isMeasured)
        }
        return Place(index: all.count, isMeasured: false)
    }

    func isMeasured(at time: UInt64) -> Bool {
        for phase in all where time < phase.end {
            return phase.isMeasured
        }
        return false
    }

    func boundary(after time: UInt64) -> UInt64? {
        all.first { time < $0.end }?.end
    }

    /// Returns the load time at which `offset` nanoseconds of the measured phases have passed.
    func time(intoMeasuredPart offset: UInt64) -> UInt64 {
        var rest = offset
        for phase in all where phase.isMeasured {
            let length = phase.end - phase.start
            if rest < length { return phase.start + rest }
            rest -= length
        }
        return end + rest
    }

    /// Returns the length of the part of each phase before a time, in seconds.
    func seconds(until time: UInt64) -> [Double] {
        all.map { phase in
            (min(time, phase.end) - min(time, phase.start)).secondsFromNanoseconds
        }
    }

    /// Returns the total length of the parts of measured phases before a time, in nanoseconds.
    func measuredTime(until time: UInt64) -> UInt64 {
        all.reduce(0) { sum, phase in
            guard phase.isMeasured, time > phase.start else { return sum }
            return sum + min(time, phase.end) - phase.start
        }
    }
}
