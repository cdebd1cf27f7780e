import Testing

@testable import SQLiteWatch

/// Tests how reports group waits for locks.
struct BlockGroupTests {
    private func block(_ sql: String, _ seconds: Double, by blocker: Int32) -> WatchedBlock {
        var block = WatchedBlock(
            time: WatchTime(milliseconds: 1),
            pid: 7,
            seconds: seconds,
            failed: false
        )
        block.sql = sql
        block.by = WatchedBlock.Blocker(pid: blocker, isInferred: true)
        return block
    }

    @Test func equalWaitsFormOneGroup() {
        let groups = BlockGroup.groups(of: [
            block("BEGIN", 0.25, by: 8), block("BEGIN", 0.5, by: 9), block("BEGIN", 1.75, by: 8),
            block("COMMIT", 0.5, by: 8),
        ])
        #expect(
            groups.map(\.sentence) == [
                "`BEGIN` of process 7 waited 1.8 s for process 8, which held the lock "
                    + "(the longest of 2 such waits; 2.0 s in total)",
                "`BEGIN` of process 7 waited 500 ms for process 9, which held the lock",
                "`COMMIT` of process 7 waited 500 ms for process 8, which held the lock",
            ]
        )
    }
}
