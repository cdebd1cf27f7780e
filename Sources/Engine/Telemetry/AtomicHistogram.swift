import Synchronization

/// A histogram of durations that threads can read while other threads write to it.
///
/// As in HdrHistogram, buckets are log-linear. There are 16 buckets per octave, for a precision of
/// 6.25%. Values are in nanoseconds. The last bucket contains values above 2⁴⁴ (about five hours).
/// A histogram occupies 5 KB.
///
/// `@unchecked Sendable` is safe because the buckets are atomics, and their memory lives as long as
/// the object.
package final class AtomicHistogram: @unchecked Sendable {
    /// The binary logarithm of the number of buckets per octave.
    private static let subBits = 4
    private static let octaves = 44
    private static let bucketCount = (octaves - subBits + 1) << subBits

    private let buckets: UnsafeMutablePointer<Atomic<UInt64>>
    private let sum = Atomic<UInt64>(0)
    private let largest = Atomic<UInt64>(0)

    package init() {
        buckets = .allocate(capacity: Self.bucketCount)
        for index in 0..<Self.bucketCount { (buckets + index).initialize(to: Atomic(0)) }
    }

    deinit {
        buckets.deinitialize(count: Self.bucketCount)
        buckets.deallocate()
    }

    @inline(__always)
    private static func index(of value: UInt64) -> Int {
        guard value >= 1 << subBits else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let index =
            ((exponent - subBits + 1) << subBits)
            + Int((value >> UInt64(exponent - subBits)) & ((1 << subBits) - 1))
        return min(index, bucketCount - 1)
    }

    /// Returns the midpoint of a bucket.
    private static func value(at index: Int) -> UInt64 {
        guard index >= 1 << subBits else { return UInt64(index) }
        let shift = UInt64(index >> subBits) - 1
        let base = UInt64((index & ((1 << subBits) - 1)) | (1 << subBits)) << shift
        return base + (1 << shift) / 2
    }

    /// Returns the largest value in a bucket.
    private static func upperBound(of index: Int) -> UInt64 {
        guard index >= 1 << subBits, index < bucketCount - 1 else {
            return index < bucketCount - 1 ? UInt64(index) : .max
        }
        let shift = UInt64(index >> subBits) - 1
        let base = UInt64((index & ((1 << subBits) - 1)) | (1 << subBits)) << shift
        return base + (1 << shift) - 1
    }

    /// Records a value.
    ///
    /// Any thread can call this method.
    package func record(_ value: UInt64) {
        buckets[Self.index(of: value)].wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(value, ordering: .relaxed)
        largest.max(value, ordering: .relaxed)
    }

    /// Records a value without an atomic read-modify-write instruction.
    ///
    /// No other thread may write to the histogram at the same time.
    @inline(__always)
    package func recordExclusively(_ value: UInt64) {
        let index = Self.index(of: value)
        buckets[index].store(buckets[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
        if value > largest.load(ordering: .relaxed) { largest.store(value, ordering: .relaxed) }
    }

    package var count: UInt64 {
        var count: UInt64 = 0
        for index in 0..<Self.bucketCount { count += buckets[index].load(ordering: .relaxed) }
        return count
    }

    /// The combined counts of several histograms at one moment, to subtract from later counts.
    package struct Counts: Sendable {
        fileprivate var buckets = [UInt64](repeating: 0, count: AtomicHistogram.bucketCount)
        fileprivate var sum: UInt64 = 0

        package init(of histograms: [AtomicHistogram]) {
            for histogram in histograms {
                for index in buckets.indices {
                    buckets[index] += histogram.buckets[index].load(ordering: .relaxed)
                }
                sum &+= histogram.sum.load(ordering: .relaxed)
            }
        }
    }

    /// Returns the combined summary of several histograms.
    ///
    /// - Parameters:
    ///   - histograms: The histograms to combine.
    ///   - zeros: The number of zero values to add.
    ///   - earlier: The counts to subtract, or `nil` to subtract none. After a subtraction, the
    ///     maximum has only the precision of a bucket.
    ///   - hasBuckets: Whether the summary contains ``LatencySummary/buckets``.
    /// - Returns: The summary, or `nil` if nothing was recorded.
    package static func summary(
        of histograms: [AtomicHistogram],
        zeros: UInt64 = 0,
        without earlier: Counts? = nil,
        hasBuckets: Bool = false
    ) -> LatencySummary? {
        let now = Counts(of: histograms)
        var counts = now.buckets
        var sum = now.sum
        var largest = histograms.reduce(0) { max($0, $1.largest.load(ordering: .relaxed)) }
        if let earlier {
            for index in counts.indices {
                counts[index] -= min(counts[index], earlier.buckets[index])
            }
            sum -= min(sum, earlier.sum)
            largest = min(largest, upperBound(of: counts.lastIndex { $0 > 0 } ?? 0))
        }
        counts[0] += zeros
        let count = counts.reduce(0, +)
        guard count > 0 else { return nil }
        let percentile = { (percentile: Double) -> UInt64? in
            Percentile.reportedPlace(of: percentile, in: counts)
                .map { min(value(at: $0.bucket), largest) }
        }
        var summary = LatencySummary(
            count: count,
            mean: sum / count,
            p50: percentile(50),
            p90: percentile(90),
            p95: percentile(95),
            p99: percentile(99),
            p999: percentile(99.9),
            p9999: percentile(99.99),
            max: largest
        )
        if hasBuckets {
            var buckets = LatencyBuckets(sum: sum)
            for index in counts.indices {
                buckets.add(count: counts[index], toBucket: latencyBuckets[index])
            }
            summary.buckets = buckets
        }
        return summary
    }

    /// The bucket of ``LatencyBuckets`` for each bucket of a histogram.
    ///
    /// If a bucket of a histogram contains a bound of ``LatencyBuckets``, the bucket counts toward
    /// the values above the bound. The last bucket of a histogram has no upper bound.
    private static let latencyBuckets = (0..<bucketCount).map {
        LatencyBuckets.bucket(of: upperBound(of: $0))
    }
}
