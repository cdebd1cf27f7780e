import CSQLite
import Foundation

/// A value in a copied row, or the location of the value's bytes.
struct RowCell {
    /// The integer, the bits of the real, or the offset of the bytes in the buffer.
    var bits: UInt64
    /// The number of bytes of text or a blob.
    var byteCount: CInt
    /// The SQLite code of the storage class.
    var kind: CInt
}

/// The values of one or more rows.
///
/// A row consists of one cell for each column, followed by the bytes of all text and blobs. The
/// values of a row never change. ``RowCopier`` may append rows.
final class RowBuffer: ManagedBuffer<Int, RowCell> {
    /// Copies the values of a statement's current row.
    ///
    /// SQLite's pointers to text and blobs are valid until the next step. The first pass reads the
    /// pointers, and the second pass copies the bytes once their total size is known. The buffer
    /// has room for at least `minimumCapacity` cells, and its ``end`` is the position after the
    /// row.
    static func copy(
        _ statement: SQLiteStatement,
        count: Int,
        minimumCapacity: Int = 0
    ) -> RowBuffer {
        withUnsafeTemporaryAllocation(of: RowCell.self, capacity: count) { cells in
            var byteCount = 0
            for column in 0..<count {
                let cell = cell(of: statement, at: column)
                byteCount += Int(cell.byteCount)
                cells.initializeElement(at: column, to: cell)
            }
            let row = UnsafeMutableBufferPointer(rebasing: cells[..<count])
            return copy(row, byteCount: byteCount, minimumCapacity: minimumCapacity)
        }
    }

    /// The number of cells in use, including the cells that contain bytes.
    var end: Int { header }

    /// Appends the values of a statement's current row, or returns `false` if the row does not fit.
    ///
    /// `capacity` is the total number of cells that fit in the buffer.
    @inline(__always)
    func append(_ statement: SQLiteStatement, count: Int, capacity: Int) -> Bool {
        withUnsafeMutablePointers { end, elements in
            let first = elements + end.pointee
            let base = UnsafeMutableRawPointer(elements)
            let limit = capacity * Self.stride
            var offset = (end.pointee + count) * Self.stride
            guard offset <= limit else { return false }
            for column in 0..<count {
                var cell = Self.cell(of: statement, at: column)
                if cell.byteCount > 0 {
                    guard offset + Int(cell.byteCount) <= limit else { return false }
                    Self.store(&cell, in: base, at: &offset)
                }
                (first + column).initialize(to: cell)
            }
            end.pointee = Self.cellCount(offset)
            return true
        }
    }

    private static var stride: Int { MemoryLayout<RowCell>.stride }

    private static func cellCount(_ byteCount: Int) -> Int { (byteCount + stride - 1) / stride }

    /// Returns a column's value, or the address of its text or blob.
    ///
    /// Each `sqlite3_column_` function locates the column again. This method locates the column
    /// only once, and reads the value with `sqlite3_value_` functions. These functions are safe
    /// here because connections have no mutex; see <https://sqlite.org/c3ref/value.html>.
    @inline(__always)
    private static func cell(of statement: SQLiteStatement, at column: Int) -> RowCell {
        let value = sqlite3_column_value(statement, CInt(truncatingIfNeeded: column))
        var cell = RowCell(bits: 0, byteCount: 0, kind: sqlite3_value_type(value))
        switch cell.kind {
        case SQLITE_INTEGER:
            cell.bits = UInt64(bitPattern: sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            cell.bits = sqlite3_value_double(value).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
            let bytes =
                cell.kind == SQLITE_TEXT
                ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
            cell.bits = UInt64(UInt(bitPattern: bytes))
            cell.byteCount = bytes == nil ? 0 : sqlite3_value_bytes(value)
        default:
            break
        }
        return cell
    }

    /// Copies the bytes of a cell into the buffer, and replaces their address with their offset.
    @inline(__always)
    private static func store(
        _ cell: inout RowCell,
        in base: UnsafeMutableRawPointer,
        at offset: inout Int
    ) {
        guard let start = UnsafeRawPointer(bitPattern: UInt(cell.bits)) else { return }
        (base + offset).copyMemory(from: start, byteCount: Int(cell.byteCount))
        cell.bits = UInt64(offset)
        offset += Int(cell.byteCount)
    }

    static func copy(_ values: [DatabaseValue]) -> RowBuffer {
        // The cells point into this array until its bytes are copied to the buffer.
        var bytes: [UInt8] = []
        var cells = values.map { value in
            switch value.storage {
            case .null:
                return RowCell(bits: 0, byteCount: 0, kind: SQLITE_NULL)
            case .int64(let value):
                return RowCell(
                    bits: UInt64(bitPattern: value),
                    byteCount: 0,
                    kind: SQLITE_INTEGER
                )
            case .double(let value):
                return RowCell(bits: value.bitPattern, byteCount: 0, kind: SQLITE_FLOAT)
            case .string(let value):
                defer { bytes.append(contentsOf: value.utf8) }
                return RowCell(
                    bits: UInt64(bytes.count),
                    byteCount: CInt(value.utf8.count),
                    kind: SQLITE_TEXT
                )
            case .blob(let value):
                defer { bytes.append(contentsOf: value) }
                return RowCell(
                    bits: UInt64(bytes.count),
                    byteCount: CInt(value.count),
                    kind: SQLITE_BLOB
                )
            }
        }
        return bytes.withUnsafeBytes { bytes in
            for index in cells.indices where cells[index].byteCount > 0 {
                let start = bytes.baseAddress.map { UInt(bitPattern: $0) } ?? 0
                cells[index].bits += UInt64(start)
            }
            return cells.withUnsafeMutableBufferPointer {
                copy($0, byteCount: bytes.count, minimumCapacity: 0)
            }
        }
    }

    /// Creates a buffer from cells with the addresses of text and blobs.
    private static func copy(
        _ cells: UnsafeMutableBufferPointer<RowCell>,
        byteCount: Int,
        minimumCapacity: Int
    ) -> RowBuffer {
        let end = cells.count + cellCount(byteCount)
        let buffer = unsafeDowncast(
            RowBuffer.create(minimumCapacity: max(end, minimumCapacity)) { _ in end },
            to: RowBuffer.self
        )
        buffer.withUnsafeMutablePointerToElements { elements in
            var offset = cells.count * stride
            for index in cells.indices {
                var cell = cells[index]
                if cell.byteCount > 0 { store(&cell, in: elements, at: &offset) }
                (elements + index).initialize(to: cell)
            }
        }
        return buffer
    }

    /// Returns the value of a cell.
    func value(at index: Int) -> DatabaseValue {
        let cell = self[index]
        switch cell.kind {
        case SQLITE_INTEGER: return DatabaseValue(storage: .int64(Int64(bitPattern: cell.bits)))
        case SQLITE_FLOAT: return DatabaseValue(storage: .double(Double(bitPattern: cell.bits)))
        case SQLITE_TEXT:
            let text = withUnsafeMutablePointerToElements { elements in
                String(decoding: bytes(of: cell, in: elements), as: UTF8.self)
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

    private func bytes(
        of cell: RowCell,
        in elements: UnsafeMutablePointer<RowCell>
    ) -> UnsafeRawBufferPointer {
        guard cell.byteCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(elements) + Int(cell.bits),
            count: Int(cell.byteCount)
        )
    }
}

/// A copier for the rows of a result.
///
/// Multiple rows share a buffer, because allocating a buffer takes about as long as copying a row.
struct RowCopier {
    /// The largest capacity of a shared buffer, in cells (8 KiB).
    ///
    /// Every row retains the whole buffer, even if the other rows are released.
    private static let capacityLimit = 512

    private let statement: SQLiteStatement
    private let layout: RowLayout
    private let columnCount: Int
    private var buffer: RowBuffer?
    private var capacity = 0

    /// Creates a copier for rows with `columnCount` columns, whose indexes `layout` contains.
    init(_ statement: Statement, columnCount: Int, layout: RowLayout) {
        self.statement = statement.pointer
        self.layout = layout
        self.columnCount = columnCount
    }

    /// Copies the statement's current row.
    @inline(__always)
    mutating func copy() -> Row {
        if let buffer {
            let start = buffer.end
            if buffer.append(statement, count: columnCount, capacity: capacity) {
                return Row(buffer: buffer, start: start, layout: layout)
            }
        }
        return copyToNewBuffer()
    }

    /// Copies the row to a new buffer that is up to twice as large, or larger if the row requires
    /// it.
    @inline(never)
    private mutating func copyToNewBuffer() -> Row {
        let buffer = RowBuffer.copy(
            statement,
            count: columnCount,
            minimumCapacity: min(2 * capacity, Self.capacityLimit)
        )
        capacity = max(buffer.end, min(2 * capacity, Self.capacityLimit))
        self.buffer = buffer
        return Row(buffer: buffer, layout: layout)
    }
}
