/// Some values, each in proportion to its weight.
public struct ChoiceDistribution: Sendable, Equatable {
    private let values: [WorkloadValue]
    /// The sums of the weights up to each value.
    private let sums: [Double]

    /// Creates the distribution; values beyond the weights have the weight 1.
    public init(_ values: [WorkloadValue], weights: [Double] = []) {
        self.values = values
        var sum = 0.0
        sums = values.indices.map { index in
            sum += index < weights.count ? weights[index] : 1
            return sum
        }
    }

    /// The next value; NULL when there are none.
    public func next(using stream: inout RandomStream) -> WorkloadValue {
        guard let total = sums.last else { return .null }
        let point = stream.nextUnit() * total
        // The first sum above the point; the sums grow.
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if point < sums[middle] { high = middle } else { low = middle + 1 }
        }
        return values[low]
    }
}
