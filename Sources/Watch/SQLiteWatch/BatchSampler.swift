#if os(Linux)
import Glibc
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

/// The process that opens the watched files on behalf of a ``WatchSession``.
///
/// When a process closes any descriptor of a file, POSIX releases all of that process's locks on
/// the file (https://sqlite.org/howtocorrupt.html, section 2.2). A program that uses a database
/// through SQLite must therefore never open and close the database's files by other means. Instead,
/// the helper opens and closes them.
public enum WatchHelper {
    /// The time limit for a table request, excluding a b-tree walk, in nanoseconds.
    private static let tableTime: UInt64 = 30_000_000

    /// Serves requests until standard input is closed.
    ///
    /// A watching program calls this function in the helper command that it passes to a session.
    /// The function returns when the session ends.
    public static func run() {
        // A terminal or the `timeout` command sends these signals to all processes in a group. The
        // session needs the helper for its last report and then stops it.
        for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM] { signal(number, SIG_IGN) }
        signal(SIGPIPE, SIG_DFL)
        var databases: [UInt8: DatabaseFiles] = [:]
        var readers: [UInt8: TableReader] = [:]
        var paths: [UInt8: [UInt8]] = [:]
        let list = try? LockListFile()
        let channel = HelperChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
        while let request = channel.receiveRequest() {
            var response: [UInt8] = []
            switch request {
            case .watch(let slot, let path):
                paths[slot] = path
                databases[slot] = nil
                readers[slot] = nil
            case .sample(let slot, let probesReaders):
                let files = databases[slot] ?? paths[slot].map(DatabaseFiles.init)
                databases[slot] = files
                response = (files?.sample(probesReaders: probesReaders) ?? FileSample()).bytes
            case .batch(let slots, let probesReaders, let moments):
                for slot in 0..<slots where databases[slot] == nil {
                    databases[slot] = paths[slot].map(DatabaseFiles.init)
                }
                var sampler = BatchSampler(
                    files: (0..<slots).map { databases[$0] },
                    probesReaders: probesReaders,
                    count: moments.count
                )
                sample(moments, with: &sampler, list: list)
                response = sampler.batch.bytes
            case .tables(let slot):
                let reader = readers[slot] ?? paths[slot].map(TableReader.init)
                readers[slot] = reader
                response = (reader?.advance(nanoseconds: tableTime) ?? TableCounts()).bytes
            }
            guard channel.send(response: response) else { return }
        }
    }

    private static func sample(
        _ moments: [HelperRequest.Moment],
        with sampler: inout BatchSampler,
        list: LockListFile?
    ) {
        var readsList = false
        for (number, moment) in moments.enumerated() {
            readsList = readsList || moment.readsList
            // Skip a late sample, because the next sample represents both times.
            if number + 1 < moments.count, monotonicNanoseconds() >= moments[number + 1].time {
                continue
            }
            SystemClock.sleep(until: moment.time)
            sampler.sample(number, list: readsList ? list : nil)
            readsList = false
        }
    }
}

struct HelperChannel {
    var input: Int32
    var output: Int32

    /// Waits for the next request, or returns `nil` if the input ends or the request is malformed.
    func receiveRequest() -> HelperRequest? {
        guard let prefix = receive(HelperRequest.prefixLength) else { return nil }
        let length = Int(prefix[2]) | Int(prefix[3]) << 8
        guard length <= HelperRequest.pathLimit, let content = receive(length) else { return nil }
        return HelperRequest(prefix + content)
    }

    /// Sends a response and returns whether the write succeeded.
    func send(response: [UInt8]) -> Bool {
        var writer = MessageWriter()
        writer.put(UInt32(response.count))
        var rest = (writer.bytes + response)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads exactly `count` bytes, or returns `nil` if the input ends first.
    private func receive(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let missing = count - bytes.count
            var result = 0
            bytes.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: missing) { buffer, length in
                    result = read(input, buffer.baseAddress, missing)
                    length = max(0, result)
                }
            )
            if result == 0 || (result < 0 && errno != EINTR) { return nil }
        }
        return bytes
    }
}
#endif
