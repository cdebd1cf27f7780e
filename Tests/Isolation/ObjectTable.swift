/// A connection on which the transactions of a history run.
package protocol ObjectStore {
    /// Runs a statement.
    func run(_ sql: String, _ arguments: [StoredValue]) throws

    /// Returns the first column of a query's first row, or `nil` if the query returns no rows.
    func value(_ sql: String, _ arguments: [StoredValue]) throws -> StoredValue?
}

package enum StoredValue: Sendable, Equatable {
    case integer(Int64)
    case text(String)
    /// Any other value, as a description.
    case other(String)
}

/// A table that stores the lists and registers of a history, one per row.
///
/// A list is stored as comma-separated text, and a register as a number.
package struct ObjectTable: Sendable {
    /// The error for a row that contains neither a list nor a register.
    package struct MalformedRow: Error, CustomStringConvertible {
        var table: String
        var value: StoredValue

        package var description: String { "the table \(table) contains \(value)" }
    }

    /// A list or a register, identified by its key.
    package enum Object: Sendable {
        case list(Int64)
        case register(Int64)

        /// The primary key of the object's row.
        ///
        /// Lists have positive keys, and registers have negative keys.
        fileprivate var id: StoredValue {
            switch self {
            case .list(let key): .integer(key)
            case .register(let key): .integer(-key)
            }
        }
    }

    package let name: String

    /// Creates a reference to a table, without creating the table.
    ///
    /// - Parameter name: A name that is unique in the database.
    package init(name: String) { self.name = name }

    /// Creates an empty table, replacing any existing table with the same name.
    package func create(in store: some ObjectStore) throws {
        try drop(in: store)
        try store.run("CREATE TABLE \(name) (object INTEGER PRIMARY KEY, value)", [])
    }

    package func drop(in store: some ObjectStore) throws {
        try store.run("DROP TABLE IF EXISTS \(name)", [])
    }

    package func clear(in store: some ObjectStore) throws {
        try store.run("DELETE FROM \(name)", [])
    }

    /// Appends an element to a list and records the operation.
    package func append(
        _ element: Int64,
        toList key: Int64,
        in store: some ObjectStore,
        _ transaction: RecordedTransaction
    ) throws {
        try store.run(
            """
            INSERT INTO \(name) VALUES (?, ?) \
            ON CONFLICT (object) DO UPDATE SET value = value || ',' || excluded.value
            """,
            [Object.list(key).id, .text(String(element))]
        )
        transaction.add(.append(list: key, element: element))
    }

    /// Writes a value to a register and records the operation.
    package func write(
        _ value: Int64,
        toRegister key: Int64,
        in store: some ObjectStore,
        _ transaction: RecordedTransaction
    ) throws {
        try store.run(
            """
            INSERT INTO \(name) VALUES (?, ?) \
            ON CONFLICT (object) DO UPDATE SET value = excluded.value
            """,
            [Object.register(key).id, .integer(value)]
        )
        transaction.add(.write(register: key, value: value))
    }

    /// Reads a list or a register and records the operation.
    package func read(
        _ object: Object,
        in store: some ObjectStore,
        _ transaction: RecordedTransaction
    ) throws {
        let value = try store.value("SELECT value FROM \(name) WHERE object = ?", [object.id])
        switch (object, value) {
        case (.list(let key), nil): transaction.add(.readList(key, elements: []))
        case (.list(let key), .text(let text)?):
            let elements = text.split(separator: ",").map { Int64($0) }
            guard !elements.contains(nil) else {
                throw MalformedRow(table: name, value: .text(text))
            }
            transaction.add(.readList(key, elements: elements.compactMap { $0 }))
        case (.register(let key), nil): transaction.add(.readRegister(key, value: nil))
        case (.register(let key), .integer(let number)?):
            transaction.add(.readRegister(key, value: number))
        case (_, let value?): throw MalformedRow(table: name, value: value)
        }
    }
}
