/// The open savepoints, outermost first.
struct SavepointStack {
    private struct Savepoint {
        /// The name in lowercase, because savepoint names are case-insensitive.
        let name: String
        /// The number of held-back events when the savepoint started.
        let eventCount: Int
    }

    private var savepoints: [Savepoint] = []

    var isEmpty: Bool { savepoints.isEmpty }

    mutating func begin(_ name: String, eventCount: Int) {
        savepoints.append(Savepoint(name: name.identifierKey, eventCount: eventCount))
    }

    mutating func release(_ name: String) {
        unwind(to: name)
        savepoints.removeLast(savepoints.isEmpty ? 0 : 1)
    }

    /// Removes all savepoints after the last savepoint with the given name, which stays open.
    ///
    /// - Returns: The number of held-back events that precede the savepoint.
    mutating func rollback(to name: String) -> Int {
        unwind(to: name)
        return savepoints.last?.eventCount ?? 0
    }

    mutating func removeAll() { savepoints.removeAll() }

    private mutating func unwind(to name: String) {
        let name = name.identifierKey
        while let last = savepoints.last, last.name != name { savepoints.removeLast() }
    }
}
