import Yams

/// Where each statement of a file stands, so that what a database says of it has a place.
struct StatementPlaces: Sendable, Equatable {
    /// A line and a column, both from 1.
    struct Place: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    private var places: [String: Place] = [:]

    /// The place where a statement was written first; nil for one that is not in the file.
    subscript(_ sql: String) -> Place? { places[sql] }

    /// Remembers the statement's place, unless it was there before.
    mutating func add(_ sql: String, at mark: Mark?) {
        guard let mark, places[sql] == nil else { return }
        places[sql] = Place(line: mark.line, column: mark.column)
    }
}
