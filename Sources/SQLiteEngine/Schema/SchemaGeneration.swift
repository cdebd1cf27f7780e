import Synchronization
import Telemetry

/// Counts the changes of a database's schema that this process makes.
///
/// All connections to a file share it: one that finds it changed forgets what it knew of the
/// schema, without asking the database. What another process changes shows in the database
/// itself; see ``SchemaCache``.
///
/// `@unchecked Sendable`: the count is atomic, and lives as long as the object.
final class SchemaGeneration: @unchecked Sendable {
    /// The count; behind a pointer, so that connections read it without retaining the object.
    let count: UnsafeMutablePointer<Atomic<UInt64>>

    private struct Entry {
        weak var generation: SchemaGeneration?
    }

    private static let shared = Lock<[String: Entry]>([:])

    init() {
        count = .allocate(capacity: 1)
        count.initialize(to: Atomic(1))
    }

    deinit {
        count.deinitialize(count: 1)
        count.deallocate()
    }

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
    var current: UInt64 { count.pointee.load(ordering: .acquiring) }

    func increase() { count.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
