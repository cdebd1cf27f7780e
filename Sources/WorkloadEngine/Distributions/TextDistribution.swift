/// A distribution of texts with uniformly distributed ASCII letters, digits, hyphens, and spaces.
package struct TextDistribution: Sendable, Equatable {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789- ".utf8
    )
    private var lengths: LengthDistribution

    /// Creates a distribution of texts with `length` characters.
    package init(length: Int) { self.init(lengths: .fixed(length)) }

    /// Creates a distribution of texts with random lengths.
    package init(lengths: LengthDistribution) { self.lengths = lengths }

    /// Draws the next text.
    package mutating func next(using stream: inout RandomStream) -> String {
        let length = lengths.next(using: &stream)
        return String(unsafeUninitializedCapacity: length) { buffer in
            Self.alphabet.withUnsafeBufferPointer { alphabet in
                var bits: UInt64 = 0
                for index in 0..<length {
                    // Ten characters of six bits each need 60 of the 64 bits.
                    if index % 10 == 0 { bits = stream.next() >> 4 }
                    buffer[index] = alphabet[Int(bits & 63)]
                    bits >>= 6
                }
            }
            return length
        }
    }
}
