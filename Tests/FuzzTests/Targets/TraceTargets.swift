import SQLiteWatch

@testable import SQLTrace

extension FuzzTarget {
    /// Records of the kernel's programs, which contain text and numbers from the traced programs.
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
        var time: UInt64 = 0
        for content in TraceBytes.split(bytes) {
            let record = content.withUnsafeBytes { ProbeRecord($0) }
            guard let record else { continue }
            time = record.time
            switch decoder.decode(record) {
            case .execution(let execution, _): model.add(execution)
            case .closed(let process, let connection, let time):
                model.end(ConnectionKey(process: process, connection: connection), at: time)
            case nil: break
            }
            if case .program = record.kind {
                decoder.forget(record.process)
                model.end(process: record.process, at: record.time)
            }
        }
        _ = model.statementReport { _ in 1 }
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

    /// A program or library in which probes are placed.
    static let programFile = FuzzTarget(
        name: "program-file",
        maximumLength: 2_048,
        seeds: [TraceBytes.program],
        words: ["sqlite3_step", "sqlite3_", ".gopclntab", "\u{7F}ELF"]
    ) { bytes in
        let file = ELFFile(isIncluded: { _ in true }) { offset, count in
            guard offset < UInt64(bytes.count) else { return [] }
            let start = Int(offset)
            return Array(bytes[start..<min(bytes.count, start + count)])
        }
        _ = file?.functions.count
        guard ELFFile.loadable(bytes).count == bytes.count else {
            throw WrongResult("the copy has a different length")
        }
    }
}
