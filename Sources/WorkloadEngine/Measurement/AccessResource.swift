/// What an access has to wait for before its closure runs.
public enum AccessResource: String, Sendable, Codable, Equatable {
    /// One of a pool's readers.
    case reader
    /// A pool's writer, or the one transaction that may write at a time.
    case writer
    /// The only connection of a queue, which reads and writes.
    case connection
}

extension AccessResource {
    /// What accesses of a kind wait for in an arm; nil when each has its own.
    static func needed(for access: WorkloadAccess, in arm: Arm) -> AccessResource? {
        let isWrite = access == .write || access == .writeWithoutTransaction
        guard isWrite || access == .read else { return nil }
        // Bare libsqlite3 has a connection for each worker: only writing excludes others.
        if arm.library == .raw { return isWrite ? .writer : nil }
        switch arm.kind {
        case .queue, .memory, .snapshot: return .connection
        case .pool, .snapshotPool: return isWrite ? .writer : .reader
        }
    }

    /// How many of it there are; nil when it is not known.
    func capacity(readers: Int?) -> Int? {
        switch self {
        case .reader: readers
        case .writer, .connection: 1
        }
    }
}
