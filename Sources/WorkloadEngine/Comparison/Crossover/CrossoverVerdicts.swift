import Foundation

/// A type that determines the verdict on a cell from the noise between runs of one arm.
struct CrossoverVerdicts {
    var higherIsBetter: Bool
    /// The ratio, at least 1, below which a difference is noise, or `nil` if the ratio is unknown.
    var noiseFloor: Double?

    static let confidence = 0.95

    /// Returns the noise floor, which is the end of the interval that is farther from 1, as a ratio
    /// of at least 1.
    static func floor(of logarithms: [Double]) -> Double? {
        guard let location = HodgesLehmann(logarithms, confidence: confidence) else { return nil }
        return exp(max(abs(location.low), abs(location.high)))
    }

    func judge(_ cell: inout CrossoverResult.Cell, _ logarithms: [Double]) {
        guard let location = HodgesLehmann(logarithms, confidence: Self.confidence) else { return }
        cell.ratio = Self.ratio(location.estimate)
        cell.low = Self.ratio(location.low)
        cell.high = Self.ratio(location.high)
        cell.level = location.level.rounded(toDigits: 4)
        cell.verdict = cell.isInvalid ? .inconclusive : verdict(location)
    }

    /// Returns the ratio for a logarithm, rounded to four significant digits.
    private static func ratio(_ logarithm: Double) -> Double {
        let magnitude = logarithm / log(10)
        let digits = 3 - Int(max(-300, min(3, magnitude.rounded(.down))))
        return exp(logarithm).rounded(toDigits: digits)
    }

    private func verdict(_ location: HodgesLehmann) -> CrossoverResult.Verdict {
        // Without a noise floor, or with too few pairs for a 95% interval, the cell is
        // inconclusive.
        guard let noiseFloor, location.level >= Self.confidence else { return .inconclusive }
        let floor = log(noiseFloor)
        if location.low >= -floor, location.high <= floor { return .same }
        let excludesOne = location.low > 0 || location.high < 0
        guard excludesOne, abs(location.estimate) > floor else { return .inconclusive }
        return (location.estimate > 0) == higherIsBetter ? .better : .worse
    }
}
