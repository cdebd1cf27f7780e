import Yams

/// The place of each statement in a file, for errors of the database.
struct StatementPlaces: Sendable, Equatable {
    /// A line and a column, both from 1.
    struct Place: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    private var places: [String: Place] = [:]

    /// Returns the first place of a statement; nil if the file does not contain it.
    subscript(_ sql: String) -> Place? { places[sql] }

    /// Adds the first place of a statement.
    mutating func add(_ sql: String, at mark: Mark?) {
        guard let mark, places[sql] == nil else { return }
        places[sql] = Place(line: mark.line, column: mark.column)
    }
}
