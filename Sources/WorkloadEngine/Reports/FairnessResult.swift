/// The distribution of a client's accesses among its workers.
///
/// An equal share is the mean number of measured accesses that each worker completed. Shares are
/// `nil` if workers share a schedule of arrivals, because any worker can serve any arrival.
/// Shares are also `nil` if there are fewer than ten accesses per worker, or if the number of
/// workers changed during the load.
public struct FairnessResult: Sendable, Codable, Equatable {
    /// The number of workers.
    public var workers: Int
    /// The smallest number of accesses of any worker, relative to an equal share, from 0 to 1.
    public var smallestShare: Double?
    /// The largest number of accesses of any worker, relative to an equal share, at least 1.
    public var largestShare: Double?
    /// The longest wait of a measured access before its closure, in nanoseconds, or `nil` if
    /// unknown.
    ///
    /// Waits of accesses that failed or that waited until the end of the run are included.
    public var longestWait: UInt64?
    /// The number of the worker with the longest wait, starting at 1.
    ///
    /// This property is `nil` if workers share a schedule of arrivals.
    public var longestWaitWorker: Int?
}

extension FairnessResult {
    /// The mean number of accesses per worker below which shares are too random.
    private static let minimumMean = 10

    /// Combines each worker's measured accesses and longest wait, in nanoseconds.
    init(completed: [UInt64], waits: [UInt64?], sharesArrivals: Bool, isSteady: Bool) {
        workers = completed.count
        let total = completed.reduce(0, +)
        if !sharesArrivals, isSteady, total >= UInt64(completed.count * Self.minimumMean),
            let smallest = completed.min(), let largest = completed.max()
        {
            let mean = Double(total) / Double(completed.count)
            smallestShare = (Double(smallest) / mean).rounded(toDigits: 4)
            largestShare = (Double(largest) / mean).rounded(toDigits: 4)
        }
        let longest = waits.enumerated().max { ($0.element ?? 0) < ($1.element ?? 0) }
        guard let longest, let wait = longest.element else { return }
        longestWait = wait
        if !sharesArrivals { longestWaitWorker = longest.offset + 1 }
    }
}
