import TestSupport
import Testing

@testable import SQLTrace

/// Process memory whose contents the tests define.
final class FakeMemory: ProcessMemory {
    var words: [UInt64: UInt64] = [:]
    var texts: [UInt64: String] = [:]
    var processes: [Int32: Int32] = [:]
    private(set) var reads: [UInt64: Int] = [:]

    func bytes(ofProcess process: Int32, at address: UInt64, count: Int) -> LittleEndian {
        reads[address, default: 0] += 1
        if let text = texts[address] {
            return LittleEndian(Array((Array(text.utf8) + [0]).prefix(count)))
        }
        guard let word = words[address] else { return LittleEndian([]) }
        return LittleEndian(withUnsafeBytes(of: word.littleEndian) { Array($0.prefix(count)) })
    }

    func process(ofThread thread: Int32) -> Int32? { processes[thread] }
    func forget(_ process: Int32) {}
}

struct ExecutionDecoderTests {
    static let connection: UInt64 = 0x10_0000
    static let statement: UInt64 = 0x20_0000
    static let sql: UInt64 = 0x30_0000

    let memory = FakeMemory()
    var decoder: ExecutionDecoder

    init() {
        decoder = ExecutionDecoder(memory: memory) { _, path in
            path == "/data/app.db" ? .watched(0) : .other
        }
        decoder.layouts = [
            0: StatementLayout(
                sql: 248,
                connection: 0,
                programCounter: 48,
                resultCode: 52,
                steps: 224,
                autocommit: 101,
                filePointers: [32, 8, 8, 0, 216]
            )
        ]
        // These words link the connection to the name of its file.
        memory.words[Self.connection + 32] = 0x11_0000
        memory.words[0x11_0008] = 0x12_0000
        memory.words[0x12_0008] = 0x13_0000
        memory.words[0x13_0000] = 0x14_0000
        memory.words[0x14_00d8] = 0x15_0000
        memory.texts[0x15_0000] = "/data/app.db"
        memory.words[Self.statement + 248] = Self.sql
        memory.texts[Self.sql] = "SELECT 1"
        memory.processes = [7: 7, 8: 7]
    }

    func end(
        _ time: UInt64,
        thread: Int32 = 7,
        source: StatementExecution.Source = .reset,
        sql: UInt64 = Self.sql,
        programCounter: Int32 = 5,
        result: Int32 = 0,
        steps: UInt32 = 0,
        busyCalls: Int32? = nil,
        busyTimeout: Int32? = nil,
        text: String? = nil,
        file: String? = nil,
        values: [StatementValue] = []
    ) -> TraceEvent {
        TraceEvent(
            time: time,
            thread: thread,
            kind: .end(
                TraceEvent.StatementEnd(
                    source: source,
                    library: 0,
                    statement: Self.statement,
                    connection: Self.connection,
                    sql: sql,
                    programCounter: programCounter,
                    result: result,
                    instructionCount: steps,
                    isAutocommit: true,
                    busyCalls: busyCalls,
                    busyTimeout: busyTimeout,
                    text: text,
                    file: file,
                    values: values
                )
            )
        )
    }

    mutating func executions(_ events: [TraceEvent]) -> [StatementExecution] {
        decoder.decode(events).compactMap { output in
            if case .execution(let execution, _) = output { execution } else { nil }
        }
    }

    @Test mutating func aResetWithoutAStepIsNotAnExecution() {
        #expect(
            executions([end(1, programCounter: -1), end(2), end(3, programCounter: -1)]).count == 1
        )
    }

    @Test mutating func aStatementFinalizedInTheSameBatchHasItsText() {
        // When the memory is read, a different statement already uses the address.
        memory.texts[Self.sql] = "DELETE FROM other"
        let found = executions([
            end(1), end(2, source: .finalize, programCounter: -1, text: "SELECT 1"), end(3),
        ])
        #expect(found.map(\.sql) == ["SELECT 1", "DELETE FROM other"])
    }

    @Test mutating func aStatementPreparedAgainAtTheSameAddressIsReadAgain() {
        _ = executions([end(1), end(2, source: .finalize, programCounter: -1)])
        memory.texts[Self.sql] = "SELECT 2"
        #expect(executions([end(3)]).map(\.sql) == ["SELECT 2"])
    }

    @Test mutating func theTextOfAReplacedStatementIsNotShown() {
        memory.words[Self.statement + 248] = 0x99_0000
        #expect(executions([end(1)]).map(\.sql) == [nil])
        #expect(decoder.unknownTexts == 1)
    }

    @Test mutating func connectionsOfOtherFilesAreDiscarded() {
        memory.texts[0x15_0000] = "/data/other.db"
        #expect(executions([end(1), end(2)]).isEmpty)
        #expect(decoder.otherExecutions == 2)
    }

    @Test mutating func aConnectionThatOpensAnotherFileIsDetected() {
        #expect(executions([end(1)]).count == 1)
        memory.texts[0x15_0000] = "/data/other.db"
        #expect(executions([end(2)]).isEmpty)
    }

    @Test mutating func anEndedProgramIsIdentifiedByItsEvents() {
        memory.words = [:]
        memory.texts = [:]
        let found = executions([
            end(1, thread: 99, source: .finalize, text: "COMMIT", file: "/data/app.db")
        ])
        #expect(found.map(\.sql) == ["COMMIT"])
        #expect(found.map(\.process) == [99])
    }

    @Test mutating func instructionsAreCountedForEachExecution() {
        let found = executions([
            TraceEvent(time: 1, thread: 1, kind: .newThread(7, isProcess: true)),
            end(2, steps: 10), end(3, steps: 25), end(4, steps: 4),
        ])
        // The program reset the counter to 0 before the last execution.
        #expect(found.map(\.steps) == [10, 15, nil])
        let old = ExecutionDecoderTests()
        var other = old
        #expect(
            other.executions([old.end(1, steps: 10), old.end(2, steps: 25)]).map(\.steps) == [
                nil, 15,
            ]
        )
    }

    @Test mutating func waitsAreDerivedFromTheBusyHandler() {
        let found = executions([
            end(1, busyCalls: 0, busyTimeout: 300), end(2, busyCalls: 3, busyTimeout: 300),
            end(3, result: 5, busyCalls: -1, busyTimeout: 300),
            end(4, result: 5, busyCalls: 0, busyTimeout: 0),
            end(5, result: 5, busyCalls: -1, busyTimeout: 0),
        ])
        #expect(found.map(\.secondsWaited) == [0, 0.008, 0.3, 0, nil])
    }

    private func exec(_ text: String, _ start: UInt64, result: Int32 = 0) -> [TraceEvent] {
        [
            TraceEvent(
                time: start,
                thread: 7,
                kind: .execStart(
                    TraceEvent.ExecStart(
                        library: 0,
                        connection: Self.connection,
                        sql: Self.sql,
                        isAutocommit: true,
                        text: text
                    )
                )
            ),
            TraceEvent(time: start + 500, thread: 7, kind: .execEnd(result: result)),
        ]
    }

    @Test mutating func execEndsWithItsResultAndItsTransaction() {
        let found = executions(
            exec("BEGIN; INSERT INTO t VALUES(1)", 1_000) + exec("BEGIN", 2_000, result: 1)
                + exec("SELECT*FROM\"main\".sqlite_master ORDER BY rowid", 3_000)
        )
        #expect(found.map(\.isAutocommit) == [false, true])
        #expect(found.map(\.result) == [0, 1])
        #expect(found.map(\.seconds) == [500e-9, 500e-9])
    }

    @Test mutating func theTimesOfStatementsInExecDoNotAffectLaterStatements() {
        // sqlite3_exec finalizes its statements without an event.
        decoder.window = 0...(.max)
        let calls = exec("SELECT 1; SELECT 2", 1_000)
        _ = executions([calls[0]] + step(1_100, -1, 10, 100) + [calls[1]])
        #expect(!decoder.isTiming)
        decoder.endTiming()
        let found = executions([end(9_000_000)])
        #expect(found.map(\.seconds) == [nil])
    }

    @Test mutating func aStatementWhoseEndWasMissedIsTimedFromItsNextStart() {
        decoder.window = 0...5_000
        _ = executions(step(1_000, -1, 10, 100))
        let found = executions(step(2_000, -1, 20, 100) + [end(2_100)])
        #expect(found.map(\.rows) == [1])
        #expect(found.map(\.start) == [2_000])
        // This execution starts after the window.
        _ = executions(step(3_000, -1, 10, 100))
        #expect(executions(step(6_000, -1, 20, 100) + [end(6_100)]).map(\.seconds) == [nil])
    }

    private func step(
        _ time: UInt64,
        _ counter: Int32,
        _ duration: UInt64,
        _ result: Int32
    ) -> [TraceEvent] {
        let start = TraceEvent.StepStart(
            library: 0,
            statement: Self.statement,
            programCounter: counter
        )
        return [
            TraceEvent(time: time, thread: 7, kind: .stepStart(start)),
            TraceEvent(time: time + duration, thread: 7, kind: .stepEnd(result: result)),
        ]
    }

    @Test mutating func onlyStatementsThatStartInAWindowAreTimed() {
        decoder.window = 1_000...2_000
        decoder.stepOverhead = 10
        let inside = step(1_500, -1, 110, 100) + step(2_500, 3, 60, 101) + [end(2_600)]
        let before = step(500, -1, 100, 100) + step(1_200, 3, 50, 101) + [end(1_300)]
        let after = step(2_700, -1, 100, 101) + [end(2_900)]
        let found = executions(before + inside + after)
        #expect(found.map(\.seconds) == [nil, 150e-9, nil])
        #expect(found.map(\.rows) == [nil, 1, nil])
    }

    /// The program spends 890 ns between the steps, and 40 ns before the reset.
    @Test(arguments: [(100, 730e-9), (500, 0.0)])
    mutating func theTimeBetweenStepsExcludesTheProbes(cost: UInt64, expected: Double) {
        decoder.window = 1_000...2_000
        decoder.overheadBetweenSteps = cost
        let found = executions(
            step(1_500, -1, 110, 100) + step(2_500, 3, 60, 101) + [end(2_600)]
        )
        #expect(found.map(\.start) == [1_500])
        #expect(found.map(\.secondsBetweenSteps) == [expected])
    }

    @Test mutating func aStepThatResetsItsStatementStartsAnExecution() {
        decoder.window = 0...(.max)
        let start = TraceEvent.StepStart(library: 0, statement: Self.statement, programCounter: 9)
        let found = executions(
            step(100, -1, 50, 101) + [
                TraceEvent(time: 200, thread: 7, kind: .stepStart(start)), end(210),
                TraceEvent(time: 270, thread: 7, kind: .stepEnd(result: 101)), end(300),
            ]
        )
        #expect(found.map(\.seconds) == [50e-9, 70e-9])
    }

    @Test mutating func aStatementThatOutlastsItsWindowIsTimedToItsEnd() {
        decoder.window = 0...(.max)
        let start = TraceEvent.StepStart(library: 0, statement: Self.statement, programCounter: -1)
        #expect(executions([TraceEvent(time: 100, thread: 7, kind: .stepStart(start))]).isEmpty)
        #expect(decoder.isTiming)
        decoder.endTiming()
        #expect(!decoder.isTiming)
        let found = executions([end(5_000_000_100)])
        #expect(found.map(\.seconds) == [5])
        #expect(found.map(\.rows) == [nil])
    }

    @Test mutating func valuesOfStatementsWithKeysAreDiscarded() {
        memory.texts[Self.sql] = "ATTACH ? AS other KEY ?"
        #expect(executions([end(1, values: [.text("a"), .text("secret")])]).map(\.values) == [[]])
    }

    @Test mutating func textsAndTimesBeforeAGapAreDiscarded() {
        decoder.window = 0...(.max)
        let first = executions(step(100, -1, 50, 101) + [end(200, steps: 10)])
        #expect(first.map(\.sql) == ["SELECT 1"])
        _ = executions(step(300, -1, 50, 100))
        decoder.forget()
        // During the gap, other statements were prepared at these addresses.
        memory.texts[Self.sql] = "SELECT 2"
        let found = executions([end(500, steps: 12), end(600, steps: 15)])
        #expect(found.map(\.sql) == ["SELECT 2", "SELECT 2"])
        #expect(found.map(\.seconds) == [nil, nil])
        #expect(found.map(\.steps) == [nil, 3])
    }

    @Test mutating func aClosedConnectionIsReported() {
        _ = decoder.decode([end(1)])
        let close = TraceEvent(time: 2, thread: 8, kind: .close(connection: Self.connection))
        #expect(
            decoder.decode([close]) == [.closed(process: 7, connection: Self.connection, time: 2)]
        )
        #expect(decoder.processes[7]?.connections.isEmpty ?? false)
    }

    @Test mutating func execWithoutAReturnIsCountedAtItsStart() {
        decoder.librariesWithoutReturns = [0]
        let start = TraceEvent.ExecStart(
            library: 0,
            connection: Self.connection,
            sql: 0,
            isAutocommit: true,
            text: "BEGIN",
            file: "/data/app.db"
        )
        let found = executions([TraceEvent(time: 9, thread: 7, kind: .execStart(start))])
        #expect(found.map(\.sql) == ["BEGIN"])
        #expect(found.map(\.isAutocommit) == [false])
        #expect(found.map(\.seconds) == [nil])
        #expect(decoder.calls.isEmpty)
    }

    @Test mutating func anEndedProcessLeavesNoState() {
        _ = decoder.decode([end(1)])
        let output = decoder.decode([TraceEvent(time: 2, thread: 7, kind: .exit(isProcess: true))])
        #expect(output == [.ended(process: 7, time: 2)])
        #expect(decoder.processes.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) mutating func randomEventSequencesDoNotTrap() {
        var random = SeededRandom(seed: 7)
        decoder.window = 0...(.max)
        for round in 0..<3_000 {
            let events = (0..<Int.random(in: 0...12, using: &random)).map { index -> TraceEvent in
                let time = UInt64(round * 100 + index)
                let thread = Int32.random(in: 7...9, using: &random)
                let counter = Int32.random(in: -1...1, using: &random)
                let start = TraceEvent.StepStart(
                    library: 0,
                    statement: Self.statement,
                    programCounter: counter
                )
                let kinds: [TraceEvent.Kind] = [
                    end(time, programCounter: counter).kind, .stepStart(start),
                    .stepEnd(result: 100),
                    .execEnd(result: 0), .newThread(thread + 1, isProcess: counter == 0),
                    .newProgram,
                    .exit(isProcess: counter == 1), end(time, source: .finalize).kind,
                ]
                return TraceEvent(
                    time: time,
                    thread: thread,
                    kind: kinds.randomElement(using: &random) ?? .newProgram
                )
            }
            _ = decoder.decode(events)
            if round % 10 == 0 { decoder.endTiming() }
        }
    }
}
