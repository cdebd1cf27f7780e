import CSQLite
import Foundation

/// An SQL function written in Swift.
///
/// ```swift
/// let double = DatabaseFunction("double", argumentCount: 1, pure: true) { values in
///     Int.fromDatabaseValue(values[0]).map { $0 * 2 }
/// }
/// db.add(function: double)
/// ```
public final class DatabaseFunction: Identifiable, Sendable {
    /// The identity of a function within a connection.
    public struct ID: Hashable, Sendable {
        let name: String
        /// The number of arguments, or -1 for any number.
        let argumentCount: CInt
    }

    /// The name and the number of arguments.
    public let id: ID

    private let isPure: Bool
    private let kind: Kind

    private enum Kind: Sendable {
        case scalar(@Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?)
        case aggregate(@Sendable () -> any DatabaseAggregate)
    }

    /// The name in SQL.
    public var name: String { id.name }

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: The name in SQL.
    ///   - argumentCount: The number of arguments, or `nil` for any number.
    ///   - pure: Whether equal arguments always produce equal results. SQLite can call a pure
    ///     function less often, and allows it in indexes.
    ///   - function: A closure that computes the result. If the closure throws an error, the
    ///     statement fails.
    public init(
        _ name: String,
        argumentCount: Int? = nil,
        pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        id = ID(name: name, argumentCount: argumentCount.map(CInt.init) ?? -1)
        isPure = pure
        kind = .scalar(function)
    }

    /// Creates an aggregate function.
    ///
    /// - Parameters:
    ///   - name: The name in SQL.
    ///   - argumentCount: The number of arguments, or `nil` for any number.
    ///   - pure: Whether equal rows always produce equal results.
    ///   - aggregate: The type that computes the result for a group of rows.
    public init<Aggregate: DatabaseAggregate>(
        _ name: String,
        argumentCount: Int? = nil,
        pure: Bool = false,
        aggregate: Aggregate.Type
    ) {
        id = ID(name: name, argumentCount: argumentCount.map(CInt.init) ?? -1)
        isPure = pure
        kind = .aggregate { Aggregate() }
    }

    /// Installs the function on a connection.
    ///
    /// The connection retains the function until the function is replaced or removed.
    func install(on connection: SQLiteConnection?) -> CInt {
        let isAggregate = if case .aggregate = kind { true } else { false }
        return sqlite3_create_function_v2(
            connection,
            name,
            id.argumentCount,
            SQLITE_UTF8 | (isPure ? SQLITE_DETERMINISTIC : 0),
            Unmanaged.passRetained(self).toOpaque(),
            isAggregate ? nil : { DatabaseFunction.call($0, count: $1, values: $2) },
            isAggregate ? { DatabaseFunction.step($0, count: $1, values: $2) } : nil,
            isAggregate ? { DatabaseFunction.finalize($0) } : nil,
            { $0.map { Unmanaged<DatabaseFunction>.fromOpaque($0).release() } }
        )
    }

    func uninstall(from connection: SQLiteConnection?) -> CInt {
        sqlite3_create_function_v2(
            connection,
            name,
            id.argumentCount,
            SQLITE_UTF8,
            nil,
            nil,
            nil,
            nil,
            nil
        )
    }
}

extension DatabaseFunction {
    private typealias Context = OpaquePointer
    private typealias Values = UnsafeMutablePointer<OpaquePointer?>

    private static func function(of context: Context?) -> DatabaseFunction? {
        sqlite3_user_data(context).map {
            Unmanaged<DatabaseFunction>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static func arguments(_ count: CInt, values: Values?) -> [DatabaseValue] {
        (0..<Int(count)).map { DatabaseValue(sqliteValue: values?[$0]) }
    }

    private static func call(_ context: Context?, count: CInt, values: Values?) {
        guard let function = function(of: context), case .scalar(let compute) = function.kind
        else { return }
        FunctionResult.report(to: context) { try compute(arguments(count, values: values)) }
    }

    private static func step(_ context: Context?, count: CInt, values: Values?) {
        guard let group = group(of: context, create: true), !group.hasFailed else { return }
        do {
            try group.aggregate.step(arguments(count, values: values))
        } catch {
            group.hasFailed = true
            FunctionResult.report(error, to: context)
        }
    }

    /// Reports the result of a group and releases the group's state.
    ///
    /// SQLite calls this function once for each group, even if the statement has failed or ended
    /// early.
    private static func finalize(_ context: Context?) {
        if let group = group(of: context, create: false) {
            Unmanaged.passUnretained(group).release()
            guard !group.hasFailed else { return }
            FunctionResult.report(to: context) { try group.aggregate.finalize() }
        } else if let function = function(of: context), case .aggregate(let make) = function.kind {
            // The group has no rows, so SQLite has not called `step`.
            FunctionResult.report(to: context) { try make().finalize() }
        }
    }

    /// The state of one group while SQLite processes its rows.
    private final class Group {
        var aggregate: any DatabaseAggregate
        var hasFailed = false

        init(aggregate: any DatabaseAggregate) {
            self.aggregate = aggregate
        }
    }

    /// Returns the state of the current group.
    ///
    /// SQLite provides a few zeroed bytes for each group. These bytes store a retained pointer to
    /// the state.
    private static func group(of context: Context?, create: Bool) -> Group? {
        let size = create ? CInt(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
        guard let memory = sqlite3_aggregate_context(context, size) else { return nil }
        let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let pointer = slot.pointee {
            return Unmanaged<Group>.fromOpaque(pointer).takeUnretainedValue()
        }
        guard create, let function = function(of: context),
            case .aggregate(let make) = function.kind
        else { return nil }
        let group = Group(aggregate: make())
        slot.pointee = Unmanaged.passRetained(group).toOpaque()
        return group
    }
}

/// A type that computes an aggregate function's result for a group of rows.
public protocol DatabaseAggregate: SendableMetatype {
    /// Creates the state of an empty group.
    init()

    /// Adds a row, which supplies the values of the function's arguments.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// Returns the result for the added rows.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

enum FunctionResult {
    /// Reports the value that `compute` returns, or the error that it throws, to SQLite.
    static func report(
        to context: OpaquePointer?,
        _ compute: () throws -> (any DatabaseValueConvertible)?
    ) {
        do {
            report(try compute()?.databaseValue ?? .null, to: context)
        } catch {
            report(error, to: context)
        }
    }

    /// Reports the code and message of a ``DatabaseError``, or the text of another error, to
    /// SQLite.
    static func report(_ error: any Error, to context: OpaquePointer?) {
        guard let error = error as? DatabaseError else {
            sqlite3_result_error(context, "\(error)", -1)
            return
        }
        if let message = error.message { sqlite3_result_error(context, message, -1) }
        sqlite3_result_error_code(context, error.extendedResultCode.rawValue)
    }

    private static func report(_ value: DatabaseValue, to context: OpaquePointer?) {
        switch value.storage {
        case .null:
            sqlite3_result_null(context)
        case .int64(let value):
            sqlite3_result_int64(context, value)
        case .double(let value):
            sqlite3_result_double(context, value)
        case .string(let value):
            // The C string ends with a NUL byte, so the pointer is valid even for an empty string.
            value.withCString {
                sqlite3_result_text64(
                    context,
                    $0,
                    UInt64(value.utf8.count),
                    poolgauge_transient(),
                    UInt8(SQLITE_UTF8)
                )
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    sqlite3_result_zeroblob(context, 0)
                    return
                }
                sqlite3_result_blob64(context, start, UInt64(bytes.count), poolgauge_transient())
            }
        }
    }
}

extension DatabaseValue {
    /// Creates a value from an argument of a function.
    init(sqliteValue: OpaquePointer?) {
        switch sqlite3_value_type(sqliteValue) {
        case SQLITE_INTEGER:
            storage = .int64(sqlite3_value_int64(sqliteValue))
        case SQLITE_FLOAT:
            storage = .double(sqlite3_value_double(sqliteValue))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(sqliteValue)
            let count = text == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
            let bytes = UnsafeBufferPointer(start: text, count: count)
            storage = .string(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(sqliteValue)
            let count = Int(sqlite3_value_bytes(sqliteValue))
            storage = .blob(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        default:
            storage = .null
        }
    }
}

// Indexes and column definitions in a database file contain these collation names. GRDB uses the
// same names, so both libraries can open the same file.

extension DatabaseFunction {
    /// The function `swiftCapitalizedString(text)`, which capitalizes each word.
    public static let capitalize = transform("swiftCapitalizedString") { $0.capitalized }

    /// The function `swiftLowercaseString(text)`, which also converts non-ASCII letters to
    /// lowercase.
    public static let lowercase = transform("swiftLowercaseString") { $0.lowercased() }

    /// The function `swiftUppercaseString(text)`, which also converts non-ASCII letters to
    /// uppercase.
    public static let uppercase = transform("swiftUppercaseString") { $0.uppercased() }

    /// The function `swiftLocalizedCapitalizedString(text)`, which capitalizes each word according
    /// to the current locale.
    public static let localizedCapitalize = transform("swiftLocalizedCapitalizedString") {
        $0.localizedCapitalized
    }

    /// The function `swiftLocalizedLowercaseString(text)`, which converts text to lowercase
    /// according to the current locale.
    public static let localizedLowercase = transform("swiftLocalizedLowercaseString") {
        $0.localizedLowercase
    }

    /// The function `swiftLocalizedUppercaseString(text)`, which converts text to uppercase
    /// according to the current locale.
    public static let localizedUppercase = transform("swiftLocalizedUppercaseString") {
        $0.localizedUppercase
    }

    static let predefined = [
        capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase,
        localizedUppercase,
    ]

    private static func transform(
        _ name: String,
        _ transform: @escaping @Sendable (String) -> String
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map(transform)
        }
    }
}

extension DatabaseCollation {
    /// The collation `swiftCompare`, which uses the order of Swift strings.
    ///
    /// This order is based on Unicode canonical equivalence.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { left, right in
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }

    /// The collation `swiftCaseInsensitiveCompare`, which ignores case.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
        $0.caseInsensitiveCompare($1)
    }

    /// The collation `swiftLocalizedCaseInsensitiveCompare`, which uses the order of the current
    /// locale and ignores case.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(
        "swiftLocalizedCaseInsensitiveCompare"
    ) {
        $0.localizedCaseInsensitiveCompare($1)
    }

    /// The collation `swiftLocalizedCompare`, which uses the order of the current locale.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
        $0.localizedCompare($1)
    }

    /// The collation `swiftLocalizedStandardCompare`, which uses the order of the current locale
    /// and sorts numbers by value.
    public static let localizedStandardCompare = DatabaseCollation(
        "swiftLocalizedStandardCompare"
    ) {
        $0.localizedStandardCompare($1)
    }

    static let predefined = [
        unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
        localizedStandardCompare,
    ]
}

extension Database {
    /// Adds an SQL function, or replaces the function with the same name and number of arguments.
    ///
    /// To add the function to all connections, call this method in
    /// `Configuration.prepareDatabase(_:)`. If SQLite runs out of memory, opening the connection
    /// then throws `SQLITE_NOMEM`. If the connection is already open, the function is not added.
    public func add(function: DatabaseFunction) {
        expectSuccess(function.install(on: handle), action: "add the function", name: function.name)
    }

    /// Removes an SQL function.
    public func remove(function: DatabaseFunction) {
        expectSuccess(
            function.uninstall(from: handle),
            action: "remove the function",
            name: function.name
        )
    }

    /// Adds a collation, or replaces the collation with the same name.
    ///
    /// To add the collation to all connections, call this method in
    /// `Configuration.prepareDatabase(_:)`. If SQLite runs out of memory, opening the connection
    /// then throws `SQLITE_NOMEM`. If the connection is already open, the collation is not added.
    public func add(collation: DatabaseCollation) {
        expectSuccess(
            collation.install(on: handle),
            action: "add the collation",
            name: collation.name
        )
    }

    /// Removes a collation.
    public func remove(collation: DatabaseCollation) {
        expectSuccess(
            collation.uninstall(from: handle),
            action: "remove the collation",
            name: collation.name
        )
    }

    func addPredefinedFunctionsAndCollations() throws {
        for function in DatabaseFunction.predefined { try check(function.install(on: handle)) }
        for collation in DatabaseCollation.predefined { try check(collation.install(on: handle)) }
    }

    /// Stops the program if `code` is neither `SQLITE_OK` nor `SQLITE_NOMEM`.
    ///
    /// Other failures are programming errors: the name is too long, there are too many arguments,
    /// or a running statement uses the function or collation.
    private func expectSuccess(_ code: CInt, action: String, name: String) {
        guard code != SQLITE_OK else { return }
        let error = DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle == nil ? "Connection is closed" : lastErrorMessage
        )
        if code == SQLITE_NOMEM {
            additionFailure = additionFailure ?? error
            return
        }
        fatalError("cannot \(action) \(name): \(error)")
    }
}
