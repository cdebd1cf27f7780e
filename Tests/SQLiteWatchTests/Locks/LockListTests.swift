import Testing

@testable import SQLiteWatch

/// Tests lists of locks that are read in several pages and may omit a held lock.
struct LockListTests {
    private func line(_ process: Int, _ inode: Int) -> String {
        "1: POSIX  ADVISORY  READ \(process) 08:01:\(inode) 123 123\n"
    }

    /// Returns the processes in the results of two calls, for a list with a number of other locks.
    private func processes(otherLocks: Int) -> [[Int32]] {
        let rest = String(repeating: line(1, 1), count: otherLocks)
        var texts = [
            rest + line(11, 99) + line(12, 99),
            // Lock 12 is missing first, and then lock 11.
            rest + line(11, 99),
            rest + line(12, 99),
            rest + line(11, 99) + line(12, 99),
        ]
        var list = LockList()
        return (0..<2).map { _ in
            list.locks(on: [99]) { Array(texts.removeFirst().utf8) }.map(\.process)
        }
    }

    @Test func aLongListThatLacksALockIsReadAgain() {
        #expect(processes(otherLocks: 100) == [[11, 12], [11, 12]])
    }

    @Test func aShortListIsComplete() {
        #expect(processes(otherLocks: 0) == [[11, 12], [11]])
    }
}
