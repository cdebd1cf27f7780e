import Foundation
import SQLText
import Scenarios
import Text

/// The set-up of a driver, which the run writes as the first line of the driver's input
/// (`poolgauge.driver/1`, specified in `docs/Drivers.md`).
struct DriverSetup: Codable, Equatable {
    static let format = "poolgauge.driver/1"

    var format = Self.format
    /// The absolute path of the database.
    var database: String
    /// The number of connections, or `nil` for the driver's default.
    var readers: Int?
    /// The statements to run on each new connection, in order.
    var pragmas: [String]
    /// The busy timeout in milliseconds, or `nil` for the driver's default.
    var busyTimeout: Int64?
    /// The constant pause between attempts to acquire a lock in milliseconds, or `nil` for the
    /// driver's default.
    var busyPause: Double?
    /// The statement that starts a write transaction.
    var begin: String
    var options: [String: String]
    /// The accesses, whose indices identify them.
    var accesses: [Access]

    struct Access: Codable, Equatable {
        /// `read` or `write` in a transaction, or `plain` without a transaction.
        var kind: String
        var statements: [Statement]
    }

    struct Statement: Codable, Equatable {
        var sql: String
        /// The number of `?` parameters.
        var parameters: Int
    }

    init(_ arm: Arm, at path: String, accesses: [Access]) {
        database = path
        readers = arm.readers
        var pragmas = [
            "PRAGMA journal_mode = \(arm.isWAL ? "wal" : arm.journal?.rawValue ?? "delete")"
        ]
        if let synchronous = arm.synchronous {
            pragmas.append("PRAGMA synchronous = \(synchronous)")
        }
        pragmas += arm.pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        self.pragmas = pragmas
        busyTimeout = arm.busyTimeout.map { Int64($0.wholeNanoseconds / 1_000_000) }
        if case .fixed(let pause)? = arm.busyRetry {
            busyPause = Double(pause.wholeNanoseconds) / 1_000_000
        }
        begin = (arm.begin ?? .immediate).sql
        options = arm.driver?.options ?? [:]
        self.accesses = accesses
    }
}

/// A driver's answer to its set-up.
struct DriverGreeting: Codable {
    /// Whether the driver can start, or `nil` if it reports an error.
    var ready: Bool?
    var error: String?
    /// The versions of the driver, such as `Python 3.11.2`.
    var runtime: String?
    /// The version of SQLite that the driver uses.
    var sqlite: String?
}

/// A request for connections to a socket, one for each worker.
struct DriverLaneRequest: Codable {
    var lanes: Int
    var socket: String
}

extension DriverSetup.Access {
    /// The kind of access, or `nil` if it is unknown.
    var access: WorkloadAccess? {
        switch kind {
        case "read": .read
        case "write": .write
        case "plain": .writeWithoutTransaction
        default: nil
        }
    }

    /// Describes an operation, with a `?` for each occurrence of a parameter.
    ///
    /// Not every driver can bind a list of values to named parameters.
    init(_ access: WorkloadAccess, _ statements: [String]) {
        switch access {
        case .read, .snapshot: kind = "read"
        case .write: kind = "write"
        case .writeWithoutTransaction: kind = "plain"
        }
        self.statements = statements.map { sql in
            let positions = DriverParameters(of: sql)
            return .init(sql: positions.sql, parameters: positions.order.count)
        }
    }
}

/// The parameters of a statement, each occurrence of which has its own value.
struct DriverParameters: Sendable, Equatable {
    /// The statement with `?` parameters.
    let sql: String
    /// The index of each occurrence's value among the names in order of first appearance.
    let order: [Int]

    init(of sql: String) {
        var bytes = Array(sql.utf8)
        var names: [String] = []
        var order: [Int] = []
        var ranges: [Range<Int>] = []
        let tokens = SQLToken.significant(in: sql)
        for (index, token) in tokens.enumerated()
        where token.kind == .variable && token.text.hasPrefix(":") {
            // `StatementTemplate` also leaves out PostgreSQL's casts.
            if index > 0, tokens[index - 1].text == ":", !token.followsSpace { continue }
            if !names.contains(token.text) { names.append(token.text) }
            order.append(names.firstIndex(of: token.text) ?? 0)
            ranges.append(token.range)
        }
        for range in ranges.reversed() {
            bytes.replaceSubrange(range, with: CollectionOfOne(UInt8(ascii: "?")))
        }
        self.sql = String(decoding: bytes, as: UTF8.self)
        self.order = order
    }
}

/// A line of accesses for a driver: `[[access,value,…],…]`.
struct DriverLine {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "[")]
    private(set) var count = 0

    /// The access that has no statements.
    static let echo = -1

    mutating func begin(_ access: Int) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "["))
        append(Int64(access))
        count += 1
    }

    mutating func end() { bytes.append(UInt8(ascii: "]")) }

    /// Adds the values of a statement's parameters.
    mutating func add(_ values: [WorkloadValue], in order: [Int]) {
        for index in order {
            bytes.append(UInt8(ascii: ","))
            append(values[index])
        }
    }

    /// Returns the line, and clears it for the next one.
    mutating func take() -> [UInt8] {
        bytes.append(UInt8(ascii: "]"))
        bytes.append(UInt8(ascii: "\n"))
        defer {
            bytes = [UInt8(ascii: "[")]
            count = 0
        }
        return bytes
    }

    private mutating func append(_ value: WorkloadValue) {
        switch value {
        case .null: append("null")
        case .integer(let integer):
            // JavaScript represents larger integers only approximately.
            if abs(integer.clampedMagnitude) < 1 << 53 {
                append(integer)
            } else {
                append("{\"i\":\"\(integer)\"}")
            }
        case .real(let real):
            if real.isNaN {
                append("null")
            } else if real.isInfinite {
                append(real < 0 ? "-9e999" : "9e999")
            } else {
                append("\(real)")
            }
        case .text(let text): Escaping.appendJSONString(text, to: &bytes)
        case .blob(let blob):
            append("{\"b\":\"")
            for byte in blob {
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
            append("\"}")
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(_ integer: Int64) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = integer.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}

extension Int64 {
    fileprivate var clampedMagnitude: Int64 { self == .min ? .max : Swift.abs(self) }
}

/// The driver's times of an access and its result.
struct DriverAnswer: Equatable {
    /// The time until the access had a connection, in nanoseconds.
    var wait: UInt64
    /// The time from then until the end of the access, in nanoseconds.
    var service: UInt64
    /// The code and the message of the failure, or `nil` if the access succeeded.
    var failure: (code: String, message: String)?

    static func == (left: Self, right: Self) -> Bool {
        left.wait == right.wait && left.service == right.service
            && left.failure?.code == right.failure?.code
            && left.failure?.message == right.failure?.message
    }

    /// Parses a driver's answers: `[wait,service,result,…]`.
    ///
    /// - Parameters:
    ///   - line: The line, without its line feed.
    ///   - count: The number of accesses to which the line answers.
    /// - Returns: The answers, in order.
    /// - Throws: ``Malformed``.
    static func parse(_ line: some Sequence<UInt8>, count: Int) throws -> [DriverAnswer] {
        var reader = Reader(bytes: Array(line))
        var answers: [DriverAnswer] = []
        answers.reserveCapacity(count)
        try reader.expect(UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { try reader.expect(UInt8(ascii: ",")) }
            let wait = try reader.number()
            try reader.expect(UInt8(ascii: ","))
            let service = try reader.number()
            try reader.expect(UInt8(ascii: ","))
            answers.append(
                DriverAnswer(wait: wait, service: service, failure: try reader.result())
            )
        }
        try reader.expect(UInt8(ascii: "]"))
        guard reader.isAtEnd else { throw Malformed(problem: "it contains too many answers") }
        return answers
    }

    struct Malformed: Error, Equatable {
        let problem: String
    }

    private struct Reader {
        let bytes: [UInt8]
        private var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return position == bytes.count
            }
        }

        private mutating func skipSpace() {
            while position < bytes.count, [0x20, 0x09, 0x0D].contains(bytes[position]) {
                position += 1
            }
        }

        mutating func expect(_ byte: UInt8) throws {
            skipSpace()
            guard position < bytes.count, bytes[position] == byte else {
                let name = String(decoding: CollectionOfOne(byte), as: UTF8.self)
                throw Malformed(problem: "byte \(position + 1) is not '\(name)'")
            }
            position += 1
        }

        /// The longest time of an access, which is longer than any run.
        private static let longest: UInt64 = 1 << 60

        mutating func number() throws -> UInt64 {
            skipSpace()
            let start = position
            var value: UInt64 = 0
            while position < bytes.count, case let digit = bytes[position] &- 48, digit < 10 {
                value = value &* 10 &+ UInt64(digit)
                guard value < Self.longest else {
                    throw Malformed(problem: "byte \(start + 1) starts an excessive number")
                }
                position += 1
            }
            guard position > start else {
                throw Malformed(problem: "byte \(start + 1) does not start a time or a count")
            }
            return value
        }

        /// Reads the number of rows, or the code and the message of a failure.
        mutating func result() throws -> (code: String, message: String)? {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                _ = try number()
                return nil
            }
            let start = position
            position += 1
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard position < bytes.count else { throw Malformed(problem: "a text has no end") }
            position += 1
            let json = Data("[".utf8) + bytes[start..<position] + Data("]".utf8)
            guard let text = try? JSONDecoder().decode([String].self, from: json).first else {
                throw Malformed(problem: "byte \(start + 1) starts an invalid text")
            }
            let parts = text.split(separator: " ", maxSplits: 1)
            let word = parts.first.map(String.init) ?? ""
            let isName =
                !word.isEmpty && word.utf8.count <= 64
                && word.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                        || $0 == UInt8(ascii: "_")
                }
            guard isName else {
                throw Malformed(problem: "a failure does not start with the name of its code")
            }
            let message = parts.count > 1 ? String(parts[1].prefix(1000)) : ""
            return (Int(word).map(Self.name(ofCode:)) ?? word, message)
        }

        /// Returns the name of SQLite's code, with the reason of a busy database
        /// (<https://sqlite.org/rescode.html>).
        private static func name(ofCode code: Int) -> String {
            switch code {
            case 261: "SQLITE_BUSY_RECOVERY"
            case 517: "SQLITE_BUSY_SNAPSHOT"
            case 773: "SQLITE_BUSY_TIMEOUT"
            default: names[code & 0xFF].map { "SQLITE_" + $0 } ?? "SQLITE_\(code)"
            }
        }

        private static let names: [Int: String] = [
            1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM",
            8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL",
            14: "CANTOPEN", 15: "PROTOCOL", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT",
            20: "MISMATCH", 21: "MISUSE", 23: "AUTH", 25: "RANGE", 26: "NOTADB",
        ]
    }
}
