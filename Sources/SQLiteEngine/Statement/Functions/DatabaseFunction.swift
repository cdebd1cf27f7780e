import CSQLite

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
            isAggregate ? nil : { DatabaseFunction.call($0, $1, $2) },
            isAggregate ? { DatabaseFunction.step($0, $1, $2) } : nil,
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

    private static func arguments(_ count: CInt, _ values: Values?) -> [DatabaseValue] {
        (0..<Int(count)).map { DatabaseValue(sqliteValue: values?[$0]) }
    }

    private static func call(_ context: Context?, _ count: CInt, _ values: Values?) {
        guard let function = function(of: context), case .scalar(let compute) = function.kind
        else { return }
        FunctionResult.report(to: context) { try compute(arguments(count, values)) }
    }

    private static func step(_ context: Context?, _ count: CInt, _ values: Values?) {
        guard let group = group(of: context, create: true), !group.hasFailed else { return }
        do {
            try group.aggregate.step(arguments(count, values))
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
