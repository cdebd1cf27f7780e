import Yams

/// The positions of statements in a file, for messages about database errors.
struct StatementPlaces: Sendable, Equatable {
    /// A line and a column, which both start at 1.
    struct Place: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    private var places: [String: Place] = [:]

    /// Returns the first position of a statement, or `nil` if the file does not contain it.
    subscript(_ sql: String) -> Place? { places[sql] }

    /// Adds the first position of a statement.
    mutating func add(_ sql: String, at mark: Mark?) {
        guard let mark, places[sql] == nil else { return }
        places[sql] = Place(line: mark.line, column: mark.column)
    }
}
