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
        switch (arm.kind, access) {
        case (.queue, .read), (.queue, .write), (.queue, .writeWithoutTransaction): .connection
        case (_, .write), (_, .writeWithoutTransaction): .writer
        case (.pool, .read): .reader
        default: nil
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
