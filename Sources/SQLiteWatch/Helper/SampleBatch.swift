/// A series of samples by the helper, for which the watching process wakes only once.
struct SampleBatch: Equatable, Sendable {
    /// The samples of one moment.
    struct Entry: Equatable, Sendable {
        /// The number of the moment.
        ///
        /// If earlier moments were late and have no entry, this entry represents them.
        var moment: Int
        /// The monotonic clock, in nanoseconds.
        var time: UInt64
        /// The samples of the databases, by slot.
        var samples: [FileSample]
    }

    var entries: [Entry] = []

    init(entries: [Entry]) { self.entries = entries }

    var bytes: [UInt8] {
        var writer = MessageWriter()
        for entry in entries {
            writer.put(UInt16(entry.moment))
            writer.put(entry.time)
            writer.put(UInt8(entry.samples.count))
            for sample in entry.samples { writer.put(sample.bytes) }
        }
        return writer.bytes
    }

    /// Parses an answer; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        while !reader.isAtEnd {
            guard let moment = reader.get(UInt16.self), let time = reader.get(UInt64.self),
                let count = reader.get(UInt8.self)
            else { return nil }
            var samples: [FileSample] = []
            for _ in 0..<count {
                guard let bytes = reader.getBytes(), let sample = FileSample(bytes) else {
                    return nil
                }
                samples.append(sample)
            }
            if let last = entries.last, last.moment >= moment { return nil }
            entries.append(Entry(moment: Int(moment), time: time, samples: samples))
        }
    }
}
