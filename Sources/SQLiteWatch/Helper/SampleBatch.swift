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
    /// Processor time that the helper has used, in nanoseconds.
    var helperNanoseconds: UInt64 = 0

    init(entries: [Entry]) { self.entries = entries }

    /// The batch; each sample as what has changed since the one before, where that is possible.
    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.put(helperNanoseconds)
        var last: [FileSample] = []
        for entry in entries {
            writer.put(UInt16(entry.moment))
            writer.put(entry.time)
            writer.put(UInt8(entry.samples.count))
            for (slot, sample) in entry.samples.enumerated() {
                let update = last.indices.contains(slot) ? sample.update(from: last[slot]) : nil
                writer.put(UInt8(update == nil ? 0 : 1))
                writer.put(update?.bytes ?? sample.bytes)
            }
            last = entry.samples
        }
        return writer.bytes
    }

    /// Parses an answer; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let used = reader.get(UInt64.self) else { return nil }
        helperNanoseconds = used
        while !reader.isAtEnd {
            guard let moment = reader.get(UInt16.self), let time = reader.get(UInt64.self),
                let count = reader.get(UInt8.self)
            else { return nil }
            var samples: [FileSample] = []
            for slot in 0..<Int(count) {
                guard let kind = reader.get(UInt8.self), let bytes = reader.getBytes() else {
                    return nil
                }
                let last = entries.last?.samples ?? []
                let sample =
                    if kind == 0 {
                        FileSample(bytes)
                    } else if last.indices.contains(slot) {
                        FileSample.Update(bytes).map(last[slot].updated)
                    } else {
                        FileSample?.none
                    }
                guard let sample else { return nil }
                samples.append(sample)
            }
            if let last = entries.last, last.moment >= moment { return nil }
            entries.append(Entry(moment: Int(moment), time: time, samples: samples))
        }
    }
}
