/// A rate of arrivals over load time, in straight pieces, and how many arrivals it brings up to any
/// moment.
///
/// An arrival is known by its *mass*: the number of arrivals that the curve promises before it. A
/// load of any shape is then a load of rate 1 seen through the curve, and one that somebody turns
/// while it runs keeps each arrival's mass and moves its moment.
struct RateCurve: Sendable, Equatable {
    /// A straight stretch.
    struct Piece: Sendable, Equatable {
        /// When it begins, in nanoseconds of load time.
        var start: Double
        /// When it ends.
        var end: Double
        /// The rate at its begin, in arrivals per second.
        var from: Double
        /// The rate at its end.
        var to: Double
        /// The arrivals before it.
        var mass = 0.0

        /// The arrivals from its begin to a time inside.
        func mass(until time: Double) -> Double {
            (time - start) / 1e9 * (from + rate(at: time)) / 2
        }

        /// The rate at a time inside.
        func rate(at time: Double) -> Double {
            end > start ? from + (to - from) * (time - start) / (end - start) : from
        }
    }

    /// The pieces, without gaps, from 0 on.
    private(set) var pieces: [Piece] = []

    /// When the curve ends, in nanoseconds of load time.
    var end: Double { pieces.last?.end ?? 0 }

    /// A constant rate from load time 0 to `end`, in nanoseconds.
    init(rate: Double, end: UInt64) {
        append(until: Double(end), from: rate, to: rate)
    }

    /// An empty curve.
    init() {}

    /// Adds a piece at the end; one that goes on as the last one did makes it longer.
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

    /// The rate at a time, in arrivals per second; 0 after the end.
    func rate(at time: UInt64) -> Double {
        let time = Double(time)
        return pieces.first { time < $0.end }?.rate(at: time) ?? 0
    }

    /// How many arrivals come before a time.
    func mass(until time: UInt64) -> Double {
        let time = min(Double(time), end)
        guard let piece = pieces.first(where: { time <= $0.end }) else { return 0 }
        return piece.mass + piece.mass(until: time)
    }

    /// The time of the arrival that has so many before it; nil when the curve ends before.
    func time(ofMass mass: Double) -> UInt64? {
        for piece in pieces {
            let rest = mass - piece.mass
            let total = piece.mass(until: piece.end)
            // An arrival at the very end belongs to the next piece, or to nobody.
            guard rest < total else { continue }
            let slope = (piece.to - piece.from) / (piece.end - piece.start) * 1e9
            // The root of from × x + slope × x² / 2 = rest, in the form that subtracts nothing.
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

    /// The curve up to a time, and from there on another one, its rates times a factor.
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

    /// The curve where `isActive` says so, and no arrivals elsewhere.
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
