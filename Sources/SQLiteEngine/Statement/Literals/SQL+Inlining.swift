import Foundation
import Telemetry

extension SQL {
    /// Returns the text with inlined values, for statements that do not accept parameters.
    ///
    /// SQLite stores the text of definitions, such as `CREATE TABLE`, but not the values of
    /// parameters.
    ///
    /// - Throws: `SQLITE_MISUSE` if plain SQL has arguments, whose positions are unknown.
    func inlined() throws -> String {
        try elements.map { element in
            switch element {
            case .value(let value): return value.sqlLiteral
            case .text(let text, let arguments):
                guard arguments.isEmpty else {
                    throw DatabaseError.misuse(
                        "a definition takes no arguments; interpolate the values instead",
                        sql: text
                    )
                }
                return text
            }
        }
        .joined()
    }
}

extension DatabaseValue {
    /// The value as an SQL literal.
    var sqlLiteral: String {
        switch storage {
        case .null: return "NULL"
        case .int64(let value): return String(value)
        case .double(let value):
            // SQLite has no keyword for infinity, but it reads numbers beyond the range of doubles
            // as infinity.
            guard value.isFinite else { return value < 0 ? "-9e999" : "9e999" }
            return String(value)
        case .string(let text):
            // SQLite stops reading SQL at a NUL character.
            guard !text.utf8.contains(0) else {
                return "(CAST(\(Data(text.utf8).sqlLiteral) AS TEXT))"
            }
            return text.quoted(by: "'")
        case .blob(let data): return data.sqlLiteral
        }
    }
}

extension Data {
    fileprivate var sqlLiteral: String {
        "X'" + map { String(format: "%02X", $0) }.joined() + "'"
    }
}
