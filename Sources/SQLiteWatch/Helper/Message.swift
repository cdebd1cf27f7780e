/// Appends integers and bytes to a message, least significant byte first.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends at most 65,535 bytes, after their count.
    mutating func put(_ content: [UInt8]) {
        put(UInt16(min(content.count, Int(UInt16.max))))
        bytes.append(contentsOf: content.prefix(Int(UInt16.max)))
    }
}

/// Reads what a ``MessageWriter`` wrote; nil beyond the end.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all was read.
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

/// What the watching process asks its helper for.
///
/// A request is an operation, a slot and a length of 16 bits, then its content. An answer is a
/// length of 32 bits, then its content.
enum HelperRequest: Equatable {
    /// Use a slot for a database at a path, given as bytes.
    case watch(slot: UInt8, path: [UInt8])
    /// Read the headers of a slot's files and query the locks to write, and those to read where
    /// that is asked for.
    case sample(slot: UInt8, probesReaders: Bool)
    /// Sample the files of the first slots, as ``sample(slot:probesReaders:)`` does, at moments of
    /// the monotonic clock; the locks to read are queried at the first one. A ``SampleBatch``
    /// answers.
    case batch(slots: UInt8, probesReaders: Bool, moments: [UInt64])
    /// Count the frames that a slot's log has gained, by table and index.
    case tables(slot: UInt8)

    /// The most moments of one batch.
    static let momentLimit = 256

    /// The longest path, in bytes.
    static let pathLimit = 4096
    /// The longest answer, in bytes.
    static let answerLimit = 1 << 20
    /// The bytes before a request's content.
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
            for moment in moments.prefix(Self.momentLimit) { content.put(moment) }
            writer.put(content.bytes)
        case .tables(let slot):
            writer.put(UInt8(4))
            writer.put(slot)
            writer.put([])
        }
        return writer.bytes
    }

    /// The request of a prefix and its content; nil when it is none.
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
            var moments: [UInt64] = []
            var rest = MessageReader(content)
            while let moment = rest.get(UInt64.self) { moments.append(moment) }
            guard rest.isAtEnd, moments.count <= Self.momentLimit else { return nil }
            self = .batch(slots: slot, probesReaders: operation == 6, moments: moments)
        default: return nil
        }
    }
}
