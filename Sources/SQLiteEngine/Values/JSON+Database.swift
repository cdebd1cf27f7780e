import Foundation

extension JSONDecoder {
    /// Returns a decoder that reads data as Base64 and dates as milliseconds since 1970.
    static func forDatabase(userInfo: [CodingUserInfoKey: Any]) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        decoder.userInfo = forJSON(userInfo)
        return decoder
    }
}

extension JSONEncoder {
    /// Returns an encoder that writes data as Base64 and dates as milliseconds since 1970.
    ///
    /// The encoder sorts keys, so equal values have equal representations.
    static func forDatabase(userInfo: [CodingUserInfoKey: Any]) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo = forJSON(userInfo)
        return encoder
    }
}

/// Returns a record's `userInfo` dictionary in the form that Foundation's JSON coders require.
///
/// Since Swift 6, the JSON coders require `Sendable` values, but `Decoder` does not. The cast is
/// safe because only the thread that creates a coder uses it, and because `Sendable` does not
/// affect the layout of a type.
private func forJSON(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    userInfo.isEmpty ? [:] : unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
}
