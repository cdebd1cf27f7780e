import Foundation

/// Replacements of values in a valid JSON text.
///
/// Nearly all mutations of JSON text are syntax errors. An input that begins with an opening brace
/// is JSON text. Any other input is a list of replacements: the position of a number or string, and
/// its new value.
struct JSONEdits: Sendable {
    private let pieces: [String]
    private let positions: [Int]

    private static let numbers = [
        "0", "1", "-1", "0.5", "1e308", "-1e308", "1e-308", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615", "4294967295",
        "4294967296", "65536", "1e19", "null", "[]", "{}", "true", "\"\"", "1000000000000",
    ]
    private static let texts = [
        "\"\"", "\"\\u001b]0;x\\u0007\"", "\"\\u202e\\u0301\"", "\"\u{1F469}\u{200D}\u{1F467}\"",
        "\"pool\"", "\"queue\"", "\"read\"", "\"wal\"", "\"*\"", "null", "0", "-1", "[]",
        "\"99999-01-01T00:00:00.000Z\"", "\"0000-00-00T00:00:00.000Z\"",
        "\"-271821-04-20T00:00:00.000Z\"", "\"2026-11-22T12:00:00.000Z\"", "\"poisson\"",
        "\"even\"", "\"engine\"",
    ]

    /// The maximum number of replacements.
    private static let limit = 64

    /// Splits a text into values and the text between them.
    init(_ text: String) {
        var pieces: [String] = []
        var positions: [Int] = []
        var rest = Array(text.utf8)[...]
        func isNumber(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        while let first = rest.first {
            var end = rest.startIndex + 1
            let isText = first == 0x22
            if isText {
                while end < rest.endIndex, rest[end] != 0x22 {
                    end += rest[end] == 0x5C ? 2 : 1
                }
                end = min(end + 1, rest.endIndex)
            } else if isNumber(first) {
                while end < rest.endIndex, isNumber(rest[end]) { end += 1 }
            } else {
                while end < rest.endIndex, rest[end] != 0x22, !isNumber(rest[end]) { end += 1 }
            }
            let isKey = rest[end...].first { $0 != 0x20 } == 0x3A
            if isText && !isKey || isNumber(first) { positions.append(pieces.count) }
            pieces.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
            rest = rest[end...]
        }
        self.pieces = pieces
        self.positions = positions
    }

    /// The inputs that each replace one number with an extreme number.
    var extremeInputs: [[UInt8]] {
        let extremes = [
            "-1", "-9223372036854775808", "9223372036854775807", "18446744073709551615", "1e308",
        ]
        let choices = extremes.compactMap { Self.numbers.firstIndex(of: $0) }
        return positions.indices.filter { !pieces[positions[$0]].hasPrefix("\"") }.flatMap {
            index in
            choices.map { [UInt8(index >> 8), UInt8(index & 0xFF), UInt8($0)] }
        }
    }

    /// Returns the text after applying an input's replacements.
    func text(_ input: [UInt8]) -> [UInt8] {
        if input.first == 0x7B { return input }
        var reader = InputReader(input)
        var pieces = pieces
        for _ in 0..<Self.limit where !reader.isAtEnd && !positions.isEmpty {
            let position = positions[Int(reader.number(bytes: 2)) % positions.count]
            let isText = pieces[position].hasPrefix("\"")
            let choice = Int(reader.byte())
            let values = isText ? Self.texts : Self.numbers
            pieces[position] =
                choice < 2 * values.count
                ? values[choice % values.count]
                : isText ? pieces[positions[choice % positions.count]] : "\(reader.extreme())"
        }
        return pieces.flatMap { Array($0.utf8) }
    }
}
