/// The resource that an access needs before its closure runs.
public enum AccessResource: String, Sendable, Codable, Equatable {
    /// One of a pool's readers.
    case reader
    /// A pool's writer, or SQLite's write lock, which only one transaction can hold at a time.
    case writer
    /// The only connection of a queue, which reads and writes.
    case connection
}

extension AccessResource {
    /// Returns the resource that an access needs in an arm, or `nil` if accesses share no
    /// resource.
    static func needed(for access: WorkloadAccess, in arm: Arm) -> AccessResource? {
        let isWrite = access == .write || access == .writeWithoutTransaction
        guard isWrite || access == .read else { return nil }
        // With bare libsqlite3, each worker has its own connection, so only writes exclude each
        // other.
        if arm.library == .raw { return isWrite ? .writer : nil }
        switch arm.kind {
        case .queue, .memory, .snapshot: return .connection
        case .pool, .snapshotPool: return isWrite ? .writer : .reader
        }
    }

    /// Returns the number of accesses that can use the resource at the same time, or `nil` if the
    /// number of readers is unknown.
    func capacity(readers: Int?) -> Int? {
        switch self {
        case .reader: readers
        case .writer, .connection: 1
        }
    }
}
