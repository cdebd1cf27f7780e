/// A writer that appends little-endian integers and bytes to a message.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a byte count, followed by at most 65,535 bytes.
    mutating func put(_ content: [UInt8]) {
        put(UInt16(min(content.count, Int(UInt16.max))))
        bytes.append(contentsOf: content.prefix(Int(UInt16.max)))
    }
}

/// A type that reads the output of a ``MessageWriter``.
///
/// Reading past the end returns `nil`.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func get<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        let length = Number.bitWidth / 8
        guard rest.count >= length else { return nil }
        var number: Number = 0
        for (index, byte) in rest.prefix(length).enumerated() {
            number |= Number(truncatingIfNeeded: byte) << (8 * Number(truncatingIfNeeded: index))
        }
        rest = rest.dropFirst(length)
        return number
    }

    mutating func getBytes() -> [UInt8]? {
        guard let count = get(UInt16.self), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }
}

/// A request from the watching process to its helper.
///
/// A request consists of an operation, a slot, a 16-bit length, and the content. A response
/// consists of a 32-bit length and the content.
enum HelperRequest: Equatable {
    /// Assigns a slot to the database at a path.
    case watch(slot: UInt8, path: [UInt8])
    /// Reads the headers of a slot's files and queries the write locks and, on request, the read
    /// locks.
    case sample(slot: UInt8, probesReaders: Bool)
    /// Samples the files of the first `slots` slots at the given times.
    ///
    /// Only the first sample queries the read locks, and only if `probesReaders` is `true`. The
    /// response is a ``SampleBatch``.
    case batch(slots: UInt8, probesReaders: Bool, moments: [Moment])
    /// Counts the new frames of a slot's log by table and index.
    case tables(slot: UInt8)

    /// A time at which to take a sample.
    struct Moment: Equatable {
        /// The time on the monotonic clock, in nanoseconds.
        var time: UInt64
        /// Whether to read `/proc/locks`.
        var readsList: Bool
    }

    /// The maximum number of sample times in a batch.
    static let momentLimit = 256

    /// The maximum length of a path, in bytes.
    static let pathLimit = 4096
    /// The maximum length of a response, in bytes.
    static let responseLimit = 1 << 24
    /// The number of bytes before a request's content.
    static let prefixLength = 4

    var bytes: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .watch(let slot, let path):
            writer.put(UInt8(1))
            writer.put(slot)
            writer.put(path)
        case .sample(let slot, let probesReaders):
            writer.put(UInt8(probesReaders ? 3 : 2))
            writer.put(slot)
            writer.put([])
        case .batch(let slots, let probesReaders, let moments):
            writer.put(UInt8(probesReaders ? 6 : 5))
            writer.put(slots)
            var content = MessageWriter()
            for moment in moments.prefix(Self.momentLimit) {
                content.put(moment.time)
                content.put(UInt8(moment.readsList ? 1 : 0))
            }
            writer.put(content.bytes)
        case .tables(let slot):
            writer.put(UInt8(4))
            writer.put(slot)
            writer.put([])
        }
        return writer.bytes
    }

    /// Parses a request from its prefix and content, or returns `nil` if it is malformed.
    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let operation = reader.get(UInt8.self), let slot = reader.get(UInt8.self),
            let content = reader.getBytes(), reader.isAtEnd, content.count <= Self.pathLimit
        else { return nil }
        switch operation {
        case 1: self = .watch(slot: slot, path: content)
        case 2: self = .sample(slot: slot, probesReaders: false)
        case 3: self = .sample(slot: slot, probesReaders: true)
        case 4: self = .tables(slot: slot)
        case 5, 6:
            var moments: [Moment] = []
            var rest = MessageReader(content)
            while let time = rest.get(UInt64.self), let readsList = rest.get(UInt8.self) {
                moments.append(Moment(time: time, readsList: readsList != 0))
            }
            guard rest.isAtEnd, moments.count <= Self.momentLimit else { return nil }
            self = .batch(slots: slot, probesReaders: operation == 6, moments: moments)
        default: return nil
        }
    }
}

/// A series of samples that the helper sends in one message so that the watching process wakes up
/// only once.
struct SampleBatch: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        /// The index of the scheduled sample time.
        ///
        /// If the helper skipped late samples before this one, this entry also represents those
        /// samples.
        var moment: Int
        /// The time on the monotonic clock, in nanoseconds.
        var time: UInt64
        /// The samples of the databases, by slot.
        var samples: [FileSample]
        /// The databases' locks in `/proc/locks`, or `nil` if the list was not read.
        var locks: [FileLock]?
    }

    var entries: [Entry] = []
    /// The helper's total processor time, in nanoseconds.
    var helperNanoseconds: UInt64 = 0
    /// The processor time for reading `/proc/locks` in this batch, in nanoseconds.
    var listNanoseconds: UInt64 = 0

    init(entries: [Entry]) { self.entries = entries }

    /// The encoded batch.
    ///
    /// If possible, a sample contains only the changes since the previous sample.
    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.put(helperNanoseconds)
        writer.put(listNanoseconds)
        var last: [FileSample] = []
        for entry in entries {
            writer.put(UInt16(entry.moment))
            writer.put(entry.time)
            writer.put(UInt8(entry.samples.count))
            for (slot, sample) in entry.samples.enumerated() {
                let update = last.indices.contains(slot) ? sample.update(from: last[slot]) : nil
                writer.put(UInt8(update == nil ? 0 : 1))
                writer.put(update?.bytes ?? sample.bytes)
            }
            last = entry.samples
            // 0 means that there is no list.
            writer.put(UInt32(entry.locks.map { $0.count + 1 } ?? 0))
            for lock in entry.locks ?? [] { lock.write(to: &writer) }
        }
        return writer.bytes
    }

    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let used = reader.get(UInt64.self), let listUsed = reader.get(UInt64.self) else {
            return nil
        }
        helperNanoseconds = used
        listNanoseconds = listUsed
        while !reader.isAtEnd {
            guard let moment = reader.get(UInt16.self), let time = reader.get(UInt64.self),
                let count = reader.get(UInt8.self)
            else { return nil }
            var samples: [FileSample] = []
            for slot in 0..<Int(count) {
                guard let kind = reader.get(UInt8.self), let bytes = reader.getBytes() else {
                    return nil
                }
                let last = entries.last?.samples ?? []
                let sample =
                    if kind == 0 {
                        FileSample(bytes)
                    } else if last.indices.contains(slot) {
                        FileSample.Update(bytes).map(last[slot].updated)
                    } else {
                        FileSample?.none
                    }
                guard let sample else { return nil }
                samples.append(sample)
            }
            if let last = entries.last, last.moment >= moment { return nil }
            var entry = Entry(moment: Int(moment), time: time, samples: samples)
            guard let locks = reader.get(UInt32.self) else { return nil }
            if locks > 0 {
                var list: [FileLock] = []
                for _ in 1..<locks {
                    guard let lock = FileLock(&reader) else { return nil }
                    list.append(lock)
                }
                entry.locks = list
            }
            entries.append(entry)
        }
    }
}

extension FileLock {
    fileprivate func write(to writer: inout MessageWriter) {
        writer.put(process)
        writer.put(UInt8(isWrite ? 1 : 0))
        writer.put(file.device.major)
        writer.put(file.device.minor)
        writer.put(file.inode)
        writer.put(bytes.lowerBound)
        writer.put(bytes.upperBound)
    }

    fileprivate init?(_ reader: inout MessageReader) {
        guard let process = reader.get(Int32.self), let isWrite = reader.get(UInt8.self),
            let major = reader.get(UInt32.self), let minor = reader.get(UInt32.self),
            let inode = reader.get(UInt64.self), let first = reader.get(UInt64.self),
            let last = reader.get(UInt64.self), first <= last
        else { return nil }
        self.init(
            process: process,
            isWrite: isWrite != 0,
            file: FileIdentity(
                device: FileIdentity.Device(major: major, minor: minor),
                inode: inode
            ),
            bytes: first...last
        )
    }
}
