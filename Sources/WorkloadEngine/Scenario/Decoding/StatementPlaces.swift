import Yams

/// The positions of statements in a file, for messages about database errors.
struct StatementPlaces: Sendable, Equatable {
    struct Place: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    private var places: [String: Place] = [:]

    subscript(_ sql: String) -> Place? { places[sql] }

    /// Records the position of a statement, unless the statement has an earlier position.
    mutating func add(_ sql: String, at mark: Mark?) {
        guard let mark, places[sql] == nil else { return }
        places[sql] = Place(line: mark.line, column: mark.column)
    }
}
