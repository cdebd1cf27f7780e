import Foundation
import SQLiteEngine

/// A path that fetches the initial rows as different types and checks their values.
///
/// A read that cannot fetch a value must fail instead of returning a different value.
enum ReadPath {
    static func run(_ writer: any DatabaseWriter) throws {
        try writer.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY text")
            try Violation.check(
                rows.count == WrittenRows.initialCount && rows.allSatisfy { isText($0["text"]) },
                "rows have wrong values"
            )
            let cursor = try Row.fetchCursor(db, sql: "SELECT text, number FROM t")
            var count = 0
            while let row = try cursor.next() {
                try Violation.check(row["number"] == 0, "a row of a cursor has a wrong value")
                count += 1
            }
            try Violation.check(count == WrittenRows.initialCount, "a cursor has \(count) rows")
            let texts = try String.fetchAll(db, sql: "SELECT text FROM t")
            try Violation.check(
                texts.count == WrittenRows.initialCount && texts.allSatisfy(isText),
                "texts have wrong values"
            )
            // SQLite allocates memory to convert these values.
            let numbers = try String.fetchAll(db, sql: "SELECT number + 123456789012 FROM t")
            try Violation.check(
                numbers.count == WrittenRows.initialCount
                    && numbers.allSatisfy { $0 == "123456789012" },
                "numbers as text have wrong values"
            )
            let blobs = try Data.fetchAll(db, sql: "SELECT zeroblob(100) FROM t")
            try Violation.check(
                blobs.count == WrittenRows.initialCount
                    && blobs.allSatisfy { $0 == Data(count: 100) },
                "blobs have wrong values"
            )
            let text = try String.fetchOne(
                db,
                sql: "SELECT text FROM t WHERE number = ?",
                arguments: [0]
            )
            try Violation.check(text.map(isText) ?? false, "a fetched text is wrong")
            let number = try String.fetchOne(db, sql: "SELECT 123456789012")
            try Violation.check(number == "123456789012", "a number as text is wrong")
        }
    }

    private static func isText(_ text: String?) -> Bool { text?.utf8.count == 600 }
}
