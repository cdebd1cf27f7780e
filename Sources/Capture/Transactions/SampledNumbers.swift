import Foundation

/// Numbers with an exact sum and with quantiles from a sample.
struct SampledNumbers {
    private static let capacity = 4096

    private(set) var count = 0
    private(set) var sum = 0.0
    private var squares = 0.0
    private(set) var maximum = 0.0
    private var sample: [Double] = []
    private var random = UInt64(0x9E37_79B9_7F4A_7C15)

    mutating func add(_ number: Double) {
        count += 1
        sum += number
        squares += number * number
        maximum = max(maximum, number)
        guard sample.count == Self.capacity else {
            sample.append(number)
            return
        }
        // Vitter's algorithm R: each number has the same probability of being in the sample.
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let slot = Int((random >> 33) % UInt64(count))
        if slot < Self.capacity { sample[slot] = number }
    }

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// The ratio of the standard deviation to the mean, or 0 if there are fewer than two numbers.
    var variation: Double {
        guard count > 1, mean > 0 else { return 0 }
        return (max(0, squares / Double(count) - mean * mean)).squareRoot() / mean
    }

    /// Returns the quantile for a fraction from 0 to 1, or 0 if there are no numbers.
    func quantile(_ share: Double) -> Double {
        guard !sample.isEmpty else { return 0 }
        let sorted = sample.sorted()
        let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(max(index, 0), sorted.count - 1)]
    }
}
