/// The savepoints that are open, the outermost first.
struct SavepointStack {
    private struct Savepoint {
        /// In lower case: savepoints' names are case-insensitive.
        let name: String
        /// How many events were held back when it began.
        let eventCount: Int
    }

    private var savepoints: [Savepoint] = []

    var isEmpty: Bool { savepoints.isEmpty }

    mutating func begin(_ name: String, eventCount: Int) {
        savepoints.append(Savepoint(name: name.lowercased(), eventCount: eventCount))
    }

    /// Takes off the last savepoint of a name, and all that came after it.
    mutating func release(_ name: String) {
        unwind(to: name)
        savepoints.removeLast(savepoints.isEmpty ? 0 : 1)
    }

    /// Takes off all savepoints that came after the last one of a name, which stays open.
    ///
    /// - Returns: How many of the events that are held back were before it.
    mutating func rollback(to name: String) -> Int {
        unwind(to: name)
        return savepoints.last?.eventCount ?? 0
    }

    mutating func removeAll() { savepoints.removeAll() }

    private mutating func unwind(to name: String) {
        let name = name.lowercased()
        while let last = savepoints.last, last.name != name { savepoints.removeLast() }
    }
}
