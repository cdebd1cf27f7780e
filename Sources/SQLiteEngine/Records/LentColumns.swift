import Telemetry

/// How the containers of a decoder reach its columns without counting references.
///
/// `KeyedDecodingContainer` copies the container for each value, and two atomic operations for
/// each copy cost as much as the value. So a container has the address of a cell, which is never
/// given back to the system, and the number that the cell had when the decoder took it. Columns
/// that go change the number: a container that somebody kept for longer is found out, and never
/// reads what is no longer there.
struct LentColumns {
    private struct Cell {
        var number: UInt64 = 0
        var columns: Unmanaged<RowColumns>?
    }

    /// Cells that no columns have; there are as many in all as there were columns at one time.
    ///
    /// `@unchecked Sendable`: a cell is either in this list, which has a lock, or one decoder's.
    private struct FreeCells: @unchecked Sendable {
        var cells: [UnsafeMutablePointer<Cell>] = []
    }

    private static let free = Lock(FreeCells())

    private let cell: UnsafeMutablePointer<Cell>
    private let number: UInt64

    /// Takes a cell, which has no columns yet.
    init() {
        cell =
            Self.free.withLock { $0.cells.popLast() }
            ?? {
                let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
                cell.initialize(to: Cell())
                return cell
            }()
        number = cell.pointee.number
    }

    /// Lends columns to containers; ``end()`` must follow when they go.
    func begin(_ columns: RowColumns) { cell.pointee.columns = .passUnretained(columns) }

    /// The columns; a fatal error when they are gone.
    @inline(__always)
    var columns: RowColumns {
        guard cell.pointee.number == number, let columns = cell.pointee.columns else {
            Self.failForGoneRow()
        }
        return columns._withUnsafeGuaranteedRef { $0 }
    }

    /// The columns go: no container finds them any more.
    func end() {
        cell.pointee.number &+= 1
        cell.pointee.columns = nil
        Self.free.withLock { $0.cells.append(cell) }
    }

    @inline(never)
    private static func failForGoneRow() -> Never {
        fatalError("a decoder or its container was used after its row: keep values instead")
    }
}
