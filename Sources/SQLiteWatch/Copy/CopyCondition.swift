import Findings

/// The condition under which a copy of a database's files is consistent.
///
/// * With a wal-index, a checkpoint may change the database file during the copy, but only pages
///   that have a frame in the log. The log is copied last, so the copy contains the state of the
///   last commit unless the log was reset during the copy (https://sqlite.org/walformat.html,
///   section 4.4).
/// * With a log but no wal-index, or with a rollback journal, no file may change. A transaction
///   writes to the database file only while it holds the exclusive lock
///   (https://sqlite.org/lockingv3.html, section 5).
struct CopyCondition: Equatable {
    private let sample: FileSample
    private let files: ObservedFiles
    private let locks: Set<LockKind>

    /// The minimum time between the last change to the files and a copy, in nanoseconds.
    ///
    /// The kernel updates modification times only once per timer tick, so two changes within a
    /// shorter time may have the same modification time.
    private static let quietTime: Int64 = 20_000_000

    init(_ sample: FileSample) {
        self.sample = sample
        files = ObservedFiles(sample)
        // Locks of processes in other PID namespaces have process ID 0, which `writeLocks` ignores.
        let probes = sample.probes.map { probe in
            var probe = probe
            probe.process = max(probe.process, 1)
            return probe
        }
        locks = Set(LockBytes.writeLocks(probes).values.flatMap(\.held).map(\.kind))
    }

    /// Whether commits go to a log that the wal-index describes.
    private var hasIndex: Bool { files.isWAL && files.index != nil && files.wal != nil }

    /// Whether reading the last commit requires rolling back a journal.
    private var hasHotJournal: Bool {
        !files.isWAL && files.hasValidJournal && !locks.contains(.reserved)
    }

    /// The suffixes of the files to copy, starting with the database file.
    var suffixes: [String] {
        if files.isWAL, let wal = files.wal, wal.size > UInt64(WALHeader.length) {
            return ["", "-wal"]
        }
        return hasHotJournal ? ["", "-journal"] : [""]
    }

    /// The total size of the files to copy, in bytes.
    var size: UInt64 {
        let log = suffixes.contains("-wal") ? files.wal?.size ?? 0 : 0
        let journal = suffixes.contains("-journal") ? files.journal?.size ?? 0 : 0
        return files.database.size + (hasIndex ? min(log, logBytes ?? log) : log) + journal
    }

    /// The number of bytes in use in the log, or `nil` if no wal-index is available.
    var logBytes: UInt64? {
        guard let index = files.index, let pageSize = files.pageSize else { return nil }
        return UInt64(WALHeader.length)
            + UInt64(index.frames) * UInt64(pageSize + WALHeader.frameHeaderLength)
    }

    /// The reason why the database cannot be copied now, or `nil` if it can be copied.
    var problem: String? {
        guard files.state == .present else { return files.problem ?? "it cannot be read" }
        if locks.contains(.exclusive) || locks.contains(.pending) {
            return files.isWAL
                ? "a process uses it in exclusive locking mode" : "a transaction is writing to it"
        }
        if locks.contains(.recovery) { return "a process is recovering its log" }
        if files.isWAL, files.indexIdentity != nil, files.index == nil, (files.wal?.size ?? 0) > 0 {
            return "its wal-index cannot be read or is being changed"
        }
        return nil
    }

    /// Returns the change since this state that makes a copy inconsistent, or `nil` if there is
    /// none.
    func change(until later: CopyCondition) -> String? {
        if let problem = later.problem { return problem }
        guard files.database.identity == later.files.database.identity,
            files.isWAL == later.files.isWAL, suffixes == later.suffixes,
            hasIndex == later.hasIndex
        else { return "its files were replaced" }
        if hasIndex {
            let isUnchanged =
                files.indexIdentity == later.files.indexIdentity
                && files.wal?.identity == later.files.wal?.identity
                && files.index?.salt1 == later.files.index?.salt1
                && files.index?.salt2 == later.files.index?.salt2
            return isUnchanged ? nil : "its log was reset during the copy"
        }
        let isUnchanged =
            files.header == later.files.header
            && Self.isSame(sample.database, later.sample.database)
            && Self.isSame(sample.wal, later.sample.wal)
            && (!hasHotJournal || Self.isSame(sample.journal, later.sample.journal))
        return isUnchanged ? nil : "a transaction wrote to it during the copy"
    }

    private static func isSame(_ first: FileContent, _ second: FileContent) -> Bool {
        first.identity == second.identity && first.size == second.size
            && first.modified == second.modified
    }

    /// Returns whether the files changed so recently that a further change might go undetected.
    func isFresh(at milliseconds: Int64) -> Bool {
        guard !hasIndex else { return false }
        let last = max(sample.database.modified, sample.wal.modified, sample.journal.modified)
        return milliseconds * 1_000_000 - last < Self.quietTime && last <= milliseconds * 1_000_000
    }
}
