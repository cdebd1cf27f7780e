/// A weighted distribution of the values in a list.
package struct ChoiceDistribution: Sendable, Equatable {
    private let values: [WorkloadValue]
    /// For each value, the sum of the weights up to and including that value.
    private let sums: [Double]

    /// Creates the distribution.
    ///
    /// A value without a weight has the weight 1.
    package init(_ values: [WorkloadValue], weights: [Double] = []) {
        self.values = values
        var sum = 0.0
        sums = values.indices.map { index in
            sum += index < weights.count ? weights[index] : 1
            return sum
        }
    }

    /// Draws the next value, or NULL if the list is empty.
    package func next(using stream: inout RandomStream) -> WorkloadValue {
        guard let total = sums.last else { return .null }
        let point = stream.nextUnit() * total
        // Find the first sum above the point.
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if point < sums[middle] { high = middle } else { low = middle + 1 }
        }
        return values[low]
    }
}
