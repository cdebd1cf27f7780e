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
