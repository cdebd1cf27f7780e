/// Encodes values as bytes, with little-endian numbers.
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

    mutating func add(_ text: String?) {
        add(UInt8(text == nil ? 0 : 1))
        if let text { add(text) }
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

    mutating func add(_ failure: WorkloadFailure) {
        switch failure {
        case .interrupted: add(UInt8(0))
        case .busy(let code):
            add(UInt8(1))
            add(code)
        case .error(let code):
            add(UInt8(2))
            add(code)
        }
    }

    mutating func add(_ arm: Arm) {
        add(arm.name)
        add(arm.kind.rawValue)
        add(arm.library.rawValue)
        add(UInt64(arm.readers ?? 0))
        add(arm.journal?.rawValue)
        add(arm.synchronous)
        add(UInt64(arm.pragmas.count))
        for pragma in arm.pragmas {
            add(pragma.name)
            add(pragma.value)
        }
        add(arm.begin?.rawValue)
        add(UInt8(arm.busyTimeout == nil ? 0 : 1))
        if let timeout = arm.busyTimeout { add(timeout.wholeNanoseconds) }
        add(UInt8(arm.isGuarded ? 1 : 0))
        switch arm.busyRetry {
        case nil: add(UInt8(0))
        case .backoff?: add(UInt8(1))
        case .fixed(let pause)?:
            add(UInt8(2))
            add(pause.wholeNanoseconds)
        }
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

    mutating func optionalText() throws -> String? { try byte() == 0 ? nil : try text() }

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

    mutating func failure() throws -> WorkloadFailure {
        switch try byte() {
        case 0: .interrupted
        case 1: .busy(try text())
        case 2: .error(try text())
        default: throw Malformed()
        }
    }

    mutating func arm() throws -> Arm {
        let name = try text()
        guard let kind = Arm.Kind(rawValue: try text()),
            let library = Arm.Library(rawValue: try text())
        else { throw Malformed() }
        var arm = Arm(name: name, kind: kind, library: library)
        let readers = try length()
        arm.readers = readers > 0 ? readers : nil
        arm.journal = try optionalText().flatMap(Arm.Journal.init(rawValue:))
        arm.synchronous = try optionalText()
        let pragmas = try length()
        for _ in 0..<pragmas {
            arm.pragmas.append(Arm.Pragma(name: try text(), value: try text()))
        }
        arm.begin = try optionalText().flatMap(Arm.Begin.init(rawValue:))
        if try byte() != 0 {
            arm.busyTimeout = .nanoseconds(Int64(clamping: try number()))
        }
        arm.isGuarded = try byte() != 0
        switch try byte() {
        case 0: break
        case 1: arm.busyRetry = .backoff
        case 2: arm.busyRetry = .fixed(.nanoseconds(Int64(clamping: try number())))
        default: throw Malformed()
        }
        return arm
    }
}
