import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

struct WALDiagnosisTests {
    private func makeLog(
        _ frames: UInt32,
        _ checkpointed: UInt32,
        generation: UInt32 = 1,
        marks: [UInt32] = [0, .max, .max, .max, .max]
    ) -> WALState {
        var log = WALState()
        log.frames = frames
        log.checkpointed = checkpointed
        log.generation = generation
        log.marks = marks
        return log
    }

    private func makeHolder(
        _ name: String,
        age: UInt64 = 1_000_000_000,
        _ before: UInt32,
        _ after: UInt32? = nil,
        generation: UInt32 = 1
    ) -> WALDiagnosis.Holder {
        WALDiagnosis.Holder(
            origin: AccessOrigin(name: name),
            age: age,
            before: WALPosition(generation: generation, frames: before),
            after: after.map { WALPosition(generation: generation, frames: $0) }
        )
    }

    private func makeDiagnosis(
        _ log: WALState,
        fileFrames: UInt32 = 0,
        _ holders: [WALDiagnosis.Holder] = []
    ) -> WALDiagnosis {
        var history = WALHistory()
        history.record(log, at: 1)
        return WALDiagnosis(
            log: log,
            fileFrames: fileFrames,
            history: history,
            holders: holders,
            writer: nil
        )
    }

    private func pinName(_ diagnosis: WALDiagnosis) -> String? {
        diagnosis.pin(at: 10) { _ in nil }?.by.name
    }

    @Test func certainPinsPrecedePossiblePins() {
        let log = makeLog(100, 50)
        let certain = makeHolder("certain", age: 200_000_000, 50, 50)
        let possible = makeHolder("possible", 90, 100)
        #expect(pinName(makeDiagnosis(log, [possible, certain])) == "certain")
        #expect(pinName(makeDiagnosis(log, [possible])) == "possible")
        #expect(pinName(makeDiagnosis(log, [makeHolder("current", 100, 100)])) == nil)
        // The first statement of this reader is still running.
        #expect(pinName(makeDiagnosis(log, [makeHolder("slow", 90)])) == "slow")
    }

    @Test func aStateOfAnEarlierLogIsOlderThanAnyOther() {
        let old = makeHolder("old", 5_000, 5_000, generation: 0)
        #expect(pinName(makeDiagnosis(makeLog(3, 0), [old])) == "old")
    }

    @Test func normalStatesHaveNoCause() {
        #expect(
            pinName(makeDiagnosis(makeLog(100, 50), [makeHolder("young", age: 50_000_000, 50, 50)]))
                == nil
        )
        #expect(pinName(makeDiagnosis(makeLog(100, 100), [makeHolder("old", 50, 50)])) == nil)
        #expect(pinName(makeDiagnosis(makeLog(999, 0))) == nil)
    }

    /// A long log after a write of 1,500 frames, while a young reader exists.
    @Test func aYoungReaderIsTheCauseOrTheCauseIsUnknown() {
        func pin(_ checkpointed: UInt32, _ position: UInt32) -> WALPin? {
            let log = makeLog(1_504, checkpointed)
            var diagnosis = makeDiagnosis(log, [makeHolder("young", age: 1, position, position)])
            diagnosis.history.didWrite(
                AccessSite(AccessLabel("writer")),
                hasReaders: false,
                at: 2
            )
            return diagnosis.pin(at: 10) { _ in nil }
        }
        // The checkpoint has stopped at the reader.
        #expect(pin(4, 4)?.by.name == "young")
        #expect(pin(4, 4)?.cause == .oldReader)
        // A checkpoint may have stopped at the reader, or none may have run.
        #expect(pin(0, 0) == nil)
        #expect(pin(4, 8) == nil)
        // The reader has the current state.
        #expect(pin(4, 1_504)?.cause == .noCheckpoint)
    }

    @Test func otherProcessesAreExaminedOnlyWithoutACauseInThisProcess() {
        let stuck = makeLog(2_000, 50)
        let pin = makeDiagnosis(stuck).pin(at: 10) { operation in
            operation == .checkpoint ? ("cron (7)", 4) : nil
        }
        #expect(pin?.cause == .otherProcess)
        #expect(pin?.ageNanoseconds == 6)
        let ours = makeDiagnosis(stuck, [makeHolder("report", 50, 50)])
        let other = ours.pin(at: 10) { _ in ("cron (7)", 4) }
        #expect(other?.cause == .oldReader)
    }

    @Test func aMarkWithoutAReaderInThisProcessIsUnexplained() {
        let stuck = makeLog(2_000, 50, marks: [0, 2_000, 50, .max, .max])
        #expect(makeDiagnosis(stuck).hasUnexplainedLimit(.checkpoint))
        #expect(
            !makeDiagnosis(stuck, [makeHolder("report", 40, 60)]).hasUnexplainedLimit(.checkpoint)
        )
        #expect(
            makeDiagnosis(stuck, [makeHolder("later", 60, 70)]).hasUnexplainedLimit(.checkpoint)
        )
    }

    @Test func theHistoryRecordsWhenALogCouldNotRestart() {
        var history = WALHistory()
        history.record(makeLog(1_000, 0), at: 1)
        #expect(history.record(makeLog(1_000, 1_000), at: 2) == .checkpoint)
        #expect(history.overlapSince == nil)
        history.record(makeLog(1_001, 1_000), at: 3)
        #expect(history.overlapSince == 3)
        history.record(makeLog(1_500, 1_000), at: 4)
        #expect(history.overlapSince == 3)
        #expect(history.record(makeLog(2, 0, generation: 2), at: 5) == .restart)
        #expect(history.overlapSince == nil)
        #expect(history.highWater == 1_500)
    }

    @Test func shortReadersOverlapDuringFrequentCommits() {
        var history = WALHistory()
        history.record(makeLog(1_100, 0), at: 1)
        // Each checkpoint stops at the oldest state that a reader uses at that moment.
        history.record(makeLog(1_200, 1_050), at: 2)
        #expect(history.overlapSince == nil)
        history.record(makeLog(1_300, 1_050), at: 3)
        #expect(history.overlapSince == nil)
        history.record(makeLog(1_400, 1_250), at: 4)
        #expect(history.overlapSince == 2)
        let reader = makeHolder("list", age: 50_000_000, 1_250, 1_250)
        let pin = WALDiagnosis(
            log: makeLog(1_400, 1_250),
            fileFrames: 0,
            history: history,
            holders: [reader],
            writer: nil
        ).pin(at: 10) { _ in nil }
        #expect(pin?.cause == .overlappingReaders)
        #expect(pin?.by.name == "list")
        #expect(pin?.ageNanoseconds == 8)
        history.record(makeLog(2, 0, generation: 2), at: 5)
        #expect(history.overlapSince == nil)
    }

    @Test func aCompleteCheckpointHasNoBlocker() {
        var history = WALHistory()
        history.record(makeLog(1_100, 0), at: 1)
        history.record(makeLog(1_200, 1_050), at: 2)
        history.record(makeLog(1_200, 1_200), at: 3)
        history.record(makeLog(1_300, 1_250), at: 4)
        #expect(history.overlapSince == 4)
        history.record(makeLog(1_400, 1_300), at: 5)
        #expect(history.overlapSince == 4)
    }

    @Test func aMissingCheckpointStartsWithAWriteThatNoReaderExplains() {
        let site = AccessSite(fileID: #fileID, line: #line)
        var history = WALHistory()
        history.record(makeLog(1_200, 0), at: 1)
        history.didWrite(site, hasReaders: true, at: 1)
        #expect(history.neglectedSince == nil)
        history.didWrite(site, hasReaders: false, at: 2)
        history.didWrite(site, hasReaders: false, at: 3)
        #expect(history.neglectedSince == 2)
        history.record(makeLog(1_200, 1_200), at: 4)
        #expect(history.neglectedSince == nil)
    }

    @Test func theLockListIsParsed() {
        let text = """
            1: POSIX  ADVISORY  READ 4711 08:01:99 123 123
            2: POSIX  ADVISORY  WRITE 4712 00:2f:99 120 120
            2: -> POSIX  ADVISORY  WRITE 4713 00:2f:99 120 120
            3: FLOCK  ADVISORY  WRITE 4714 08:01:99 0 EOF
            4: POSIX  ADVISORY  READ 4715 08:01:98 124 124
            5: POSIX  ADVISORY  READ 4716 08:01:99 0 EOF
            """
        let locks = WALLocks(text: text, inode: 99)
        #expect(
            locks.entries == [
                WALLocks.Entry(process: 4711, isExclusive: false, bytes: 123...123),
                WALLocks.Entry(process: 4712, isExclusive: true, bytes: 120...120),
                WALLocks.Entry(process: 4716, isExclusive: false, bytes: 0...UInt64.max),
            ]
        )
    }

    @Test(arguments: [0, 100])
    func aLockMissingFromALongListIsFoundInTheNextList(otherLockCount: Int) throws {
        let folder = TemporaryFolder()
        let file = folder.file("t-shm")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        var information = stat()
        #expect(stat(file, &information) == 0)
        let other = String(
            repeating: "1: POSIX  ADVISORY  READ 4711 08:01:1 123 123\n",
            count: otherLockCount
        )
        let first = "1: POSIX  ADVISORY  READ 4711 08:01:\(information.st_ino) 123 123\n"
        let second = "2: POSIX  ADVISORY  READ 4712 08:01:\(information.st_ino) 124 124\n"
        var lists = [other + first, other + first + second]
        let locks = try #require(WALLocks(path: file) { lists.removeFirst() })
        // A short list is read with one call and is complete.
        #expect(locks.entries.map(\.process) == (otherLockCount == 0 ? [4711] : [4711, 4712]))
    }

    @Test func onlyBlockingLocksAreReported() {
        let stuck = makeDiagnosis(makeLog(2_000, 50, marks: [0, 2_000, 50, .max, .max]))
        let outsideConnection = { (byte: UInt64, operation: WALDiagnosis.PreventableOperation) in
            WALLocks(entries: [
                WALLocks.Entry(process: -7, isExclusive: byte < 122, bytes: byte...byte)
            ]).outsideConnection(for: operation, stuck, process: 1)
        }
        // Mark 1 is at the last state, but mark 2 is not. Readers of mark 0 read only the file.
        #expect(outsideConnection(124, .checkpoint) == nil)
        #expect(outsideConnection(125, .checkpoint) == "process -7")
        #expect(outsideConnection(123, .checkpoint) == "process -7")
        #expect(outsideConnection(121, .checkpoint) == "process -7")
        #expect(outsideConnection(120, .checkpoint) == nil)
        #expect(outsideConnection(123, .restart) == nil)
        #expect(outsideConnection(124, .restart) == "process -7")
        #expect(outsideConnection(120, .writer) == "process -7")
        #expect(outsideConnection(124, .writer) == nil)
    }
}
