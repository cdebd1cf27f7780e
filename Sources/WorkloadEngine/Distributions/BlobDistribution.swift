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
