import Testing

@testable import SQLTrace

/// Tests how the files of connections are identified.
extension ExecutionDecoderTests {
    private func close(_ time: UInt64) -> TraceEvent {
        TraceEvent(time: time, thread: 7, kind: .close(connection: Self.connection))
    }

    private mutating func clearMemory() {
        memory.words = [:]
        memory.texts = [:]
    }

    @Test mutating func executionsBeforeTheEventWithTheFileAreCounted() {
        clearMemory()
        let found = executions([
            end(1), end(2),
            end(3, source: .finalize, programCounter: -1, text: "SELECT 1", file: "/data/app.db"),
            close(4),
        ])
        #expect(found.map(\.sql) == ["SELECT 1", "SELECT 1"])
        #expect(decoder.unknownFiles == 0)
    }

    @Test(arguments: [true, false])
    mutating func theEventWithTheFileMayFollowTheBatch(isNew: Bool) {
        // If `isNew` is `false`, the decoder has no state for the process, so it checks the file before
        // it reads the text.
        if isNew {
            _ = executions([TraceEvent(time: 0, thread: 1, kind: .newThread(7, isProcess: true))])
        }
        clearMemory()
        let batch = [end(1)]
        let isRead = decoder.prepare(batch)
        #expect(isRead)
        let final = end(2, source: .finalize, programCounter: -1, file: "/data/app.db")
        #expect(decoder.decode(batch, followedBy: [final]).count == 1)
    }

    @Test mutating func aClosedConnectionIsNotAssignedTheFileOfTheNextConnection() {
        clearMemory()
        let found = executions([
            end(1), close(2), end(3),
            end(4, source: .finalize, programCounter: -1, text: "SELECT 2", file: "/data/app.db"),
        ])
        #expect(found.map(\.end) == [3])
        #expect(decoder.unknownFiles == 1)
    }

    @Test mutating func aReplacedProgramIsNotAssignedTheFileOfTheNextProgram() {
        clearMemory()
        let found = executions([
            end(1), TraceEvent(time: 2, thread: 7, kind: .newProgram), end(3),
            end(4, source: .finalize, programCounter: -1, text: "SELECT 2", file: "/data/app.db"),
        ])
        #expect(found.map(\.end) == [3])
        #expect(decoder.unknownFiles == 1)
    }

    @Test mutating func aConnectionAtAReusedAddressHasItsOwnFile() {
        clearMemory()
        // The reset makes the decoder check the connection before it decodes the batch.
        let found = executions([
            end(1, source: .finalize, text: "SELECT 1", file: "/data/app.db"), close(2),
            end(3, sql: 0x31_0000),
            end(4, source: .finalize, programCounter: -1, text: "SELECT 2", file: "/data/other.db"),
        ])
        #expect(found.map(\.sql) == ["SELECT 1"])
        #expect(decoder.otherExecutions == 1)
    }

    @Test mutating func connectionsOfOtherFilesInTheBatchAreDiscarded() {
        clearMemory()
        let found = executions([
            end(1), end(2, source: .finalize, programCounter: -1, file: "/data/other.db"),
        ])
        #expect(found.isEmpty)
        #expect(decoder.otherExecutions == 1)
    }
}
