import Synchronization
import Telemetry

/// Counts the changes of a database's schema that this process makes.
///
/// All connections to a file share it: one that finds it changed forgets what it knew of the
/// schema, without asking the database. What another process changes shows in the database
/// itself; see ``SchemaCache``.
final class SchemaGeneration: Sendable {
    private let count = Atomic<UInt64>(1)

    private struct Entry {
        weak var generation: SchemaGeneration?
    }

    private static let shared = Lock<[String: Entry]>([:])

    /// The count of a file; one of its own for a database that has no file.
    static func shared(path: String) -> SchemaGeneration {
        guard !path.isEmpty, path != ":memory:" else { return SchemaGeneration() }
        return shared.withLock { entries in
            if let generation = entries[path]?.generation { return generation }
            entries = entries.filter { $0.value.generation != nil }
            let generation = SchemaGeneration()
            entries[path] = Entry(generation: generation)
            return generation
        }
    }

    /// The current count.
    @inline(__always)
    var current: UInt64 { count.load(ordering: .acquiring) }

    func increase() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
