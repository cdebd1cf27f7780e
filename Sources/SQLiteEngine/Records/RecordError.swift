/// An error that occurs when a record is missing from the database.
public enum RecordError: Error {
    /// No row in the table has the key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// A description that contains the table and the key.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let values = key.sorted { $0.key < $1.key }
                .map { "\($0.key):\($0.value)" }
                .joined(separator: " ")
            return "Key not found in table \(table): [\(values)]"
        }
    }
}
