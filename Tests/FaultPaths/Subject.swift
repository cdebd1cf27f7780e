import SQLiteEngine

/// The kind of database object that a test attacks.
package enum Subject: String, Sendable, CaseIterable {
    case queue
    case pool

    package func open(_ path: String) throws -> any DatabaseWriter {
        switch self {
        case .queue: try DatabaseQueue(path: path)
        case .pool: try DatabasePool(path: path)
        }
    }
}
