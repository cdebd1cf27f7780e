import Yams

/// The positions of statements in a file, for messages about database errors.
struct StatementPositions: Sendable, Equatable {
    struct Position: Sendable, Equatable {
        var line: Int
        var column: Int
    }

    private var positions: [String: Position] = [:]

    subscript(_ sql: String) -> Position? { positions[sql] }

    /// Records the position of a statement, unless the same statement already has a position.
    mutating func add(_ sql: String, at mark: Mark?) {
        guard let mark, positions[sql] == nil else { return }
        positions[sql] = Position(line: mark.line, column: mark.column)
    }
}
