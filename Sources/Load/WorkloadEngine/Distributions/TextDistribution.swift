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

/// A distribution of texts from a template with `#` for a digit and `@` for a lowercase letter.
///
/// The distribution corresponds to sysbench's `sysbench.rand.string`
/// (<https://github.com/akopytov/sysbench>) with uniformly distributed characters.
package struct TemplateDistribution: Sendable, Equatable {
    private let template: [UInt8]

    /// Creates a distribution for a template.
    package init(_ template: String) { self.template = Array(template.utf8) }

    /// Draws the next text.
    package func next(using stream: inout RandomStream) -> String {
        String(unsafeUninitializedCapacity: template.count) { buffer in
            for (index, byte) in template.enumerated() {
                switch byte {
                case UInt8(ascii: "#"):
                    buffer[index] = UInt8(ascii: "0") + UInt8(stream.next(below: 10))
                case UInt8(ascii: "@"):
                    buffer[index] = UInt8(ascii: "a") + UInt8(stream.next(below: 26))
                default:
                    buffer[index] = byte
                }
            }
            return template.count
        }
    }
}

/// A distribution of the lengths of texts and blobs.
package enum LengthDistribution: Sendable, Equatable {
    /// A constant length.
    case fixed(Int)
    /// A random length. A negative number results in the length 0.
    indirect case drawn(Generator)

    mutating func next(using stream: inout RandomStream) -> Int {
        switch self {
        case .fixed(let length): return length
        case .drawn(var generator):
            let length = generator.next(using: &stream)
            self = .drawn(generator)
            return Int(max(0, length))
        }
    }
}

/// A distribution of blobs with uniformly distributed bytes.
package struct BlobDistribution: Sendable, Equatable {
    private var lengths: LengthDistribution

    /// Creates a distribution of blobs with the given lengths, in bytes.
    package init(lengths: LengthDistribution) { self.lengths = lengths }

    /// Draws the next blob.
    package mutating func next(using stream: inout RandomStream) -> [UInt8] {
        let length = lengths.next(using: &stream)
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var bits: UInt64 = 0
            for index in 0..<length {
                if index % 8 == 0 { bits = stream.next() }
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: bits))
                bits >>= 8
            }
            count = length
        }
    }
}

/// A distribution of searchable texts that consist of artificial words.
///
/// Zipf's law determines the probability of each word in the vocabulary. In a natural language, the
/// frequency of the word of rank k is proportional to 1/k, and frequent words are short (Zipf,
/// "Human Behavior and the Principle of Least Effort", 1949).
package struct WordsDistribution: Sendable, Equatable {
    private static let consonants = Array("bdfghklmnprstvz".utf8)
    private static let vowels = Array("aeiou".utf8)
    private static let syllables = consonants.count * vowels.count

    private var lengths: LengthDistribution
    private let ranks: ZipfianDistribution

    /// Creates the distribution.
    ///
    /// - Parameters:
    ///   - lengths: The number of words in a text.
    ///   - vocabulary: The number of different words, at least 1.
    package init(lengths: LengthDistribution, vocabulary: Int) {
        self.lengths = lengths
        ranks = ZipfianDistribution(count: Int64(vocabulary), theta: 1)
    }

    /// Draws the next text, in which single spaces separate the words.
    package mutating func next(using stream: inout RandomStream) -> String {
        var bytes: [UInt8] = []
        for index in 0..<lengths.next(using: &stream) {
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            Self.append(word: ranks.next(using: &stream), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the unique word for a rank.
    ///
    /// Ranks start at 1.
    static func word(_ rank: Int64) -> String {
        var bytes: [UInt8] = []
        append(word: rank, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the word for a rank.
    ///
    /// The word spells the rank in a bijective numeral system whose digits are syllables. The
    /// columns of a spreadsheet are named in such a system, whose digits are letters.
    private static func append(word rank: Int64, to bytes: inout [UInt8]) {
        var rest = Int(rank)
        while rest > 0 {
            rest -= 1
            // 31 and 75 are coprime, so neighboring ranks have distant syllables.
            let syllable = rest % syllables * 31 % syllables
            bytes.append(consonants[syllable / vowels.count])
            bytes.append(vowels[syllable % vowels.count])
            rest /= syllables
        }
    }
}
