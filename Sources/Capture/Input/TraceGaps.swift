/// A type that converts clock times to recorded time, which excludes the periods when a trace
/// recorded nothing.
///
/// A trace pauses when it would slow down a program too much. Rates are computed from recorded
/// time, where gaps have no length.
struct TraceGaps {
    struct Moment: Equatable {
        /// The number of gaps before the moment.
        var segment: Int
        /// The time, excluding the gaps before the moment, in seconds.
        var time: Double
    }

    /// The gaps in order, without overlaps.
    private var gaps: [ClosedRange<Double>] = []
    /// The total length of all gaps up to each gap's end.
    private var lengths: [Double] = []

    /// Creates the gaps from ranges that may be in any order and may overlap.
    init(_ gaps: [ClosedRange<Double>]) {
        for gap in gaps.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.gaps.last, gap.lowerBound <= last.upperBound {
                self.gaps[self.gaps.count - 1] =
                    last.lowerBound...max(last.upperBound, gap.upperBound)
            } else {
                self.gaps.append(gap)
            }
        }
        var length = 0.0
        for gap in self.gaps {
            length += gap.upperBound - gap.lowerBound
            lengths.append(length)
        }
    }

    /// Converts a time on the trace's clock, or returns `nil` if the time is in a gap, where events
    /// are incomplete.
    func moment(at time: Double) -> Moment? {
        var low = 0
        var high = gaps.count
        while low < high {
            let middle = (low + high) / 2
            if gaps[middle].lowerBound <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return Moment(segment: 0, time: time) }
        guard time > gaps[low - 1].upperBound else { return nil }
        return Moment(segment: low, time: time - lengths[low - 1])
    }
}
