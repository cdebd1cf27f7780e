import Scenarios

/// A piecewise linear arrival rate over load time, with its integral.
///
/// An arrival's *mass* is the integral of the rate up to the arrival's time, which is the expected
/// number of arrivals up to that time. A change in the rate changes the times of later arrivals but
/// not their masses.
struct RateCurve: Sendable, Equatable {
    struct Piece: Sendable, Equatable {
        /// The start, in nanoseconds of load time.
        var start: Double
        /// The end, in nanoseconds of load time.
        var end: Double
        /// The starting rate, in arrivals per second.
        var from: Double
        /// The final rate, in arrivals per second.
        var to: Double
        /// The integral of the rate before the piece.
        var mass = 0.0

        /// Returns the integral from the start of the piece to a time inside it.
        func mass(until time: Double) -> Double {
            (time - start) / 1e9 * (from + rate(at: time)) / 2
        }

        /// Returns the rate at a time inside the piece.
        func rate(at time: Double) -> Double {
            end > start ? from + (to - from) * (time - start) / (end - start) : from
        }
    }

    /// The pieces, starting at load time 0 without gaps.
    private(set) var pieces: [Piece] = []

    var end: Double { pieces.last?.end ?? 0 }

    /// The highest rate, in arrivals per second.
    var maximumRate: Double { pieces.reduce(0) { max($0, $1.from, $1.to) } }

    init(rate: Double, end: UInt64) {
        append(until: Double(end), from: rate, to: rate)
    }

    init() {}

    mutating func append(until end: Double, from: Double, to: Double) {
        let start = self.end
        guard end > start else { return }
        if let last = pieces.last, last.from == last.to, from == to, last.to == from {
            pieces[pieces.count - 1].end = end
            return
        }
        let mass = pieces.last.map { $0.mass + $0.mass(until: $0.end) } ?? 0
        pieces.append(Piece(start: start, end: end, from: from, to: to, mass: mass))
    }

    /// Returns the rate at `time`, in arrivals per second, or 0 after the end.
    func rate(at time: UInt64) -> Double {
        let time = Double(time)
        return pieces.first { time < $0.end }?.rate(at: time) ?? 0
    }

    /// Returns the integral of the rate before `time`.
    func mass(until time: UInt64) -> Double {
        let time = min(Double(time), end)
        guard let piece = pieces.first(where: { time <= $0.end }) else { return 0 }
        return piece.mass + piece.mass(until: time)
    }

    /// Returns the time of the arrival with the given mass, or `nil` if the curve ends first.
    func time(ofMass mass: Double) -> UInt64? {
        for piece in pieces {
            let rest = mass - piece.mass
            let total = piece.mass(until: piece.end)
            // An arrival exactly at the end belongs to the next piece, if any.
            guard rest < total else { continue }
            let slope = (piece.to - piece.from) / (piece.end - piece.start) * 1e9
            // Solve from × x + slope × x² / 2 = rest, in a form without cancellation.
            let seconds =
                slope == 0
                ? rest / piece.from
                : 2 * rest
                    / (piece.from + (piece.from * piece.from + 2 * slope * rest).squareRoot())
            let time = piece.start + seconds * 1e9
            guard time < end else { return nil }
            return UInt64(max(0, time))
        }
        return nil
    }

    /// Returns the curve up to `time`, followed by `other` with its rates multiplied by `factor`.
    func continued(from time: UInt64, by other: RateCurve, times factor: Double) -> RateCurve {
        let time = Double(time)
        var curve = RateCurve()
        for piece in pieces where piece.start < time {
            let end = min(piece.end, time)
            curve.append(until: end, from: piece.from, to: piece.rate(at: end))
        }
        for piece in other.pieces where piece.end > time {
            let start = max(piece.start, time)
            curve.append(
                until: piece.end,
                from: piece.rate(at: start) * factor,
                to: piece.to * factor
            )
        }
        return curve
    }

    /// Returns the curve with a rate of 0 outside the windows.
    func only(in windows: ActiveWindows) -> RateCurve {
        var curve = RateCurve()
        for piece in pieces {
            for window in windows.split(from: piece.start, to: piece.end) {
                curve.append(
                    until: window.end,
                    from: window.isActive ? piece.rate(at: window.start) : 0,
                    to: window.isActive ? piece.rate(at: window.end) : 0
                )
            }
        }
        return curve
    }
}

extension RateCurve {
    /// Creates the curve of a scenario's arrivals over a run's phases.
    ///
    /// The measured phases contain the stages, one after another. The rate is constant before the
    /// measured phases, between them, and after the last stage.
    init(_ arrival: Arrival, over phases: PhasePlan) {
        self.init()
        guard !arrival.stages.isEmpty else {
            append(until: Double(phases.end), from: arrival.rate, to: arrival.rate)
            return
        }
        var shape = RateCurve()
        for stage in arrival.stages {
            let length = stage.length.resolved(in: phases.measured).wholeNanoseconds
            shape.append(until: shape.end + Double(length), from: stage.from, to: stage.to)
        }
        let last = arrival.stages.last?.to ?? arrival.rate
        var offset = 0.0
        for phase in phases.all {
            let length = Double(phase.end - phase.start)
            guard phase.isMeasured else {
                let rate = offset < shape.end ? shape.rate(at: UInt64(offset)) : last
                append(until: end + length, from: rate, to: rate)
                continue
            }
            let nextOffset = offset + length
            let phaseStart = end
            for piece in shape.pieces where piece.start < nextOffset && piece.end > offset {
                append(
                    until: phaseStart + min(piece.end, nextOffset) - offset,
                    from: piece.rate(at: max(piece.start, offset)),
                    to: piece.rate(at: min(piece.end, nextOffset))
                )
            }
            append(until: phaseStart + length, from: last, to: last)
            offset = nextOffset
        }
    }
}
