#if os(Linux)
import Telemetry

/// A sampler that takes the samples of a batch in the helper process.
///
/// Waking up is the most expensive part of a sample: it takes 35 µs while two busy programs evict
/// the helper's data from the caches. Between complete samples, the sampler therefore only records
/// bytes, without allocating memory. It processes these bytes at the end of the batch.
struct BatchSampler {
    private struct Entry {
        var moment: Int
        var time: UInt64
        /// The samples of all databases, or `nil` if only changes were recorded.
        var samples: [FileSample]?
        var locks: [FileLock]?
    }

    private let files: [DatabaseFiles?]
    private let probesReaders: Bool
    private var entries: [Entry] = []
    private var listNanoseconds: UInt64 = 0

    /// Whether the wal-indexes show all changes since the last complete sample.
    private var changesSuffice = false
    /// The inodes of the databases and their wal-indexes.
    private var inodes: Set<UInt64> = []
    /// The recorded headers of wal-indexes, concatenated.
    private var headers: [UInt8] = []
    /// The recorded locks, in the order of the headers.
    private var probes: [FileSample.Probe] = []
    /// For each header, the end index in `probes` of the locks that were recorded with it.
    private var probeEnds: [Int] = []

    /// The number of locks per sample to reserve memory for: one writer and one checkpoint.
    private static let expectedProbes = 2

    /// - Parameters:
    ///   - files: The database files, by slot.
    ///   - probesReaders: Whether the first sample queries the read locks.
    ///   - count: The maximum number of samples.
    init(files: [DatabaseFiles?], probesReaders: Bool, count: Int) {
        self.files = files
        self.probesReaders = probesReaders
        entries.reserveCapacity(count)
        headers.reserveCapacity(count * files.count * WALIndexHeader.length)
        probes.reserveCapacity(count * files.count * Self.expectedProbes)
        probeEnds.reserveCapacity(count * files.count)
    }

    /// Samples all databases now.
    ///
    /// - Parameters:
    ///   - moment: The index of the scheduled sample time.
    ///   - list: The list of all locks, or `nil` to omit the list from the sample.
    mutating func sample(_ moment: Int, list: LockListFile?) {
        var entry = Entry(moment: moment, time: 0)
        if !changesSuffice || !recordChanges() { entry.samples = completeSamples() }
        // Record the time before reading the list, which may take milliseconds.
        entry.time = monotonicNanoseconds()
        if let list {
            let start = SystemClock.thread
            entry.locks = list.locks(on: inodes)
            listNanoseconds &+= SystemClock.thread &- start
        }
        entries.append(entry)
    }

    var batch: SampleBatch {
        var batch = SampleBatch(entries: [])
        var samples: [FileSample] = []
        var position = 0
        for entry in entries {
            if let complete = entry.samples {
                samples = complete
            } else {
                for slot in files.indices { update(&samples[slot], at: position + slot) }
                position += files.count
            }
            batch.entries.append(
                SampleBatch.Entry(
                    moment: entry.moment,
                    time: entry.time,
                    samples: samples,
                    locks: entry.locks
                )
            )
        }
        batch.listNanoseconds = listNanoseconds
        batch.helperNanoseconds = SystemClock.process
        return batch
    }

    private mutating func completeSamples() -> [FileSample] {
        let isFirst = entries.isEmpty
        let samples = files.map { file in
            file?.sample(probesReaders: probesReaders && isFirst) ?? FileSample()
        }
        inodes = Set(
            samples.flatMap { [$0.database.identity, $0.index.identity] }.compactMap { $0?.inode }
        )
        changesSuffice = zip(files, samples).allSatisfy { file, sample in
            file?.hasChangesInIndex(since: sample) == true
        }
        return samples
    }

    /// Records the wal-index headers and write locks, or returns `false` if a header cannot be
    /// read.
    private mutating func recordChanges() -> Bool {
        let counts = (headers.count, probes.count, probeEnds.count)
        for file in files {
            guard let file, file.appendIndexHeader(to: &headers) else {
                headers.removeLast(headers.count - counts.0)
                probes.removeLast(probes.count - counts.1)
                probeEnds.removeLast(probeEnds.count - counts.2)
                return false
            }
            file.appendIndexWriteLocks(to: &probes)
            probeEnds.append(probes.count)
        }
        return true
    }

    /// Updates the data that may have changed, using the recorded bytes and locks.
    private func update(_ sample: inout FileSample, at position: Int) {
        let first = position * WALIndexHeader.length
        sample.index.bytes = Array(headers[first..<first + WALIndexHeader.length])
        let firstProbe = position == 0 ? 0 : probeEnds[position - 1]
        sample.probes =
            probes[firstProbe..<probeEnds[position]]
            + sample.probes.filter { !$0.isIndex && $0.isWrite }
    }
}
#endif
