/// Texts of made-up words, drawn from a vocabulary by Zipf's law: something to search in.
///
/// Zipf, "Human Behavior and the Principle of Least Effort", 1949: the word of rank k of a natural
/// language comes up in proportion to 1/k, and the frequent ones are short.
public struct WordsDistribution: Sendable, Equatable {
    private static let consonants = Array("bdfghklmnprstvz".utf8)
    private static let vowels = Array("aeiou".utf8)
    private static let syllables = consonants.count * vowels.count

    private var lengths: LengthDistribution
    private let ranks: ZipfianDistribution

    /// Creates the distribution.
    ///
    /// - Parameters:
    ///   - lengths: How many words a text has.
    ///   - vocabulary: How many different words there are, at least 1.
    public init(lengths: LengthDistribution, vocabulary: Int) {
        self.lengths = lengths
        ranks = ZipfianDistribution(count: Int64(vocabulary), theta: 1)
    }

    /// The next text: words with one blank between them.
    public mutating func next(using stream: inout RandomStream) -> String {
        var bytes: [UInt8] = []
        for index in 0..<lengths.next(using: &stream) {
            if index > 0 { bytes.append(UInt8(ascii: " ")) }
            Self.append(word: ranks.next(using: &stream), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The word of a rank, from 1: no other rank has it.
    static func word(_ rank: Int64) -> String {
        var bytes: [UInt8] = []
        append(word: rank, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Counts in syllables, as a spreadsheet names its columns in letters.
    private static func append(word rank: Int64, to bytes: inout [UInt8]) {
        var rest = Int(rank)
        while rest > 0 {
            rest -= 1
            // 31 and 75 have no common divisor: neighbours get syllables that are far apart.
            let syllable = rest % syllables * 31 % syllables
            bytes.append(consonants[syllable / vowels.count])
            bytes.append(vowels[syllable % vowels.count])
            rest /= syllables
        }
    }
}
