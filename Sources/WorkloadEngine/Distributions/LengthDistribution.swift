/// Lengths of texts and blobs.
public enum LengthDistribution: Sendable, Equatable {
    /// Always the same.
    case fixed(Int)
    /// Each time another; below 0 counts as 0.
    indirect case drawn(Generator)

    /// The next length.
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
