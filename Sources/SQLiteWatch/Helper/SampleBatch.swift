/// A series of samples that the helper sends in one message so that the watching process wakes up
/// only once.
struct SampleBatch: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        /// The index of the scheduled sample time.
        ///
        /// If the helper skipped late samples before this one, this entry also represents those
        /// samples.
        var moment: Int
        /// The time on the monotonic clock, in nanoseconds.
        var time: UInt64
        /// The samples of the databases, by slot.
        var samples: [FileSample]
        /// The databases' locks in `/proc/locks`, or `nil` if the list was not read.
        var locks: [FileLock]?
    }

    var entries: [Entry] = []
    /// The helper's total processor time, in nanoseconds.
    var helperNanoseconds: UInt64 = 0
    /// The processor time for reading `/proc/locks` in this batch, in nanoseconds.
    var listNanoseconds: UInt64 = 0

    init(entries: [Entry]) { self.entries = entries }

    /// The encoded batch.
    ///
    /// If possible, a sample contains only the changes since the previous sample.
    var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.put(helperNanoseconds)
        writer.put(listNanoseconds)
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
            // 0 means that there is no list.
            writer.put(UInt32(entry.locks.map { $0.count + 1 } ?? 0))
            for lock in entry.locks ?? [] { lock.write(to: &writer) }
        }
        return writer.bytes
    }

    init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        guard let used = reader.get(UInt64.self), let listUsed = reader.get(UInt64.self) else {
            return nil
        }
        helperNanoseconds = used
        listNanoseconds = listUsed
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
            var entry = Entry(moment: Int(moment), time: time, samples: samples)
            guard let locks = reader.get(UInt32.self) else { return nil }
            if locks > 0 {
                var list: [FileLock] = []
                for _ in 1..<locks {
                    guard let lock = FileLock(&reader) else { return nil }
                    list.append(lock)
                }
                entry.locks = list
            }
            entries.append(entry)
        }
    }
}

extension FileLock {
    fileprivate func write(to writer: inout MessageWriter) {
        writer.put(process)
        writer.put(UInt8(isWrite ? 1 : 0))
        writer.put(file.device.major)
        writer.put(file.device.minor)
        writer.put(file.inode)
        writer.put(bytes.lowerBound)
        writer.put(bytes.upperBound)
    }

    fileprivate init?(_ reader: inout MessageReader) {
        guard let process = reader.get(Int32.self), let isWrite = reader.get(UInt8.self),
            let major = reader.get(UInt32.self), let minor = reader.get(UInt32.self),
            let inode = reader.get(UInt64.self), let first = reader.get(UInt64.self),
            let last = reader.get(UInt64.self), first <= last
        else { return nil }
        self.init(
            process: process,
            isWrite: isWrite != 0,
            file: FileIdentity(
                device: FileIdentity.Device(major: major, minor: minor),
                inode: inode
            ),
            bytes: first...last
        )
    }
}
