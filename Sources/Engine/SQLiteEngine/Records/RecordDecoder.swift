import Foundation
import Telemetry

/// A decoder that creates records from the columns of a row.
///
/// One decoder decodes all rows of a cursor. It caches the column for each key, so decoding a row
/// does not compare names.
final class RecordDecoder: Decoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    let columns: RowColumns

    /// The container for keys of type ``keyType``, as a `Box<KeyedDecodingContainer<Key>>`.
    @exclusivity(unchecked) private var container: AnyObject?
    @exclusivity(unchecked) private var keyType: ObjectIdentifier?

    /// The containers for all types of keys, if the record uses several types.
    @exclusivity(unchecked) private var containers: [ObjectIdentifier: AnyObject] = [:]

    /// A closure that returns the error to throw when a single value is decoded, or `nil` if the
    /// decoder does not replace a missing column.
    private let missing: (() -> RowDecodingError)?

    private var row: Row { columns.row }
    private var recordType: any FetchableRecord.Type { columns.recordType }

    init(
        row: Row,
        recordType: any FetchableRecord.Type,
        codingPath: [any CodingKey] = [],
        missing: (() -> RowDecodingError)? = nil
    ) {
        self.codingPath = codingPath
        self.missing = missing
        columns = RowColumns(row: row, recordType: recordType, codingPath: codingPath)
        columns.owner = self
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        if columns.hasRowState { columns.clearRootKey(ofKeysOf: type) }
        if let container, keyType == ObjectIdentifier(type) {
            return unsafeDowncast(container, to: Box<KeyedDecodingContainer<Key>>.self).value()
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        let id = ObjectIdentifier(type)
        if let container, let keyType { containers[keyType] = container }
        keyType = id
        if let known = containers[id] {
            container = known
            return unsafeDowncast(known, to: Box<KeyedDecodingContainer<Key>>.self).value()
        }
        let cached = Box(KeyedDecodingContainer(RecordColumns<Key>(columns)))
        container = cached
        return cached.value()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "a list cannot be decoded from a database row: \(row)"
            )
        )
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if let missing { throw missing() }
        return FirstColumnDecoder(columns: columns, codingPath: codingPath)
    }
}

/// A box for a value that a decoder caches across rows.
///
/// A generic function that returns a `KeyedDecodingContainer<Key>` looks up that type in each call,
/// which takes as long as reading three columns. An object's class contains its type information,
/// so a method of the object needs no lookup unless the compiler inlines it.
private final class Box<Value> {
    private let cached: Value

    init(_ value: Value) { cached = value }

    @inline(never)
    func value() -> Value { cached }
}

/// A container that decodes a record from a single value: the first column, or a wrapped record.
private struct FirstColumnDecoder: SingleValueDecodingContainer {
    let columns: RowColumns
    let codingPath: [any CodingKey]

    private var row: Row { columns.row }

    func decodeNil() -> Bool { row.count == 0 || row.hasNull(atIndex: 0) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if row.count > 0,
            let value = try row.decodeWithStrategy(
                type,
                atUncheckedIndex: 0,
                for: columns.recordType
            )
        {
            return value
        }
        if let convertible = type as? any DatabaseValueConvertible.Type {
            return try value(convertible, as: type)
        }
        return try row.decodeRecord(type, within: columns, codingPath: codingPath)
    }

    private func value<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        as type: T.Type
    ) throws -> T {
        guard row.count > 0 else { throw RowDecodingError.columnNotFound("", row: row) }
        return exactCast(try row.convert(value, atUncheckedIndex: 0), as: type)
    }
}

/// Casts a value to the type of another generic parameter.
///
/// - Precondition: `Value` and `T` are the same type.
@inline(__always)
func exactCast<Value, T>(_ value: Value, as type: T.Type) -> T {
    precondition(Value.self == T.self)
    return unsafeBitCast(value, to: T.self)
}

/// An unretained reference to a decoder's columns, which containers copy without reference
/// counting.
///
/// `KeyedDecodingContainer` copies the container for each value. With reference counting, the two
/// atomic operations of a copy would take as long as reading the value. A container therefore
/// stores the address of a cell, which is never deallocated, and the cell's number at the time when
/// the decoder acquired it. Ending the borrow changes the number, so a container that is used later
/// detects the change and does not read freed memory.
struct BorrowedColumns {
    private struct Cell {
        var number: UInt64 = 0
        var columns: Unmanaged<RowColumns>?
    }

    /// The unused cells.
    ///
    /// The total number of cells is the maximum number of simultaneous borrows so far.
    ///
    /// `@unchecked Sendable`: each cell belongs either to this list, which a lock protects, or to
    /// one decoder.
    private struct FreeCells: @unchecked Sendable {
        var cells: [UnsafeMutablePointer<Cell>] = []
    }

    private static let freeCells = Lock(FreeCells())

    private let cell: UnsafeMutablePointer<Cell>
    private let number: UInt64

    /// Acquires a cell that has no columns yet.
    init() {
        cell =
            Self.freeCells.withLock { $0.cells.popLast() }
            ?? {
                let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
                cell.initialize(to: Cell())
                return cell
            }()
        number = cell.pointee.number
    }

    /// Makes the columns available to containers.
    ///
    /// The caller must call ``end()`` when the columns are deallocated.
    func begin(_ columns: RowColumns) { cell.pointee.columns = .passUnretained(columns) }

    /// The borrowed columns.
    ///
    /// Accessing them after ``end()`` is a fatal error.
    @inline(__always)
    var columns: RowColumns {
        guard cell.pointee.number == number, let columns = cell.pointee.columns else {
            Self.failForInvalidRow()
        }
        return columns._withUnsafeGuaranteedRef { $0 }
    }

    /// Ends the borrow, after which accessing the columns is a fatal error.
    func end() {
        cell.pointee.number &+= 1
        cell.pointee.columns = nil
        Self.freeCells.withLock { $0.cells.append(cell) }
    }

    @inline(never)
    private static func failForInvalidRow() -> Never {
        fatalError(
            "a decoder or its container was used after the cursor left its row; store the decoded "
                + "values instead"
        )
    }
}

/// The decoder that a record's `init(from:)` receives.
///
/// The decoder accesses the row's ``RecordDecoder`` without reference counting, which would add two
/// atomic operations per row. The row retains the ``RecordDecoder``. A decoder or container must
/// not outlive `init(from:)`; ``BorrowedColumns`` detects its use after the columns are
/// deallocated.
@usableFromInline
struct BorrowedDecoder: Decoder {
    private let borrowed: BorrowedColumns

    /// The record decoder, or `nil` if the row retains it.
    private let owner: RecordDecoder?

    @inline(__always)
    init(_ columns: RowColumns) {
        borrowed = columns.borrowed
        owner = nil
    }

    @inline(never)
    init(owning decoder: RecordDecoder) {
        borrowed = decoder.columns.borrowed
        owner = decoder
    }

    @inline(__always)
    private var decoder: RecordDecoder { borrowed.columns.decoder }

    @usableFromInline var codingPath: [any CodingKey] { decoder.codingPath }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        decoder.container(keyedBy: type)
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder.unkeyedContainer()
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try decoder.singleValueContainer()
    }
}

extension BorrowedDecoder {
    /// Returns the decoder that a row retains for a record type, or creates a decoder if there is
    /// none.
    @usableFromInline
    static func decoder(of row: Row, for type: any FetchableRecord.Type) -> BorrowedDecoder {
        if let columns = row.recordColumns {
            let borrowed = columns._withUnsafeGuaranteedRef { columns -> BorrowedDecoder? in
                guard columns.recordTypeID == ObjectIdentifier(type) else { return nil }
                columns.beginRow()
                return BorrowedDecoder(columns)
            }
            if let borrowed { return borrowed }
        }
        return makeDecoder(of: row, for: type)
    }

    @inline(never)
    private static func makeDecoder(
        of row: Row,
        for type: any FetchableRecord.Type
    ) -> BorrowedDecoder {
        // The row retains its decoder, so the decoder must not retain the row.
        let decoder = RecordDecoder(row: row.newInstance, recordType: type)
        // A copied row stores no decoder, because threads can share the row.
        guard row.sqliteStatement != nil else { return BorrowedDecoder(owning: decoder) }
        row.recordDecoder = decoder
        return BorrowedDecoder(decoder.columns)
    }
}
