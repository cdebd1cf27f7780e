import Foundation

/// The ratio of two arms' values, estimated from the blocks with both values.
struct PairedRatio {
    /// The logarithm of the ratio, with its interval.
    let location: HodgesLehmann
    let pValue: Double
    /// The number of blocks with both values.
    let blocks: Int

    /// Compares `b` with `a`, or returns `nil` if no block has both values.
    ///
    /// The positive number `smallest` replaces smaller values. Values must not be negative.
    init?(_ a: [Double?], _ b: [Double?], smallest: Double) {
        let differences = zip(a, b).compactMap { a, b -> Double? in
            guard let a, let b, a.isFinite, b.isFinite else { return nil }
            return log(max(b, smallest)) - log(max(a, smallest))
        }
        guard let location = HodgesLehmann(differences) else { return nil }
        self.location = location
        pValue = WilcoxonSignedRank(differences).pValue
        blocks = differences.count
    }

    var ratio: Double { Self.ratio(location.estimate) }
    var low: Double { Self.ratio(location.low) }
    var high: Double { Self.ratio(location.high) }

    /// Returns the ratio for a logarithm, rounded to six significant digits to keep files short.
    private static func ratio(_ logarithm: Double) -> Double {
        let ratio = exp(logarithm)
        guard ratio > 0, ratio.isFinite else { return ratio }
        let factor = pow(10, 5 - Foundation.floor(log10(ratio)))
        return (ratio * factor).rounded() / factor
    }
}
