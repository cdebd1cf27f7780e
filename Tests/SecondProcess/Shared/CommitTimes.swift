/// The times of a sequence of commits, and the size of the write-ahead log after them.
package struct CommitTimes: Codable, Sendable {
    /// The duration of each commit in nanoseconds, from `BEGIN` to the end of `COMMIT`.
    package private(set) var nanoseconds: [UInt64] = []
    /// The size of the write-ahead log in bytes after the last commit.
    package private(set) var logBytes = 0
    /// The largest size of the write-ahead log after any commit.
    package private(set) var largestLogBytes = 0
    /// The number of times that maintenance ran.
    package private(set) var maintenanceCount = 0
    /// The number of times that another connection's lock prevented maintenance.
    package private(set) var blockedMaintenanceCount = 0
    /// The total time of maintenance in nanoseconds.
    package private(set) var maintenanceNanoseconds: UInt64 = 0

    /// Creates a value without commits.
    package init() {}

    /// Adds a commit.
    ///
    /// - Parameters:
    ///   - nanoseconds: The duration of the commit.
    ///   - logBytes: The size of the write-ahead log after the commit.
    package mutating func append(nanoseconds: UInt64, logBytes: Int) {
        self.nanoseconds.append(nanoseconds)
        self.logBytes = logBytes
        largestLogBytes = max(largestLogBytes, logBytes)
    }

    /// Adds a maintenance run.
    package mutating func appendMaintenance(nanoseconds: UInt64, isBlocked: Bool) {
        maintenanceCount += 1
        maintenanceNanoseconds += nanoseconds
        if isBlocked { blockedMaintenanceCount += 1 }
    }

    /// The mean duration of a commit in nanoseconds.
    package var mean: Double {
        Double(nanoseconds.reduce(0, +)) / Double(max(1, nanoseconds.count))
    }

    /// Returns the time in nanoseconds that the given share of commits does not exceed.
    package func quantile(_ share: Double) -> UInt64 {
        guard !nanoseconds.isEmpty else { return 0 }
        let index = Int(Double(nanoseconds.count - 1) * share)
        return nanoseconds.sorted()[index]
    }
}
