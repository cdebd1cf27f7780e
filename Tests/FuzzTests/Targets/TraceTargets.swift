import Findings
import SQLiteWatch
import TestSupport

@testable import SQLTrace

extension FuzzTarget {
    /// Records of the kernel's programs, which contain text and numbers from the traced programs, and
    /// of the library in programs, which can store anything.
    static let traceRecords = FuzzTarget(
        name: "trace-records",
        maximumLength: 4_096,
        seeds: [TraceBytes.records],
        words: ["SELECT ", "/other", "PRAGMA key"]
    ) { bytes in
        var decoder = ExecutionDecoder { _, path in path.hasPrefix("/other") ? .other : .watched(0)
        }
        decoder.stepOverhead = 100
        var model = TraceModel()
        var connections = ConnectionTable()
        let checks = StatementChecks(CheckSettings()) { "\($0)" }
        var time: UInt64 = 0
        for content in TraceBytes.split(bytes) {
            let chunkSize =
                content.count == 176
                ? ProbeRecord.agentChunkSize : ProbeRecord.chunkSize
            let record = content.withUnsafeBytes { ProbeRecord($0, chunkSize: chunkSize) }
            guard let record else { continue }
            time = record.time
            switch decoder.decode(record) {
            case .execution(let execution, let database, let library):
                let kind = model.add(execution)
                connections.add(execution, kind, database: database, library: library)
                checks.add(execution, version: "3.40.1")
            case .closed(let process, let connection, let time):
                checks.end(ConnectionKey(process: process, connection: connection), at: time)
                connections.end(ConnectionKey(process: process, connection: connection))
                model.end(ConnectionKey(process: process, connection: connection), at: time)
            case nil: break
            }
            if case .program = record.kind {
                decoder.forget(record.process)
                checks.end(process: record.process)
                model.end(process: record.process, at: record.time)
            }
        }
        _ = model.statementReport { _ in 1 }
        for observation in checks.finish(keyTables: { _ in ["t"] }, isWAL: { _ in nil }) {
            guard observation.count > 0 else { throw WrongResult("nothing was observed") }
            _ = CheckFinding(observation, level: .warning)
        }
        _ = connections.report(of: 0) { _, _ in .unknown }
        _ = model.transactionReport(
            .init(now: time, calendar: { _ in .init(milliseconds: 0) }) { "\($0)" }
        )
        #if os(Linux)
        let length = bytes.withUnsafeBytes { data in
            RecordRing.read(data, from: 0, count: data.count / 8 * 8) { _ = ProbeRecord($0) }
        }
        guard length <= bytes.count + 8 else { throw WrongResult("the ring has too many records") }
        #endif
    }

    /// A program or library with symbols, in which probes are placed.
    static let programFile = FuzzTarget(
        name: "program-file",
        maximumLength: 2_048,
        seeds: [TraceBytes.program],
        words: ["sqlite3_step", "sqlite3_", ".gopclntab", "\u{7F}ELF"],
        read: readProgram
    )

    /// A program or library without symbols, whose table of functions is searched.
    static let routineTable = FuzzTarget(
        name: "routine-table",
        maximumLength: 8_192,
        seeds: SmallProgram.Pointers.allCases.map { SmallProgram($0).bytes },
        words: ["3.46.1", "SQLite format 3", "\u{7F}ELF"],
        read: readProgram
    )

    @Sendable
    private static func readProgram(_ bytes: [UInt8]) throws {
        let reader = FileBytes(bytes)
        guard var file = ELFFile(reader, isIncluded: { _ in true }) else { return }
        _ = file.addFunctions(Set(RoutineTable.slots.keys), from: reader)
        for (name, function) in file.functions where function.fileOffset >= 1 << 49 {
            throw WrongResult("\(name) is outside any file")
        }
        _ = HiddenCopy(in: file, reader)?.reason
        let copy = LoadableCopy(file: file, bytes: reader)
        for change in copy.changes(isAvailable: { $0.count % 2 == 0 })
        where change.offset + UInt64(change.bytes.count) > UInt64(bytes.count) {
            throw WrongResult("a change is outside the file")
        }
    }
}
