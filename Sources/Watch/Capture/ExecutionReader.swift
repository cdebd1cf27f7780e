import Foundation
import SQLText
import Scenarios

/// A type that reads executions from JSON Lines.
///
/// Each line contains one object, such as
/// `{"time": 12.5, "sql": "SELECT 1", "seconds": 0.0002}`.
package struct ExecutionReader {
    private let file: String
    /// The end time of each connection's last execution, in seconds.
    private var lastEnds: [String: Double] = [:]

    /// Creates a reader.
    ///
    /// - Parameter file: The file's name, for messages.
    package init(file: String) { self.file = file }

    /// Returns the executions in a file, ordered by end time.
    ///
    /// - Throws: ``CaptureError`` for the first invalid line, or if the file contains no
    ///   executions.
    package static func executions(
        of data: Data,
        file: String
    ) throws(CaptureError) -> [CapturedExecution] {
        var reader = ExecutionReader(file: file)
        var executions: [CapturedExecution] = []
        var number = 0
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { !(9...32).contains($0) }) else { continue }
            executions.append(try reader.execution(of: Data(line), number: number))
        }
        if executions.isEmpty {
            throw CaptureError(
                "the file contains no statements; write one JSON object per line, such as "
                    + #"{"time": 12.5, "sql": "SELECT 1"}"#,
                file: file
            )
        }
        // Lines from different connections may be interleaved, but each connection's lines are in
        // order.
        return executions.enumerated()
            .sorted { ($0.element.end, $0.offset) < ($1.element.end, $1.offset) }
            .map(\.element)
    }

    private mutating func execution(
        of line: Data,
        number: Int
    ) throws(CaptureError) -> CapturedExecution {
        func failure(_ message: String) -> CaptureError {
            CaptureError(message, file: file, line: number)
        }
        guard let parsed = try? JSONSerialization.jsonObject(with: line) else {
            throw failure(
                "this is not JSON; write one object per line, without commas between lines"
            )
        }
        guard let object = parsed as? [String: Any] else {
            throw failure(#"this is not an object, such as {"time": 12.5, "sql": "SELECT 1"}"#)
        }
        guard let sql = object["sql"] as? String else {
            throw failure(
                object["sql"] == nil
                    ? "'sql' is missing; write the statement's text"
                    : "'sql' must be the statement's text, in quotation marks"
            )
        }
        let seconds = try nonnegativeNumber("seconds", in: object, line: number)
        let end: Double
        if let time = try time("time", in: object, number: number) {
            end = time
        } else if let start = try time("start", in: object, number: number) {
            end = start + (seconds ?? 0)
        } else {
            throw failure(
                "'time' is missing; specify the time at which the statement ended, in seconds, or "
                    + "specify 'start' instead"
            )
        }
        var execution = CapturedExecution(end: end, sql: sql, seconds: seconds, line: number)
        execution.process =
            try nonnegativeNumber("pid", in: object, line: number).map { Int($0) } ?? 0
        execution.connection = object["connection"].map { "\($0)" } ?? "1"
        execution.code = try code(object["code"], line: number)
        execution.autocommit = object["autocommit"] as? Bool
        execution.rows = try nonnegativeNumber("rows", in: object, line: number).map { Int($0) }
        if let values = object["values"] {
            guard let list = values as? [Any] else {
                throw failure("'values' must be a list of values in parameter order")
            }
            execution.values = list.map(Self.value)
        }
        try checkOrder(of: execution, number)
        return execution
    }

    private mutating func checkOrder(
        of execution: CapturedExecution,
        _ number: Int
    ) throws(CaptureError) {
        let name = execution.connectionName
        // Tolerate clock readings that are out of order by up to 0.1 ms.
        if let last = lastEnds[name], execution.end < last - 0.000_1 {
            throw CaptureError(
                "the time \(execution.end) of connection \(execution.connection) is before "
                    + "\(last), the time of its previous line; write each connection's lines in "
                    + "the order in which the statements ended, and use a monotonic clock",
                file: file,
                line: number
            )
        }
        lastEnds[name] = max(execution.end, lastEnds[name] ?? execution.end)
    }

    private func time(
        _ key: String,
        in object: [String: Any],
        number: Int
    ) throws(CaptureError) -> Double? {
        if let text = object[key] as? String {
            if let seconds = Self.seconds(ofDate: text) { return seconds }
            throw CaptureError(
                "'\(key)' is '\(text)'; write seconds, or a date such as 2026-01-31T12:00:00.25Z",
                file: file,
                line: number
            )
        }
        return try nonnegativeNumber(key, in: object, line: number)
    }

    private func nonnegativeNumber(
        _ key: String,
        in object: [String: Any],
        line: Int
    ) throws(CaptureError) -> Double? {
        guard let value = object[key], !(value is NSNull) else { return nil }
        guard let number = (value as? NSNumber)?.doubleValue, number.isFinite, number >= 0,
            number < 1e15
        else {
            throw CaptureError(
                "'\(key)' must be a nonnegative number",
                file: file,
                line: line
            )
        }
        return number
    }

    private func code(_ value: Any?, line: Int) throws(CaptureError) -> Int {
        if let number = value as? NSNumber { return number.intValue }
        guard let name = value as? String else { return 0 }
        if let code = Self.codes[name.uppercased()] { return code }
        // The name of an extended code starts with the name of its primary code.
        if let code = Self.codes.first(where: { name.uppercased().hasPrefix($0.key + "_") }) {
            return code.value
        }
        throw CaptureError(
            "'code' is '\(name)'; write a number, or a name such as SQLITE_BUSY",
            file: file,
            line: line
        )
    }

    private static let codes: [String: Int] = [
        "SQLITE_OK": 0, "SQLITE_ERROR": 1, "SQLITE_INTERNAL": 2, "SQLITE_PERM": 3,
        "SQLITE_ABORT": 4, "SQLITE_BUSY": 5, "SQLITE_LOCKED": 6, "SQLITE_NOMEM": 7,
        "SQLITE_READONLY": 8, "SQLITE_INTERRUPT": 9, "SQLITE_IOERR": 10, "SQLITE_CORRUPT": 11,
        "SQLITE_FULL": 13, "SQLITE_CANTOPEN": 14, "SQLITE_SCHEMA": 17, "SQLITE_CONSTRAINT": 19,
        "SQLITE_MISMATCH": 20, "SQLITE_MISUSE": 21, "SQLITE_AUTH": 23, "SQLITE_RANGE": 25,
        "SQLITE_NOTADB": 26, "SQLITE_ROW": 100, "SQLITE_DONE": 101,
    ]

    /// Parses an ISO 8601 date with fractional seconds into seconds since 1970.
    ///
    /// The date is in UTC unless it includes a time zone.
    private static func seconds(ofDate text: String) -> Double? {
        let pattern = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d+)?(Z|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        let zone = match.4.map(String.init) ?? "Z"
        guard
            let date = try? Date(
                "\(match.1)T\(match.2)\(zone)",
                strategy: Date.ISO8601FormatStyle()
            )
        else { return nil }
        let fraction = match.3.flatMap { Double("0." + $0.dropFirst()) } ?? 0
        return date.timeIntervalSince1970 + fraction
    }

    /// Converts a parameter's value.
    ///
    /// An object such as `{"blob": "AQID"}` represents a blob, encoded as Base64.
    private static func value(_ json: Any) -> WorkloadValue {
        switch json {
        case let text as String: return .text(text)
        case let number as NSNumber:
            // A JSON number without a fraction is an integer.
            let type = String(cString: number.objCType)
            if type == "d" || type == "f" {
                let real = number.doubleValue
                return .real(real)
            }
            return .integer(number.int64Value)
        case let object as [String: Any]:
            let bytes = (object["blob"] as? String).flatMap { Data(base64Encoded: $0) }
            return bytes.map { .blob(Array($0)) } ?? .null
        default: return .null
        }
    }
}

/// An error in the input of a capture, with its position and a remedy.
package struct CaptureError: Error, Equatable, CustomStringConvertible {
    /// The file's name as specified, or `nil` for a live trace.
    package var file: String?
    /// The line number, starting at 1, or `nil` if the error concerns the whole input.
    package var line: Int?
    package var message: String

    package init(_ message: String, file: String? = nil, line: Int? = nil) {
        self.message = message
        self.file = file
        self.line = line
    }

    package var description: String {
        let location = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return location.isEmpty ? message : "\(location): \(message)"
    }
}

/// A type that recognizes PRAGMA statements with settings that a scenario can reproduce.
enum PragmaSetting {
    /// The per-connection pragmas whose values are numbers or words that are not secret.
    static let repeatable: Set = [
        "busy_timeout", "cache_size", "cache_spill", "case_sensitive_like", "foreign_keys",
        "journal_mode", "journal_size_limit", "locking_mode", "mmap_size", "query_only",
        "read_uncommitted", "recursive_triggers", "synchronous", "temp_store", "threads",
        "wal_autocheckpoint",
    ]

    /// The pragmas that have an effect only on connections that write.
    static let settingsOfWrites: Set = [
        "cache_spill", "foreign_keys", "journal_size_limit", "synchronous", "wal_autocheckpoint",
    ]

    /// Returns the setting of `PRAGMA name = value` or `PRAGMA name(value)`, or an empty dictionary
    /// for other statements and for pragmas that are not copied to the scenario, such as `key`.
    static func setting(in sql: String) -> [String: String] {
        guard let pragma = SQLPragma(sql), repeatable.contains(pragma.name),
            let value = pragma.value?.lowercased(), value.unicodeScalars.allSatisfy(isPlain)
        else { return [:] }
        return [pragma.name: value]
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
            || "-._".unicodeScalars.contains(scalar)
    }
}
