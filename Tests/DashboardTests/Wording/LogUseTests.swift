import Telemetry
import Testing

@testable import Dashboard

struct LogUseTests {
    private func wal(_ bytes: UInt64, _ frames: UInt64?, copied: UInt64? = nil) -> WALStatus {
        var wal = WALStatus(bytes: bytes, frames: frames, checkpointedFrames: copied)
        wal.pageSize = 4_096
        return wal
    }

    private func room(for frames: UInt64) -> UInt64 { 32 + frames * 4_120 }

    @Test func explainsTheFileSizeOfAnUnpinnedLog() {
        #expect(LogUse(wal(0, 0)) == .empty)
        #expect(LogUse(wal(room(for: 900), 900, copied: 0)) == .filling(waiting: 900))
        #expect(LogUse(wal(room(for: 900), 900, copied: 300)) == .filling(waiting: 600))
        #expect(LogUse(wal(room(for: 900), 900, copied: 900)) == .reused)
        // The log restarted in a file that is longer than the new log.
        #expect(LogUse(wal(room(for: 900), 12, copied: 0)) == .reused)
        #expect(LogUse(wal(room(for: 900), nil)) == .unknown)
    }

    @Test func aFileThatStaysLargeIsExplained() {
        let log = wal(room(for: 11_020), 120, copied: 100)
        let state = WALWords.state(log, width: 100, rows: 1)
        #expect(!state.isPinned)
        #expect(
            state.text
                == "✔ not pinned: new writes overwrite old frames, and the file keeps its size"
        )
        #expect(WALWords.frames(log, width: 60) == "120 of 11,020 frames in use, 100 checkpointed")
        var database = DatabaseStatus(label: "d", kind: .pool)
        database.wal = log
        let whole = WALWords.explanations(database, truncateKeys: "c, then t").first ?? ""
        for word in ["TRUNCATE checkpoint (c, then t)", "journal_size_limit", "last connection"] {
            #expect(whole.contains(word))
        }
        #expect(!(WALWords.explanations(database, truncateKeys: nil).first ?? "").contains("("))
    }

    @Test func theTextIsShortenedUntilItFits() {
        let log = wal(room(for: 11_020), 120, copied: 100)
        for width in stride(from: 20, through: 100, by: 8) {
            let words = WALWords.state(log, width: width, rows: 1).text
            #expect(words.count <= max(width, 12) || words == "✔ not pinned")
        }
        let pin = WALPin(by: .init(name: "s"), cause: .oldReader, ageNanoseconds: 1)
        var pinned = log
        pinned.pin = pin
        #expect(WALWords.state(pinned, width: 10, rows: 1).isPinned)
    }

    @Test func theUserIsNamedAsTheOwnerOfTheSnapshot() {
        var log = wal(room(for: 11_020), 120, copied: 100)
        log.pin = WALPin(by: .init(name: "you"), cause: .oldReader, ageNanoseconds: 1)
        #expect(WALWords.pin(log)?.hasPrefix("is pinned by your snapshot, which has") == true)
    }
}
