import Telemetry

/// A type that is associated with a table.
public protocol TableRecord: SendableMetatype {
    /// The type that contains the columns.
    ///
    /// By convention, this type is an `enum Columns` inside the record type.
    associatedtype Columns = Never

    /// The type of ``databaseComponents``. Defaults to the metatype of `Columns`.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table, without its schema.
    ///
    /// Defaults to the type's name with a lowercase initial, such as `player` for `Player` and
    /// `httpRequest` for `HTTPRequest`.
    static var databaseTableName: String { get }

    /// The columns that queries select. Defaults to all columns.
    static var databaseSelection: [any SQLSelectable] { get }

    /// The columns that are available to closures that select columns.
    static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type that contains the columns.
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// The type's name with a lowercase initial.
    public static var databaseTableName: String { defaultDatabaseTableName }

    /// The type's name with a lowercase initial.
    ///
    /// All letters of a leading initialism become lowercase, as in `urlCache` for `URLCache` and
    /// `html` for `HTML`.
    static var defaultDatabaseTableName: String {
        let type = ObjectIdentifier(Self.self)
        return tableNames.withLock { names in
            if let name = names[type] { return name }
            let name = tableName(ofType: "\(Self.self)")
            names[type] = name
            return name
        }
    }

    /// All columns.
    public static var databaseSelection: [any SQLSelectable] { [.allColumns] }
}

/// A cache of the table names that are derived from type names.
private let tableNames = Lock<[ObjectIdentifier: String]>([:])

private func tableName(ofType type: String) -> String {
    // Drop generic arguments: the table name for `Pair<Int>` is `pair`.
    let name = type.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let capitals = name.prefix { $0.isASCII && $0.isUppercase }
    guard capitals.count > 1, capitals.count < name.count else {
        return capitals.lowercased() + name.dropFirst(capitals.count)
    }
    return capitals.dropLast().lowercased() + name.dropFirst(capitals.count - 1)
}
