import Foundation

/// A parser for text in the formats of ``DatabaseDateComponents/Format``.
struct DateTextParser {
    private var bytes: UnsafeBufferPointer<UInt8>.SubSequence
    private var components = DateComponents()

    /// Parses a date, a time, or both, or returns `nil` for any other text.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> DatabaseDateComponents? {
        var parser = DateTextParser(bytes: bytes[...])
        guard let format = parser.parseFormat(), parser.bytes.isEmpty else { return nil }
        return DatabaseDateComponents(parser.components, format: format)
    }

    private init(bytes: UnsafeBufferPointer<UInt8>.SubSequence) {
        self.bytes = bytes
    }

    private mutating func parseFormat() -> DatabaseDateComponents.Format? {
        let isDate = bytes.count > 4 && bytes[bytes.startIndex + 4] == UInt8(ascii: "-")
        guard isDate else { return parseTime() }
        guard let year = readNumber(4), skip("-"), let month = readNumber(2), skip("-"),
            let day = readNumber(2)
        else { return nil }
        components.year = year
        components.month = month
        components.day = day
        if bytes.isEmpty { return .YMD }
        guard skip(" ") || skip("T") else { return nil }
        return switch parseTime() {
        case .HM: .YMD_HM
        case .HMS: .YMD_HMS
        case .HMSS: .YMD_HMSS
        default: nil
        }
    }

    private mutating func parseTime() -> DatabaseDateComponents.Format? {
        guard let hour = readNumber(2), skip(":"), let minute = readNumber(2) else { return nil }
        components.hour = hour
        components.minute = minute
        if endsWithZone() { return .HM }
        guard skip(":"), let second = readNumber(2) else { return nil }
        components.second = second
        if endsWithZone() { return .HMS }
        guard skip("."), var digit = readDigit() else { return nil }
        // The first three digits are milliseconds. Ignore all other digits.
        var unit = 100_000_000
        var nanosecond = 0
        while true {
            if unit >= 1_000_000 { nanosecond += digit * unit }
            unit /= 10
            guard let next = self.readDigit() else { break }
            digit = next
        }
        components.nanosecond = nanosecond
        return endsWithZone() ? .HMSS : nil
    }

    /// Reads an optional time zone.
    ///
    /// - Returns: Whether the end of the text follows.
    private mutating func endsWithZone() -> Bool {
        if bytes.isEmpty { return true }
        if skip("Z") {
            components.timeZone = TimeZone(secondsFromGMT: 0)
            return bytes.isEmpty
        }
        let start = bytes
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = readNumber(2), skip(":"), let minutes = readNumber(2) else {
            bytes = start
            return false
        }
        components.timeZone = TimeZone(secondsFromGMT: sign * (hours * 3600 + minutes * 60))
        return bytes.isEmpty
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func readDigit() -> Int? {
        guard let byte = bytes.first, (0x30...0x39).contains(byte) else { return nil }
        bytes.removeFirst()
        return Int(byte) - 0x30
    }

    private mutating func readNumber(_ digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = readDigit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
