/// The base samples of a source, which later samples are encoded against.
///
/// Samples can arrive more often than once a second, but most of their values change only once a
/// second. Most samples are therefore encoded as the difference from a recent sample, which itself
/// is encoded as the difference from the latest complete sample in the same part. Because there are
/// only two levels, decoding is fast.
struct SourceBases {
    /// A sample as data for the file.
    struct Encoded: Equatable {
        /// The difference from `base`, or `nil` if the sample is complete.
        var delta: [UInt8]?
        /// The base sample, or `nil` for a complete sample.
        var base: Int64?
    }

    private struct Sample {
        var id: Int64
        var text: [UInt8]
    }

    private var part: Int64?
    private var complete: Sample?
    /// The recent sample, and the size of its difference from the complete sample.
    private var recent: (sample: Sample, size: Int)?

    /// Encodes the next sample of the source.
    ///
    /// - Parameters:
    ///   - text: The sample as JSON.
    ///   - id: The sample's identifier.
    ///   - part: The part of the recording that contains the sample.
    /// - Returns: The data for the file.
    mutating func encode(_ text: [UInt8], id: Int64, part: Int64) -> Encoded {
        guard let complete, self.part == part else {
            return encodeComplete(text, id: id, part: part)
        }
        if let recent {
            let delta = TextDelta.encode(text, from: recent.sample.text)
            // If most values have changed, the sample is a better base for later samples.
            if delta.count <= recent.size / 2 {
                return Encoded(delta: delta, base: recent.sample.id)
            }
        }
        let delta = TextDelta.encode(text, from: complete.text)
        guard delta.count < text.count / 2 else { return encodeComplete(text, id: id, part: part) }
        recent = (Sample(id: id, text: text), delta.count)
        return Encoded(delta: delta, base: complete.id)
    }

    private mutating func encodeComplete(_ text: [UInt8], id: Int64, part: Int64) -> Encoded {
        self.part = part
        complete = Sample(id: id, text: text)
        recent = nil
        return Encoded()
    }
}
