/// A distribution of text and blob lengths.
public enum LengthDistribution: Sendable, Equatable {
    /// A constant length.
    case fixed(Int)
    /// A random length.
    ///
    /// A negative length is replaced with 0.
    indirect case drawn(Generator)

    /// Draws the next length.
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
