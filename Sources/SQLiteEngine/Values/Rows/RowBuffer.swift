import CSQLite
import Foundation

/// A value in a copied row, or the location of its bytes.
struct RowCell {
    /// The integer, the bits of the real, or the offset of the bytes in the buffer.
    var bits: UInt64
    /// The number of bytes of text or a blob.
    var byteCount: CInt
    /// SQLite's code for the storage class.
    var kind: CInt

    init(_ bits: UInt64 = 0, byteCount: CInt = 0, kind: CInt) {
        self.bits = bits
        self.byteCount = byteCount
        self.kind = kind
    }
}

extension DatabaseValue {
    /// The number of bytes of text or a blob.
    fileprivate var byteCount: Int {
        switch storage {
        case .string(let value): value.utf8.count
        case .blob(let value): value.count
        default: 0
        }
    }
}

/// The values of one or more rows.
///
/// A row consists of one cell for each column, followed by the bytes of all text and blobs. The
/// values of a row never change. ``RowCopier`` may append rows.
final class RowBuffer: ManagedBuffer<Int, RowCell> {
    /// Copies the values of a statement's current row.
    ///
    /// The buffer has room for at least `minimumCapacity` cells. Its ``end`` follows the row.
    static func copy(
        _ statement: SQLiteStatement,
        count: Int,
        minimumCapacity: Int = 0
    ) -> RowBuffer {
        var byteCount = 0
        for index in 0..<CInt(truncatingIfNeeded: count) {
            let kind = sqlite3_column_type(statement, index)
            guard kind == SQLITE_TEXT || kind == SQLITE_BLOB else { continue }
            byteCount += Int(sqlite3_column_bytes(statement, index))
        }
        let capacity = max(count + cellCount(byteCount), minimumCapacity)
        let buffer = make(capacity)
        _ = buffer.append(statement, count: count, capacity: capacity)
        return buffer
    }

    static func copy(_ values: [DatabaseValue]) -> RowBuffer {
        let byteCount = values.reduce(0) { $0 + $1.byteCount }
        let capacity = values.count + cellCount(byteCount)
        let buffer = make(capacity)
        _ = buffer.append(count: values.count, capacity: capacity) { column, store in
            switch values[column].storage {
            case .null: RowCell(kind: SQLITE_NULL)
            case .int64(let value): RowCell(UInt64(bitPattern: value), kind: SQLITE_INTEGER)
            case .double(let value): RowCell(value.bitPattern, kind: SQLITE_FLOAT)
            case .string(var value):
                value.withUTF8 { store(UnsafeRawBufferPointer($0), SQLITE_TEXT) }
            case .blob(let value): value.withUnsafeBytes { store($0, SQLITE_BLOB) }
            }
        }
        return buffer
    }

    private static func make(_ capacity: Int) -> RowBuffer {
        unsafeDowncast(create(minimumCapacity: capacity) { _ in 0 }, to: RowBuffer.self)
    }

    /// The number of cells in use, including the cells that contain bytes.
    var end: Int { header }

    private static var stride: Int { MemoryLayout<RowCell>.stride }

    private static func cellCount(_ byteCount: Int) -> Int { (byteCount + stride - 1) / stride }

    /// Appends the values of a statement's current row, or returns `false` if the row does not fit.
    ///
    /// `capacity` is the total number of cells that fit in the buffer.
    @inline(__always)
    func append(_ statement: SQLiteStatement, count: Int, capacity: Int) -> Bool {
        append(count: count, capacity: capacity) { column, store in
            let index = CInt(truncatingIfNeeded: column)
            let kind = sqlite3_column_type(statement, index)
            switch kind {
            case SQLITE_INTEGER:
                let value = sqlite3_column_int64(statement, index)
                return RowCell(UInt64(bitPattern: value), kind: kind)
            case SQLITE_FLOAT:
                return RowCell(sqlite3_column_double(statement, index).bitPattern, kind: kind)
            case SQLITE_TEXT, SQLITE_BLOB:
                // The number of bytes refers to the text or blob that was requested last.
                let bytes =
                    kind == SQLITE_TEXT
                    ? UnsafeRawPointer(sqlite3_column_text(statement, index))
                    : sqlite3_column_blob(statement, index)
                let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
                return store(UnsafeRawBufferPointer(start: bytes, count: count), kind)
            default:
                return RowCell(kind: SQLITE_NULL)
            }
        }
    }

    /// Copies the bytes of text or a blob, and returns their cell, or `nil` if they do not fit.
    private typealias Store = (_ bytes: UnsafeRawBufferPointer, _ kind: CInt) -> RowCell?

    /// Appends the cells of a row, or returns `false` if the row does not fit.
    @inline(__always)
    private func append(
        count: Int,
        capacity: Int,
        _ cell: (_ column: Int, _ store: Store) -> RowCell?
    ) -> Bool {
        withUnsafeMutablePointers { end, elements in
            let first = end.pointee
            let limit = capacity * Self.stride
            var offset = (first + count) * Self.stride
            guard offset <= limit else { return false }
            for column in 0..<count {
                let cell = cell(column) { bytes, kind in
                    guard offset + bytes.count <= limit else { return nil }
                    defer { offset += bytes.count }
                    if let start = bytes.baseAddress {
                        (UnsafeMutableRawPointer(elements) + offset)
                            .copyMemory(from: start, byteCount: bytes.count)
                    }
                    return RowCell(UInt64(offset), byteCount: CInt(bytes.count), kind: kind)
                }
                guard let cell else { return false }
                (elements + first + column).initialize(to: cell)
            }
            end.pointee = Self.cellCount(offset)
            return true
        }
    }

    /// Returns the value of a cell.
    func value(at index: Int) -> DatabaseValue {
        let cell = self[index]
        switch cell.kind {
        case SQLITE_INTEGER: return DatabaseValue(storage: .int64(Int64(bitPattern: cell.bits)))
        case SQLITE_FLOAT: return DatabaseValue(storage: .double(Double(bitPattern: cell.bits)))
        case SQLITE_TEXT:
            let text = withUnsafeMutablePointerToElements { elements in
                let start = UnsafeRawPointer(elements) + Int(cell.bits)
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(cell.byteCount))
                return String(decoding: bytes, as: UTF8.self)
            }
            return DatabaseValue(storage: .string(text))
        case SQLITE_BLOB: return DatabaseValue(storage: .blob(data(of: cell)))
        default: return .null
        }
    }

    func isNull(at index: Int) -> Bool { self[index].kind == SQLITE_NULL }

    /// Returns the bytes of text or a blob, or `nil` for other types.
    ///
    /// The data shares the buffer's memory.
    func data(at index: Int) -> Data? {
        let cell = self[index]
        return cell.kind == SQLITE_TEXT || cell.kind == SQLITE_BLOB ? data(of: cell) : nil
    }

    private subscript(index: Int) -> RowCell { withUnsafeMutablePointerToElements { $0[index] } }

    private func data(of cell: RowCell) -> Data {
        guard cell.byteCount > 0 else { return Data() }
        return withUnsafeMutablePointerToElements { elements in
            Data(
                bytesNoCopy: UnsafeMutableRawPointer(elements) + Int(cell.bits),
                count: Int(cell.byteCount),
                // Retain the buffer while the data refers to it.
                deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
            )
        }
    }
}
