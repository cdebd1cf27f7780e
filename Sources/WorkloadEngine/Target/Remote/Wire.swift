import Foundation

/// A writer that encodes values as bytes, with little-endian numbers.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ values: [WorkloadValue]) {
        add(UInt64(values.count))
        for value in values { add(value) }
    }

    private mutating func add(_ value: WorkloadValue) {
        switch value {
        case .null: add(UInt8(0))
        case .integer(let integer):
            add(UInt8(1))
            add(UInt64(bitPattern: integer))
        case .real(let real):
            add(UInt8(2))
            add(real.bitPattern)
        case .text(let text):
            add(UInt8(3))
            add(text)
        case .blob(let blob):
            add(UInt8(4))
            add(UInt64(blob.count))
            bytes.append(contentsOf: blob)
        }
    }

    /// Adds a value as JSON.
    ///
    /// JSON is slower but needs no separate encoding for each type.
    mutating func add(json value: some Encodable) throws {
        let data = try JSONEncoder().encode(value)
        add(UInt64(data.count))
        bytes.append(contentsOf: data)
    }
}

struct WireReader {
    struct Malformed: Error, CustomStringConvertible {
        let description = "the other process sent an invalid message"
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func byte() throws -> UInt8 {
        guard let byte = try take(1).first else { throw Malformed() }
        return byte
    }

    mutating func number() throws -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func length() throws -> Int {
        guard let length = Int(exactly: try number()) else { throw Malformed() }
        return length
    }

    mutating func text() throws -> String { String(decoding: try take(length()), as: UTF8.self) }

    mutating func values() throws -> [WorkloadValue] {
        let count = try length()
        // Each value occupies at least one byte.
        guard count <= bytes.count - position else { throw Malformed() }
        return try (0..<count).map { _ in try value() }
    }

    private mutating func value() throws -> WorkloadValue {
        switch try byte() {
        case 0: .null
        case 1: .integer(Int64(bitPattern: try number()))
        case 2: .real(Double(bitPattern: try number()))
        case 3: .text(try text())
        case 4: .blob(Array(try take(length())))
        default: throw Malformed()
        }
    }

    /// Returns a value that ``WireWriter/add(json:)`` added.
    mutating func json<Value: Decodable>() throws -> Value {
        let data = Data(try take(length()))
        guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
            throw Malformed()
        }
        return value
    }
}
