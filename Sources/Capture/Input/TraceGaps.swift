/// The periods in which a trace recorded nothing, cut out of its time.
///
/// A trace pauses where it would cost a program too much. Rates are those of the recorded time: the
/// end of each gap follows its start at once.
struct TraceGaps {
    /// A moment of the recorded time.
    struct Moment: Equatable {
        /// How many gaps are before it.
        var segment: Int
        /// The time without the gaps before it.
        var time: Double
    }

    /// In their order, without overlaps.
    private var gaps: [ClosedRange<Double>] = []
    /// The length of each gap and all before it.
    private var lengths: [Double] = []

    /// Gaps in any order; they may overlap.
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

    /// A moment by the trace's clock; nil inside a gap, where only some events were recorded.
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
