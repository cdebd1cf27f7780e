/// The escape sequence that copies text to the user's clipboard.
///
/// OSC 52 (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>) sends the text as Base64,
/// which contains no control characters. tmux forwards it with `set -g set-clipboard on`.
enum ClipboardSequence {
    /// The maximum length of the text, in bytes.
    ///
    /// xterm rejects sequences with 100,000 or more Base64 characters. Other terminals have lower
    /// limits.
    static let maximumLength = 48_000

    /// Returns the sequence for `text`, or `nil` if the text is longer than ``maximumLength``.
    static func bytes(for text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength else { return nil }
        return Array("\u{1B}]52;c;".utf8) + base64(bytes) + [0x07]
    }

    /// Encodes bytes as Base64 (RFC 4648, section 4).
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padding = UInt8(ascii: "=")
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for index in 0..<4 {
                let digit = digits[bits >> (18 - 6 * index) & 63]
                text.append(index <= group.count ? digit : padding)
            }
        }
        return text
    }
}
