/// Paths as text, which may contain bytes that are not UTF-8.
///
/// The kernel accepts any bytes in a name. In text, a byte that is not part of a valid character is a
/// character of a private plane, so that each path has a text, and each text one path.
package enum PathText {
    /// The scalar for the byte 0.
    private static let base: UInt32 = 0x10_f800

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (base...base + 0xff).contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    /// Returns the text for the bytes of a path.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        // Most paths are ASCII.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        let all = Array(bytes)
        if let text = String(validating: all, as: UTF8.self),
            !text.unicodeScalars.contains(where: { byte(of: $0) != nil })
        {
            return text
        }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < all.count {
            let scalar = (1...4).lazy.compactMap { length -> (Unicode.Scalar, Int)? in
                guard index + length <= all.count,
                    let part = String(validating: all[index..<(index + length)], as: UTF8.self),
                    part.unicodeScalars.count == 1, let scalar = part.unicodeScalars.first,
                    byte(of: scalar) == nil
                else { return nil }
                return (scalar, length)
            }.first
            if let (scalar, length) = scalar {
                text.append(scalar)
                index += length
            } else {
                if let scalar = Unicode.Scalar(base + UInt32(all[index])) { text.append(scalar) }
                index += 1
            }
        }
        return String(text)
    }

    /// Whether a text contains bytes that are not UTF-8.
    private static func isRaw(_ text: String) -> Bool {
        // All private characters have the same first byte.
        text.utf8.contains(0xf4) && text.unicodeScalars.contains { byte(of: $0) != nil }
    }

    /// Returns the bytes of a path, without a zero at the end.
    package static func bytes(of text: String) -> [UInt8] {
        guard isRaw(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }

    /// Calls a function with the bytes of a path as a C string.
    package static func withCString<Result>(
        _ text: String,
        _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        guard isRaw(text) else { return text.withCString(body) }
        return (bytes(of: text) + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map(body) ?? body("")
            }
        }
    }

    /// Returns the text to display, with `\xE9` for a byte that is not UTF-8.
    package static func shown(_ text: String) -> String {
        guard isRaw(text) else { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            guard let byte = byte(of: scalar) else { return shown.unicodeScalars.append(scalar) }
            shown += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}
