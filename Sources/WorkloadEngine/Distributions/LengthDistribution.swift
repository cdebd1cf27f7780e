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
