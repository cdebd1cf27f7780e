/// A record of a program in the kernel (`probes.bpf.c`), or of the library in a program (`Agent.c`).
///
/// The fields come from other programs' memory, so every value is possible.
struct ProbeRecord: Sendable {
    /// The end of an execution.
    struct Execution: Sendable {
        var source: StatementExecution.Source
        /// Whether the probes were set during the execution, so that its start is unknown.
        var isPartial: Bool
        /// The number of instructions that the statement had executed at the end and before the
        /// execution, or `nil` if unknown.
        var instructions: (end: UInt32, start: UInt32)?
        /// Whether the text was sent before.
        var hasText: Bool
        /// Whether the text was sent just before, with the same time.
        var followsText: Bool
        /// Whether the statement has no text, as while SQLite reads the schema.
        var isInternal: Bool
        var start: UInt64
        /// The time in steps, in nanoseconds.
        var inside: UInt64
        /// The time between steps, in nanoseconds.
        var between: UInt64
        var lastEnd: UInt64
        var rows: UInt64
        var stepCount: UInt32
        var result: Int32
        /// The number of calls to the busy handler in the last step, or -1 after the handler
        /// stopped, or `nil` if unknown.
        var busyCalls: Int32?
        /// The timeout of SQLite's built-in busy handler, in milliseconds, or 0 if there is none.
        var busyTimeout: Int32
        /// Whether the connection has a busy handler, or `nil` if unknown.
        var hasBusyHandler: Bool?
        var isAutocommit: Bool
        /// The statement's counters, in the order of the numbers of `sqlite3_stmt_status` from 1.
        var counters: SIMD8<UInt32>
        /// The number of valid counters.
        var counterCount: Int
        /// The probes that other statements reached inside the steps, at entries.
        var innerHits: UInt32
        /// The probes that other statements reached inside the steps, at returns.
        var innerReturns: UInt32
    }

    enum Kind: Sendable {
        case execution(Execution)
        /// A part of a statement's text.
        case text([UInt8], isFirst: Bool, isLast: Bool)
        /// A part of the name of a connection's file, and whether the connection enforces foreign keys,
        /// or `nil` if that is unknown.
        case file([UInt8], isFirst: Bool, isLast: Bool, foreignKeys: Bool? = nil)
        /// The values of the next execution on the thread.
        case values([StatementValue])
        /// A part of the values of the next execution on the thread, which the library in the program
        /// sends (see ``values(packed:)``).
        case packedValues([UInt8], isFirst: Bool, isLast: Bool)
        case close
        /// The process started another process.
        case fork
        /// The process executed a new program.
        case program
        /// The library in the program found a copy of SQLite with this version.
        case copy(path: [UInt8], version: String)
        /// The library in the program does not see the statements of a connection.
        case unseen(UnseenReason)
    }

    /// The reasons why the library in a program does not see statements, with their numbers in
    /// `Agent.c`.
    enum UnseenReason: UInt8, Sendable {
        case replacedCallback = 1
        case unknownLayout = 2
        case unknownValues = 3
    }

    var time: UInt64
    var process: Int32
    var thread: Int32
    var library: Int
    var statement: UInt64
    var connection: UInt64
    var kind: Kind

    private static let headerSize = 40
    private static let executionSize = 120
    /// The size of an execution with counters.
    private static let counterEnd = 152
    /// The size of an execution with counters and the traps inside its steps.
    private static let innerEnd = 160
    /// The size of a part of a text, including its zero byte, in a record of the kernel.
    static let chunkSize = 240
    /// The size of a part of a text in a record of the library in a program.
    static let agentChunkSize = 136
    private static let valueSize = 80
    private static let valueText = 64
    /// The maximum number of values that the library in a program sends.
    private static let packedValueLimit = 8

    /// Decodes a record, or returns `nil` if it is malformed.
    ///
    /// - Parameters:
    ///   - bytes: The record.
    ///   - chunkSize: The size of a part of a text that another part follows.
    init?(_ bytes: UnsafeRawBufferPointer, chunkSize: Int = Self.chunkSize) {
        func load<Integer: FixedWidthInteger>(_ offset: Int) -> Integer {
            Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
        }
        guard bytes.count >= Self.headerSize else { return nil }
        time = load(0)
        process = load(8)
        thread = load(12)
        library = Int(bytes[19])
        statement = load(24)
        connection = load(32)
        let flags = bytes[18]
        let length = Int(load(20) as UInt32)
        let body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])
        switch bytes[16] {
        case 1:
            guard bytes.count >= Self.executionSize else { return nil }
            let sources: [StatementExecution.Source] = [.step, .reset]
            guard Int(bytes[17]) < sources.count else { return nil }
            let end: UInt32 = load(92)
            let hasCounters = bytes.count >= Self.counterEnd
            kind = .execution(
                Execution(
                    source: sources[Int(bytes[17])],
                    isPartial: flags & 1 != 0,
                    instructions: flags & 2 != 0 ? (end, load(96)) : nil,
                    hasText: flags & 4 != 0,
                    followsText: flags & 128 != 0,
                    isInternal: flags & 16 != 0,
                    start: load(48),
                    inside: load(56),
                    between: load(64),
                    lastEnd: load(72),
                    rows: load(80),
                    stepCount: load(88),
                    result: load(100),
                    busyCalls: flags & 8 != 0 ? load(104) : nil,
                    busyTimeout: load(108),
                    hasBusyHandler: flags & 32 != 0 ? flags & 64 != 0 : nil,
                    isAutocommit: bytes[112] != 0,
                    counters: hasCounters
                        ? bytes.loadUnaligned(fromByteOffset: 120, as: SIMD8<UInt32>.self)
                        : SIMD8(),
                    counterCount: hasCounters ? length : 0,
                    innerHits: bytes.count >= Self.innerEnd ? load(152) : 0,
                    innerReturns: bytes.count >= Self.innerEnd ? load(156) : 0
                )
            )
        case 2, 3:
            // The kernel terminates each part with a zero byte.
            guard (1...chunkSize).contains(length), length <= body.count else { return nil }
            let part = Array(body[..<(length - 1)])
            let isLast = length < chunkSize
            kind =
                bytes[16] == 2
                ? .text(part, isFirst: flags & 1 != 0, isLast: isLast)
                : .file(
                    part,
                    isFirst: flags & 1 != 0,
                    isLast: isLast,
                    foreignKeys: flags & 2 != 0 ? flags & 4 != 0 : nil
                )
        case 4:
            guard length <= body.count / Self.valueSize else { return nil }
            kind = .values(
                (0..<length).map { index in
                    let start = index * Self.valueSize
                    let value = body[start..<(start + Self.valueSize)]
                    return Self.value(UnsafeRawBufferPointer(rebasing: value))
                }
            )
        case 5: kind = .close
        case 6: kind = .fork
        case 7: kind = .program
        case 8:
            guard (1...chunkSize).contains(length), length <= body.count else { return nil }
            kind = .copy(path: Array(body[..<(length - 1)]), version: Self.version(statement))
        case 10:
            guard (1...chunkSize).contains(length), length <= body.count else { return nil }
            kind = .packedValues(
                Array(body[..<(length - 1)]),
                isFirst: flags & 1 != 0,
                isLast: length < chunkSize
            )
        case 9:
            guard let reason = UnseenReason(rawValue: bytes[17]) else { return nil }
            kind = .unseen(reason)
        default: return nil
        }
    }

    /// Decodes the values of a statement from the library in a program, or returns an empty array if
    /// one of them is unknown.
    ///
    /// Each value is a byte with its kind and 8 bytes with its number or with its length. A text
    /// follows its length.
    static func values(packed bytes: [UInt8]) -> [StatementValue] {
        var values: [StatementValue] = []
        var rest = bytes[...]
        while rest.count >= 9, values.count < packedValueLimit {
            let kind = rest[rest.startIndex]
            let number = rest.dropFirst().prefix(8).reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            rest = rest.dropFirst(9)
            switch kind {
            case 0: values.append(.null)
            case 1: values.append(.integer(Int64(bitPattern: number)))
            case 2: values.append(.real(Double(bitPattern: number)))
            case 3 where number <= min(rest.count, valueText):
                values.append(.text(String(decoding: rest.prefix(Int(number)), as: UTF8.self)))
                rest = rest.dropFirst(Int(number))
            case 4: values.append(.blob(bytes: Int(min(number, UInt64(Int32.max)))))
            default: return []
            }
        }
        return rest.isEmpty ? values : []
    }

    /// Decodes a text in one of SQLite's encodings (`SQLITE_UTF8`, `SQLITE_UTF16LE`, and
    /// `SQLITE_UTF16BE`), without the part of a character at the end of a text that was cut.
    static func text(_ bytes: [UInt8], encoding: UInt8, isCut: Bool) -> String {
        guard encoding == 2 || encoding == 3 else {
            // If memory ends within 64 bytes, the probe reads up to the first zero.
            var bytes = bytes[...]
            while bytes.last == 0 { bytes.removeLast() }
            if isCut, let first = bytes.lastIndex(where: { $0 & 0xc0 != 0x80 }) {
                let size = [0xc0: 2, 0xe0: 3, 0xf0: 4].filter { bytes[first] >= $0.key }
                if bytes.endIndex - first < size.values.max() ?? 1 { bytes = bytes[..<first] }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        var units = (0..<(bytes.count / 2)).map { unit in
            let (first, second) = (UInt16(bytes[2 * unit]), UInt16(bytes[2 * unit + 1]))
            return encoding == 2 ? second << 8 | first : first << 8 | second
        }
        while units.last == 0 { units.removeLast() }
        if isCut, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        return String(decoding: units, as: UTF16.self)
    }

    /// Returns the text of a version number, such as `3.40.1` for 3,040,001.
    private static func version(_ number: UInt64) -> String {
        let number = min(number, 999_999_999)
        return "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> StatementValue {
        let number = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let flags = bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        let length = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        // The flags are MEM_Null, MEM_Str, MEM_Int, MEM_Real, and MEM_Blob in vdbeInt.h.
        if flags & 0x1 != 0 { return .null }
        if flags & 0x4 != 0 { return .integer(Int64(bitPattern: number)) }
        if flags & 0x8 != 0 { return .real(Double(bitPattern: number)) }
        if flags & 0x2 != 0 {
            let text = bytes[16..<(16 + min(length, valueText))]
            return .text(Self.text(Array(text), encoding: bytes[10], isCut: length > valueText))
        }
        return flags & 0x10 != 0 ? .blob(bytes: length) : .null
    }
}
