import Synchronization
import Telemetry

/// A counter of the changes that this process makes to the schema of a database.
///
/// All connections to a file share the count. A connection that detects a new count clears its
/// cached schema without a query. ``SchemaCache`` explains how connections detect changes by other
/// processes.
///
/// `@unchecked Sendable`: the count is atomic, and its memory lives as long as this object.
final class SchemaGeneration: @unchecked Sendable {
    /// The count, which connections read through a pointer without retaining this object.
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

    /// Returns the shared count of a file, or a separate count for a database without a file.
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

    var current: UInt64 { count.pointee.load(ordering: .acquiring) }

    func increase() { count.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
