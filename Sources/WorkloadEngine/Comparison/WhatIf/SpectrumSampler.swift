/// A sampler that draws random times from a recorded spectrum.
///
/// The sampler draws a bucket in proportion to its count, and then a uniformly distributed time
/// within the bucket.
struct SpectrumSampler: Sendable {
    private let buckets: [(lower: Double, width: Double, sum: Double)]

    /// Creates a sampler of a spectrum's shortest times, or returns `nil` if there are no times.
    ///
    /// - Parameters:
    ///   - spectrum: The times.
    ///   - share: The share of the times to use, from 0 to 1. The first bucket is always used.
    init?(_ spectrum: LatencySpectrum, upTo share: Double = 1) {
        guard !spectrum.buckets.isEmpty else { return nil }
        let limit = share * Double(spectrum.count)
        var buckets: [(lower: Double, width: Double, sum: Double)] = []
        var sum = 0.0
        for bucket in spectrum.buckets {
            guard sum < limit || buckets.isEmpty else { break }
            sum =
                buckets.isEmpty
                ? max(min(sum + Double(bucket.count), limit), 1)
                : min(sum + Double(bucket.count), limit)
            buckets.append((Double(bucket.lower), Double(bucket.upper - bucket.lower), sum))
        }
        self.buckets = buckets
    }

    /// Draws the next time, in nanoseconds.
    func next(using random: inout RandomStream) -> Double {
        let point = random.nextUnit() * (buckets.last?.sum ?? 0)
        var (low, high) = (0, buckets.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if buckets[middle].sum > point { high = middle } else { low = middle + 1 }
        }
        return buckets[low].lower + random.nextUnit() * buckets[low].width
    }
}
