import CSQLite

/// A cache of column lookups and type conversions for the rows of a cursor.
///
/// The cursor belongs to one access, so the variables need no exclusivity checks.
final class RowColumns {
    let row: Row
    let statement: SQLiteStatement?
    let recordType: any FetchableRecord.Type
    let recordTypeID: ObjectIdentifier
    let codingPath: [any CodingKey]

    /// The columns for one-byte keys, for each type of keys.
    ///
    /// Two types can use the same byte for keys with different names. A record can use several
    /// types: for its properties, for those of its superclass, and for those of a nested structure
    /// whose values are in the same row.
    @exclusivity(unchecked) private var columnsByKeyType: [ObjectIdentifier: KeyColumns] = [:]

    /// The columns for larger keys, by string value.
    @exclusivity(unchecked) private var columnsByName: [String: ResolvedColumn] = [:]

    @exclusivity(unchecked) private var conversions: [CachedConversion?]

    /// The columns of scopes that have been decoded as nested containers, by key.
    @exclusivity(unchecked) private var nestedColumns: [String: RowColumns] = [:]

    /// The decoders of parts of the current row.
    @exclusivity(unchecked) private var decoders: [RecordDecoder] = []

    /// A bit mask that marks columns, among the first 64, whose dates and data need no strategy.
    @exclusivity(unchecked) private var plainColumns: UInt64 = 0

    /// Whether the cache contains state that belongs to the current row.
    @exclusivity(unchecked) private(set) var hasRowState = false

    /// The decoder that owns these columns, or `nil` for the columns of a scope.
    @exclusivity(unchecked) unowned(unsafe) var owner: RecordDecoder?

    /// The decoder, which is valid only while the caller retains it.
    @inline(__always)
    var decoder: RecordDecoder { owner.unsafelyUnwrapped }

    let borrowed = BorrowedColumns()

    init(row: Row, recordType: any FetchableRecord.Type, codingPath: [any CodingKey]) {
        self.row = row
        self.recordType = recordType
        recordTypeID = ObjectIdentifier(recordType)
        self.codingPath = codingPath
        statement = row.sqliteStatement
        conversions = Array(repeating: nil, count: row.count)
        borrowed.begin(self)
    }

    deinit { borrowed.end() }

    /// Returns the columns for the keys of a type.
    ///
    /// The result is valid as long as this object.
    @inline(never)
    func columns(forKeysOf type: any CodingKey.Type) -> KeyColumns {
        let id = ObjectIdentifier(type)
        if let columns = columnsByKeyType[id] { return columns }
        let columns = KeyColumns()
        columnsByKeyType[id] = columns
        return columns
    }

    /// Clears the state of the previous row, if any.
    @inline(__always)
    func beginRow() {
        if hasRowState { clearRowState() }
    }

    @inline(never)
    private func clearRowState() {
        hasRowState = false
        for columns in columnsByKeyType.values { columns.rootKey = nil }
        decoders.removeAll(keepingCapacity: true)
        for nested in nestedColumns.values { nested.beginRow() }
    }

    /// Allows a new container with keys of a type to decode one key from the whole row.
    @inline(never)
    func clearRootKey(ofKeysOf type: any CodingKey.Type) {
        columnsByKeyType[ObjectIdentifier(type)]?.rootKey = nil
    }

    func setRootKey(_ key: String, of columns: KeyColumns) {
        hasRowState = true
        columns.rootKey = key
    }

    /// Retains a decoder for the current row, and returns the decoder.
    func retain(_ decoder: RecordDecoder) -> RecordDecoder {
        hasRowState = true
        decoders.append(decoder)
        return decoder
    }

    @inline(never)
    func column(named name: String) -> ResolvedColumn {
        if let column = columnsByName[name] { return column }
        let column = resolve(name)
        columnsByName[name] = column
        return column
    }

    fileprivate func resolve(_ name: String) -> ResolvedColumn {
        guard let position = position(ofKey: name) else { return .missing }
        return ResolvedColumn(
            position: Int32(position),
            source: row.source(ofUncheckedIndex: position)
        )
    }

    private func position(ofKey name: String) -> Int? {
        guard let conversion = recordType.databaseColumnDecodingStrategy.conversion else {
            return row.index(ofColumn: name)
        }
        return row.layout.names.firstIndex { conversion($0) == name }
    }

    var keys: [String] {
        let conversion = recordType.databaseColumnDecodingStrategy.conversion
        return row.layout.names.map { conversion?($0) ?? $0 }
    }

    func notFound(_ key: some CodingKey) -> RowDecodingError {
        guard let reason = recordType.databaseColumnDecodingStrategy.missingColumnMessage(for: key)
        else {
            return .columnNotFound(key.stringValue, row: row)
        }
        let context = RowDecodingError.Context(debugDescription: reason, row: row, key: nil)
        return RowDecodingError(impl: .keyNotFound(.columnName(key.stringValue), context))
    }

    /// Returns whether a column's dates and data are decoded without a strategy.
    ///
    /// For the first 64 columns, this method caches a result of `true`.
    @inline(__always)
    func readsAsIs(_ column: ResolvedColumn) -> Bool {
        let bit = UInt64(1) << UInt64(UInt32(bitPattern: column.position))
        return plainColumns & bit != 0 || hasNoStrategy(column, bit: bit)
    }

    @inline(never)
    private func hasNoStrategy(_ column: ResolvedColumn, bit: UInt64) -> Bool {
        guard column.exists else { return true }
        let name = row.layout.names[column.index]
        let isPlain =
            recordType.databaseDateDecodingStrategy(for: name).isDeferred
            && recordType.databaseDataDecodingStrategy(for: name).isDeferred
        // The bit is 0 for columns after the 64th.
        if isPlain { plainColumns |= bit }
        return isPlain
    }

    /// Returns the columns of a scope, and retains them for the lifetime of this object.
    func nested(_ key: some CodingKey, scope: Row) -> RowColumns {
        // The nested columns can contain state of the current row, which must be cleared.
        hasRowState = true
        if let nested = nestedColumns[key.stringValue] { return nested }
        let nested = RowColumns(
            row: scope,
            recordType: recordType,
            codingPath: codingPath + [key]
        )
        nestedColumns[key.stringValue] = nested
        return nested
    }

    /// Returns the type if it converts from database values, or `nil` if it must be decoded.
    func convertible<T>(_ type: T.Type, in column: Int) -> (any DatabaseValueConvertible.Type)? {
        let id = ObjectIdentifier(type)
        if let cached = conversions[column], cached.type == id { return cached.convertible }
        // Conversion takes precedence over decoding, because a conversion can read dates from text
        // and can convert `NULL` to a value.
        let convertible = type as? any DatabaseValueConvertible.Type
        conversions[column] = CachedConversion(type: id, convertible: convertible)
        return convertible
    }
}

/// The columns for the keys of one type.
final class KeyColumns {
    /// The columns for one-byte keys, indexed by the key's byte.
    let byByte: UnsafeMutablePointer<ResolvedColumn>

    /// The key that a container decoded from the whole row, if any.
    ///
    /// A container can decode at most one key from the whole row.
    @exclusivity(unchecked) fileprivate(set) var rootKey: String?

    fileprivate init() {
        byByte = .allocate(capacity: 256)
        byByte.initialize(repeating: .unknown, count: 256)
    }

    deinit { byByte.deallocate() }

    @inline(never)
    func resolve(_ name: String, byte: UInt8, in columns: RowColumns) -> ResolvedColumn {
        let column = columns.resolve(name)
        byByte[Int(byte)] = column
        return column
    }
}

private struct CachedConversion {
    let type: ObjectIdentifier
    let convertible: (any DatabaseValueConvertible.Type)?
}

struct ResolvedColumn {
    /// The index of the column in the row, or a negative number if the key has no column.
    let position: Int32

    /// The index of the column in the statement.
    let source: Int32

    @inline(__always)
    var exists: Bool { position >= 0 }

    @inline(__always)
    var isKnown: Bool { position >= -1 }

    @inline(__always)
    var index: Int { Int(position) }

    static var missing: ResolvedColumn { ResolvedColumn(position: -1, source: 0) }

    static var unknown: ResolvedColumn { ResolvedColumn(position: -2, source: 0) }
}
