#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch

/// The maps and programs of a session in the kernel.
///
/// The kernel removes all of them when the session's process ends for any reason.
final class ProbeKernel {
    let way: ProbeSupport.Way
    let ring: RecordRing
    let threads: KernelMap
    private let statements: KernelMap
    private let files: KernelMap
    private let processes: KernelMap
    private let maps: [String: KernelMap]
    private var tracepoints: [KernelObject] = []
    private var programs: [Key: Programs] = [:]
    private let readsValues: Bool

    /// The programs at the functions of one library.
    struct Programs {
        /// The program at the entries of all functions, or one for each group of functions.
        var entries: [KernelObject]
        var stepReturn: KernelObject
        /// The program at the entries and returns, or `nil` if the kernel or the program's code
        /// does not permit one program for both.
        var session: KernelObject?
    }

    private struct Key: Hashable {
        var library: Int
        var hasReturns: Bool
        var isSeparate: Bool
    }

    /// The size of the ring buffer, which must be a power of two, in bytes.
    private static let ringSize = 1 << 24
    /// The sizes of the structures in `probes.bpf.c`, in bytes.
    private enum Size {
        static let thread = 448
        static let statement = 80
        static let head = 64
        static let window = 288
    }

    init(way: ProbeSupport.Way, readsValues: Bool) throws(TraceError) {
        self.way = way
        self.readsValues = readsValues
        let buffer = try KernelMap(.ring, count: Self.ringSize)
        ring = try RecordRing(buffer, size: Self.ringSize)
        threads = try KernelMap(.hash, key: 4, value: Size.thread, count: 1 << 13)
        statements = try KernelMap(.recentHash, key: 16, value: Size.statement, count: 1 << 16)
        files = try KernelMap(.recentHash, key: 16, value: 1, count: 1 << 14)
        processes = try KernelMap(.hash, key: 4, value: 16, count: 1 << 12)
        maps = [
            "M_RING": buffer, "M_THREADS": threads, "M_STATEMENTS": statements, "M_FILES": files,
            "M_PROCESSES": processes,
            "M_NEW_THREAD": try KernelMap(.array, key: 4, value: Size.thread, count: 1),
        ]
        for (tracepoint, name) in [
            ("task_newtask", "newtask"), ("sched_process_exec", "new_program"),
            ("sched_process_exit", "thread_exit"),
        ] {
            let program = try ProbeSupport.program(name)
                .load(.rawTracepoint, maps: maps, constants: ["K_LIBRARY": 0])
            tracepoints.append(try ProbeSupport.trace(tracepoint, program: program))
        }
    }

    /// Returns the programs for a library.
    ///
    /// - Parameters:
    ///   - entry: The library, whose layout is known.
    ///   - layout: The library's layout.
    ///   - hasReturns: Whether the return of `sqlite3_step` is probed.
    ///   - isSeparate: Whether the library contains no code of the program, so that calls from its
    ///     code are SQLite's own.
    /// - Returns: The programs.
    /// - Throws: A ``TraceError`` if the layout is not supported, or if the kernel rejects a program.
    func programs(
        of entry: TracedLibraries.Entry,
        _ layout: StatementLayout,
        hasReturns: Bool,
        isSeparate: Bool
    ) throws(TraceError) -> Programs {
        let key = Key(library: entry.number, hasReturns: hasReturns, isSeparate: isSeparate)
        if let known = programs[key] { return known }
        guard max(layout.connection, layout.programCounter) <= Size.head - 8,
            max(layout.sql, layout.steps + 16, layout.resultCode) <= Size.window - 8
        else {
            throw TraceError(.calibration, "its structures are larger than expected")
        }
        let constants = constants(of: entry, layout, hasReturns: hasReturns, isSeparate: isSeparate)
        func load(_ name: String, type: UInt32 = 0) throws(TraceError) -> KernelObject {
            try ProbeSupport.program(name)
                .load(.probe, attachType: type, maps: maps, constants: constants)
        }
        let multiple = ProbeSupport.multiple
        let new: Programs
        if case .event = way {
            new = Programs(
                entries: [try load("step"), try load("reset"), try load("close")],
                stepReturn: try load("step_return")
            )
        } else {
            new = Programs(
                entries: [try load("entry", type: multiple)],
                stepReturn: try load("step_return", type: multiple),
                session: way == .session && hasReturns
                    ? try load("session", type: ProbeSupport.session) : nil
            )
        }
        programs[key] = new
        return new
    }

    private func constants(
        of entry: TracedLibraries.Entry,
        _ layout: StatementLayout,
        hasReturns: Bool,
        isSeparate: Bool
    ) -> [String: UInt64] {
        var offsets: [String: Int] = [
            "LIBRARY": entry.number & 0xff, "CONNECTION": layout.connection,
            "COUNTER": layout.programCounter, "RESULT": layout.resultCode, "SQL": layout.sql,
            "STEPS": layout.steps, "COUNTERS": layout.counterCount,
            "AUTOCOMMIT": layout.autocommit,
            "BUSY_CALLS": layout.busyTimeout == nil ? 0 : layout.busyCalls ?? 0,
            "BUSY_TIMEOUT": layout.busyTimeout ?? 0, "RETURNS": hasReturns ? 1 : 0,
            "VALUES": readsValues && layout.values != nil ? 1 : 0,
            "VALUE_ARRAY": layout.values?.array ?? 0, "VALUE_COUNT": layout.values?.count ?? 0,
            "VALUE_STRIDE": layout.values?.stride ?? 0, "VALUE_FLAGS": layout.values?.flags ?? 0,
            "VALUE_LENGTH": layout.values?.length ?? 0,
            "VALUE_POINTER": layout.values?.pointer ?? 0,
        ]
        for (number, offset) in layout.filePointers.enumerated() {
            offsets["FILE\(number)"] = offset
        }
        var constants: [String: UInt64] = ["K_LOW": 0, "K_HIGH": 0]
        for (name, offset) in offsets { constants["K_" + name] = UInt64(offset) }
        // The library's code, relative to the probed instruction, which is one of several.
        let points = entry.library.points.values.map(\.offset)
        if isSeparate, let first = points.min(), let last = points.max() {
            constants["K_LOW"] = entry.code.lowerBound &- last
            constants["K_HIGH"] = entry.code.upperBound &- first
        }
        return constants
    }

    // MARK: Processes

    /// The numbers that the kernel counts for a process.
    struct Counts: Equatable {
        /// The records that did not fit into a buffer.
        var lost: UInt64 = 0
        /// The executions inside a step of another statement.
        var nested: UInt64 = 0
    }

    /// Permits the programs to record the executions of a process.
    func start(_ process: Int32) throws(TraceError) {
        guard processes.set(process.bytes, to: [UInt8](repeating: 0, count: 16)) else {
            throw TraceError(.probe, "too many processes are traced")
        }
    }

    func counts(of process: Int32) -> Counts {
        let value = processes.value(of: process.bytes)
        return Counts(lost: value?.u64(0) ?? 0, nested: value?.u64(8) ?? 0)
    }

    /// Ends the recording of a process.
    func end(_ process: Int32) { processes.remove(process.bytes) }

    /// Returns a closure that discards what the kernel stores about a process without probes.
    var forget: @Sendable (Int32) -> Void {
        let (threads, tables) = (threads, [statements, files])
        return { process in
            for key in threads.keys
            where threads.value(of: key)?.u32(24) == UInt32(bitPattern: process) {
                threads.remove(key)
            }
            for table in tables {
                for key in table.keys where LittleEndian(key).u64(0) == UInt64(process) {
                    table.remove(key)
                }
            }
        }
    }

    /// The traps of a thread since it first called SQLite.
    struct Traps: Equatable {
        var process: Int32
        var entries: UInt64
        var returns: UInt64
        /// The number of executions that ended.
        var ends: UInt64
    }

    /// Returns the traps of each thread.
    func traps() -> [Int32: Traps] {
        var traps: [Int32: Traps] = [:]
        for key in threads.keys {
            guard let thread = LittleEndian(key).u32(0), let value = threads.value(of: key),
                let entries = value.u64(0), let returns = value.u64(8), let ends = value.u64(16),
                let process = value.u32(24)
            else { continue }
            traps[Int32(bitPattern: thread)] = Traps(
                process: Int32(bitPattern: process),
                entries: entries,
                returns: returns,
                ends: ends
            )
        }
        return traps
    }

    /// A statement inside a step.
    struct RunningStatement: Equatable {
        var process: Int32
        var statement: UInt64
        var connection: UInt64
        /// The start of the execution, or the first call that was seen of it.
        var start: UInt64
        /// Whether the execution began before the process had probes.
        var isEarly: Bool
    }

    /// Returns the outermost running statement of each thread.
    func runningStatements() -> [RunningStatement] {
        threads.keys.compactMap { key in
            // The first frame follows the counts, the process, and the depth.
            guard let value = threads.value(of: key), let depth = value.u8(28), depth > 0,
                let process = value.u32(24), let statement = value.u64(32), statement != 0,
                let connection = value.u64(40),
                let state = statements.value(of: UInt64(process).bytes + statement.bytes),
                let start = state.u64(Field.start), let isPartial = state.u8(Field.isPartial)
            else { return nil }
            return RunningStatement(
                process: Int32(bitPattern: process),
                statement: statement,
                connection: connection,
                start: start,
                isEarly: isPartial != 0
            )
        }
    }

    // MARK: Early statements

    /// The offsets in the structure of a statement.
    private enum Field {
        static let start = 8
        static let lastEnd = 16
        static let connection = 48
        static let stepCount = 64
        static let isOpen = 68
        static let isPartial = 69
    }

    /// Prepares to count the end of an execution whose first step began before the process had probes.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - process: The process.
    ///   - now: The time on the monotonic clock, in nanoseconds.
    /// - Returns: Whether the beginning of the execution was not traced.
    func expect(_ step: ConnectionReader.FirstStep, of process: Int32, at now: UInt64) -> Bool {
        let key = UInt64(process).bytes + step.statement.bytes
        let known = statements.value(of: key)
        guard known?.u8(Field.isOpen) ?? 0 == 0 else { return isExpected(known) }
        var value = [UInt8](repeating: 0, count: Size.statement)
        for (field, number) in [
            (Field.start, now), (Field.lastEnd, now), (Field.connection, step.connection),
        ] { value.replaceSubrange(field..<(field + 8), with: number.bytes) }
        value[Field.isOpen] = 1
        value[Field.isPartial] = 1
        return statements.set(key, to: value, if: known == nil ? .isNew : .exists)
    }

    /// Does not count the end of an execution, which was not traced.
    func stopExpecting(_ step: ConnectionReader.FirstStep, of process: Int32) {
        let key = UInt64(process).bytes + step.statement.bytes
        if isExpected(statements.value(of: key)) { statements.remove(key) }
    }

    private func isExpected(_ state: LittleEndian?) -> Bool {
        state?.u8(Field.isOpen) == 1 && state?.u8(Field.isPartial) == 1
            && state?.u32(Field.stepCount) == 0
    }
}

extension FixedWidthInteger {
    /// The bytes in the processor's order.
    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

/// The ring buffer in which the programs in the kernel store their records
/// (Documentation/bpf/ringbuf.rst in the kernel's sources).
final class RecordRing {
    private let map: KernelMap
    private let size: Int
    private let consumer: UnsafeMutableRawPointer
    private let producer: UnsafeMutableRawPointer

    private static let page = sysconf(Int32(_SC_PAGESIZE))
    /// The size of the head of each record, in bytes.
    private static let head = 8

    init(_ map: KernelMap, size: Int) throws(TraceError) {
        self.map = map
        self.size = size
        let descriptor = map.object.descriptor
        let consumer = mmap(nil, Self.page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        // The kernel maps the data twice, so that every record is contiguous.
        let producer = mmap(
            nil,
            Self.page + 2 * size,
            PROT_READ,
            MAP_SHARED,
            descriptor,
            off_t(Self.page)
        )
        guard let consumer, let producer, consumer != MAP_FAILED, producer != MAP_FAILED else {
            throw TraceError(.probe, "the ring buffer cannot be mapped")
        }
        self.consumer = consumer
        self.producer = producer
    }

    deinit {
        munmap(consumer, Self.page)
        munmap(producer, Self.page + 2 * size)
    }

    /// The share of the buffer that is in use, from 0 to 1.
    var fill: Double {
        Double(poolgauge_load64(producer) &- poolgauge_load64(consumer)) / Double(size)
    }

    /// Passes the records that are complete to a closure.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read.
    ///   - use: The closure.
    /// - Returns: Whether more records are available.
    func read(limit: Int, _ use: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let start = poolgauge_load64(consumer)
        let end = poolgauge_load64(producer)
        let data = UnsafeRawBufferPointer(start: producer + Self.page, count: 2 * size)
        let count = min(Int(clamping: end &- start), size)
        let read = Self.read(
            data,
            from: Int(start % UInt64(size)),
            count: min(count, limit),
            use
        )
        // Without a complete record, the same records are read again later.
        poolgauge_store64(consumer, start &+ UInt64(read))
        return read > 0 && read < count
    }

    /// Passes the complete records in a range of bytes to a closure.
    ///
    /// A record starts with its length, whose highest bits state that it is incomplete or
    /// discarded.
    ///
    /// - Parameters:
    ///   - data: The buffer, twice.
    ///   - start: The offset of the first record.
    ///   - count: The number of bytes to read.
    ///   - use: The closure.
    /// - Returns: The number of bytes after which the first incomplete record starts.
    static func read(
        _ data: UnsafeRawBufferPointer,
        from start: Int,
        count: Int,
        _ use: (UnsafeRawBufferPointer) -> Void
    ) -> Int {
        var offset = 0
        while offset < count, let base = data.baseAddress, start + offset + head <= data.count {
            let word = poolgauge_load32(base + start + offset)
            guard word & 0x8000_0000 == 0 else { break }
            let length = Int(word & 0x3fff_ffff)
            let body = start + offset + head
            // The kernel writes the lengths, so a length beyond the buffer means that the position
            // is wrong. Skip everything.
            guard body + length <= data.count else { return count }
            if word & 0x4000_0000 == 0 {
                use(UnsafeRawBufferPointer(rebasing: data[body..<(body + length)]))
            }
            offset += (head + length + 7) / 8 * 8
        }
        return offset
    }
}
#endif
