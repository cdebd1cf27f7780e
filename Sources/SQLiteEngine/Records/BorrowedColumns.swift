import Telemetry

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
