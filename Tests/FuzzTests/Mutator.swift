import TestSupport

/// A generator of random changes to inputs, determined by a seed.
struct Mutator {
    private let target: FuzzTarget
    private let inputs: [[UInt8]]
    private let words: [[UInt8]]
    private var random: SeededRandom

    /// Continues with the changes that a seed determines.
    mutating func restart(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, 0x20, 0x0A, 0x22, 0x5C]

    init(_ target: FuzzTarget, inputs: [[UInt8]], seed: UInt64) {
        self.target = target
        self.inputs = inputs
        words = target.words.map { Array($0.utf8) }
        random = SeededRandom(seed: seed)
    }

    /// Returns one of the inputs with one to six changes.
    mutating func next() -> [UInt8] {
        next(after: inputs.randomElement(using: &random) ?? [])
    }

    /// Returns an input with one to six changes.
    mutating func next(after original: [UInt8]) -> [UInt8] {
        var input = original
        for _ in 0..<Int.random(in: 1...6, using: &random) { change(&input) }
        return Array(input.prefix(target.maximumLength))
    }

    private mutating func change(_ input: inout [UInt8]) {
        let place = Int.random(in: 0...input.count, using: &random)
        let length = Int.random(in: 0...min(input.count - place, 64), using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where place < input.count: input[place] = .random(in: 0...255, using: &random)
        case 1 where place < input.count:
            input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2 where place < input.count:
            input[place] = Self.extremes.randomElement(using: &random) ?? 0
        case 3: input.removeSubrange(place..<(place + length))
        case 4: input.insert(contentsOf: input[place..<(place + length)], at: place)
        case 5: input.removeSubrange(place...)
        case 6:
            // Continue with the end of another input.
            let other = inputs.randomElement(using: &random) ?? []
            let start = Int.random(in: 0...other.count, using: &random)
            input.replaceSubrange(place..., with: other[start...])
        case 7: input.removeSubrange(token(at: place, in: input))
        case 8: input.replaceSubrange(token(at: place, in: input), with: word())
        case 9:
            let other = Int.random(in: 0...input.count, using: &random)
            let copy = Array(input[token(at: other, in: input)])
            input.replaceSubrange(token(at: place, in: input), with: copy)
        default: input.insert(contentsOf: word(), at: place)
        }
    }

    private mutating func word() -> [UInt8] {
        words.randomElement(using: &random) ?? [.random(in: 0...255, using: &random)]
    }

    /// Returns the range of the letters, digits, and underscores around a place, or of the single
    /// byte there.
    private func token(at place: Int, in input: [UInt8]) -> Range<Int> {
        func isPart(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
            default: false
            }
        }
        guard place < input.count, isPart(input[place]) else {
            return place..<min(place + 1, input.count)
        }
        let start = input[..<place].lastIndex { !isPart($0) }.map { $0 + 1 } ?? 0
        let end = input[place...].firstIndex { !isPart($0) } ?? input.count
        return start..<end
    }
}
