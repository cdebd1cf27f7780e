import Telemetry

extension AccessCounts {
    /// The number of failed accesses, over all codes.
    package var errorCount: UInt64 {
        errors.values.reduce(0, +)
    }

    /// Whether every offered access is accounted for.
    package var isBalanced: Bool {
        offered == completed + skipped + errorCount + interrupted + unfinished
    }

    /// Adds other counts to these counts.
    mutating func add(_ other: AccessCounts) {
        offered += other.offered
        started += other.started
        completed += other.completed
        skipped += other.skipped
        late += other.late
        retried += other.retried
        interrupted += other.interrupted
        unfinished += other.unfinished
        if !other.errors.isEmpty { errors.merge(other.errors, uniquingKeysWith: +) }
    }
}
