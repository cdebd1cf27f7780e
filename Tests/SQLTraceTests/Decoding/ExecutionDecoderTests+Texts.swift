import Testing

@testable import SQLTrace

/// Tests how the texts of statements are read.
extension ExecutionDecoderTests {
    @Test mutating func theTextOfEachStatementIsReadOnce() {
        let first = executions((1...50).map { end($0) })
        let second = executions((51...80).map { end($0, thread: 8) })
        #expect((first + second).map(\.sql) == Array(repeating: "SELECT 1", count: 80))
        #expect((first + second).allSatisfy { $0.process == 7 && $0.database == "/data/app.db" })
        #expect(memory.reads[Self.sql] == 1)
    }

    @Test mutating func aStatementFinalizedWhileItsTextIsReadHasItsText() {
        // A different statement uses the address when the memory is read.
        memory.texts[Self.sql] = "DELETE FROM other"
        let batch = [end(1)]
        let isRead = decoder.prepare(batch, at: { 2 })
        #expect(isRead)
        let later = [end(2, source: .finalize, programCounter: -1, text: "SELECT 1"), end(3)]
        let output = decoder.decode(batch, followedBy: later) + decoder.decode(later)
        let texts = output.compactMap { output in
            if case .execution(let execution, _) = output { execution.sql } else { nil }
        }
        #expect(texts == ["SELECT 1", "DELETE FROM other"])
    }

    @Test mutating func aFinalizedStatementWithoutItsTextHasNoText() {
        memory.texts[Self.sql] = "DELETE FROM other"
        let batch = [end(1)]
        let isRead = decoder.prepare(batch, at: { 2 })
        #expect(isRead)
        let later = [end(2, source: .finalize, programCounter: -1)]
        guard case .execution(let execution, _) = decoder.decode(batch, followedBy: later).first
        else {
            Issue.record("no execution")
            return
        }
        #expect(execution.sql == nil)
        #expect(decoder.unknownTexts == 1)
    }

    @Test mutating func aKnownTextIsNotReadAgain() {
        _ = executions([end(1)])
        let isReadAgain = decoder.prepare([end(2), end(3)])
        #expect(!isReadAgain)
        // A statement that is prepared after the known one was finalized may have the same address.
        let reused = [end(4, source: .finalize, programCounter: -1, text: "SELECT 1"), end(5)]
        let isReusedRead = decoder.prepare(reused)
        #expect(isReusedRead)
    }

    @Test mutating func aStatementFinalizedAfterItsTextWasReadKeepsIt() {
        let batch = [end(1)]
        decoder.prepare(batch, at: { 2 })
        let later = [end(3, source: .finalize, programCounter: -1, text: "SELECT…")]
        guard case .execution(let execution, _) = decoder.decode(batch, followedBy: later).first
        else {
            Issue.record("no execution")
            return
        }
        #expect(execution.sql == "SELECT 1")
    }

    @Test mutating func memoryIsNotReadForFinalizedStatementsAndOtherFiles() {
        let finalize = end(2, source: .finalize, programCounter: -1, text: "SELECT 1")
        let isReadForFinalized = decoder.prepare([end(1), finalize])
        #expect(!isReadForFinalized)
        memory.texts[0x15_0000] = "/data/other.db"
        let isReadForOther = decoder.prepare([end(3)])
        #expect(!isReadForOther)
        #expect(memory.reads[Self.sql] == nil)
    }

    @Test mutating func aProgramThatReplacesItselfIsReadAgain() {
        _ = executions([end(1)])
        memory.texts[Self.sql] = "SELECT 2"
        let batch = [end(2), TraceEvent(time: 3, thread: 7, kind: .newProgram), end(4)]
        #expect(executions(batch).map(\.sql) == ["SELECT 1", "SELECT 2"])
    }

    @Test mutating func aThreadThatEndedHasTheTextsOfItsProcess() {
        let batch = [
            TraceEvent(time: 1, thread: 7, kind: .newThread(5, isProcess: false)),
            end(2, thread: 5), TraceEvent(time: 3, thread: 5, kind: .exit(isProcess: false)),
        ]
        #expect(executions(batch).map(\.sql) == ["SELECT 1"])
    }

    @Test mutating func textsInMemoryAreDiscardedAfterALoss() {
        let batch = [end(1)]
        decoder.prepare(batch)
        decoder.texts?.discardMemoryTexts()
        guard case .execution(let execution, _) = decoder.decode(batch).first else {
            Issue.record("no execution")
            return
        }
        #expect(execution.sql == nil)
        #expect(executions([end(2)]).map(\.sql) == ["SELECT 1"])
    }

    @Test mutating func processesWithEqualAddressesHaveTheirOwnTexts() {
        memory.processes[9] = 9
        let batch = [
            end(1), end(2, thread: 9),
            end(3, thread: 9, source: .finalize, programCounter: -1, text: "SELECT 9"),
            end(4, source: .finalize, programCounter: -1, text: "SELECT 7"),
        ]
        #expect(executions(batch).map(\.sql) == ["SELECT 7", "SELECT 9"])
    }
}
