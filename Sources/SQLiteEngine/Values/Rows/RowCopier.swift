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
