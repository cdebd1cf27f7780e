import SQLText
import Text

/// The statements of a migration, in order.
package struct MigrationScript: Sendable, Equatable {
    /// A statement of a script.
    package struct Statement: Sendable, Codable, Equatable {
        /// The text, without the semicolon.
        package var sql: String
        /// The line of the statement's first token, starting with 1.
        package var line: Int

        package init(sql: String, line: Int) {
            self.sql = sql
            self.line = line
        }

        package var kind: SQLStatementKind { SQLStatementKind(sql) }

        /// The text on one line, shortened to a number of characters.
        package func summary(length: Int = 60) -> String {
            let words = sql.split { $0 == " " || $0.isNewline || $0 == "\t" }.joined(separator: " ")
            return words.count <= length ? words : words.prefix(max(0, length - 1)) + "…"
        }
    }

    /// A script that cannot be rehearsed.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        /// The line, starting with 1, or `nil` if the problem concerns the whole script.
        package var line: Int?
        package var message: String

        package var description: String { (line.map { "line \($0): " } ?? "") + message }
    }

    package var statements: [Statement]

    package init(statements: [Statement]) {
        self.statements = statements
    }

    /// Divides a script into statements.
    ///
    /// - Parameter text: SQL statements, separated by semicolons.
    /// - Throws: A ``Problem`` if there is no statement, or if there is a command of the shell.
    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        var statements: [Statement] = []
        var line = 1
        var position = 0
        for range in SQLStatements.ranges(in: text) {
            line += bytes[position..<range.lowerBound].count { $0 == UInt8(ascii: "\n") }
            position = range.lowerBound
            let sql = String(decoding: bytes[range], as: UTF8.self)
            guard bytes[range.lowerBound] != UInt8(ascii: ".") else {
                let command = sql.prefix { !$0.isWhitespace }
                throw Problem(
                    line: line,
                    message: "'\(command.prefix(40))' is a command of the shell sqlite3 and not "
                        + "SQL; remove it, or replace it with the statements that it executes"
                )
            }
            statements.append(Statement(sql: sql, line: line))
        }
        if text.utf8.contains(0) {
            throw Problem(line: nil, message: "the script contains a NUL character; remove it")
        }
        guard !statements.isEmpty else {
            throw Problem(line: nil, message: "the script contains no statement")
        }
        self.statements = statements
    }

    /// Whether the script leaves a transaction open.
    package var endsInTransaction: Bool {
        !statements.reduce(true) { SQLStatements.autocommit(after: $1.sql, from: $0) }
    }
}
