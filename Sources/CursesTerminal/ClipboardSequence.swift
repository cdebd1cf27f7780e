/// The sequence that puts a text on the clipboard of the terminal's user, wherever the program runs.
///
/// OSC 52, <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>: the text is sent in base 64,
/// so that nothing of it can be a control character. tmux hands it on with `set -g set-clipboard
/// on`.
enum ClipboardSequence {
    /// Terminals refuse longer ones: xterm at 100,000 characters of base 64, others sooner.
    static let limit = 48_000

    /// The sequence; nil for a text that is too long.
    static func bytes(for text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= limit else { return nil }
        return Array("\u{1B}]52;c;".utf8) + base64(bytes) + [0x07]
    }

    /// RFC 4648, section 4.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let padding = UInt8(ascii: "=")
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let digit = digits[bits >> (18 - 6 * place) & 63]
                text.append(place <= group.count ? digit : padding)
            }
        }
        return text
    }
}
