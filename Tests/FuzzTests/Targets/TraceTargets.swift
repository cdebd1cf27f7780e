import SQLiteWatch
import TestSupport

@testable import SQLTrace

extension FuzzTarget {
    /// Trace records, which contain text and numbers from the traced programs.
    static let traceRecords = FuzzTarget(
        name: "trace-records",
        maximumLength: 4_096,
        seeds: [[0] + TraceBytes.page, [1] + TraceBytes.buffer] + [TraceBytes.format],
        words: [
            "field:", "offset:", "size:", "signed:", "ID: ", "__data_loc char[] text;", "u64 st;",
        ]
    ) { bytes in
        let content = Array(bytes.dropFirst())
        let records =
            bytes.first == 0
            ? RingBufferPage.parse(content).records : PerfRecords.parse(content).records
        guard records.allSatisfy({ $0.bytes.count <= content.count }) else {
            throw WrongResult("a record is longer than the buffer")
        }
        var events = EventDecoder()
        for (meaning, format) in TraceBytes.formats {
            events.add(meaning, library: 1, format, values: TraceBytes.layout.values)
        }
        if let format = EventFormat(text(bytes)) { events.add(.reset, format) }
        var decoder = ExecutionDecoder(memory: InputMemory(content)) { _, path in
            path.hasPrefix("/other") ? .other : .watched(0)
        }
        decoder.layouts = [1: TraceBytes.layout]
        decoder.window = 0 ... .max
        decoder.stepOverhead = 100
        var model = TraceModel()
        let decoded = records.compactMap(events.event)
        let middle = decoded.count / 2
        for batch in [decoded[..<middle], decoded[middle...]] {
            for output in decoder.decode(Array(batch)) {
                switch output {
                case .execution(let execution, _): model.add(execution)
                case .closed(let process, let connection, let time):
                    model.end(ConnectionKey(process: process, connection: connection), at: time)
                case .ended(let process, let time): model.end(process: process, at: time)
                }
            }
            _ = model.statementReport(elapsed: 1)
            _ = model.transactionReport(
                .init(now: decoded.last?.time ?? 0, calendar: { _ in .init(milliseconds: 0) }) {
                    "\($0)"
                }
            )
        }
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

/// The memory of a traced program, which consists of repetitions of an input.
private final class InputMemory: ProcessMemory {
    private let content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    func bytes(ofProcess process: Int32, at address: UInt64, count: Int) -> LittleEndian {
        guard !content.isEmpty, address < 1 << 48 else { return LittleEndian([]) }
        let start = Int(address) % content.count
        return LittleEndian((0..<count).map { content[(start + $0) % content.count] })
    }

    func process(ofThread thread: Int32) -> Int32? { thread == 0 ? nil : thread & ~1 }

    func forget(_ process: Int32) {}
}
