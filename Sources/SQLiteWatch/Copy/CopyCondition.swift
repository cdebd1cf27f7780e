/// What must hold, before and after its files are copied, for a copy to be consistent.
///
/// * With a wal-index, checkpoints change the database file while it is copied, but only pages of
///   which the log has a frame. The log is copied last, with all frames that it had since: the copy
///   is the state of its last commit, unless the log started over in between
///   (https://sqlite.org/walformat.html, section 4.4).
/// * With a log and no wal-index, and with a rollback journal, no file may change. A transaction
///   writes to the database file under the exclusive lock only
///   (https://sqlite.org/lockingv3.html, section 5).
struct CopyCondition: Equatable {
    private let sample: FileSample
    private let files: ObservedFiles
    private let locks: Set<LockKind>

    /// How long the files must have been left alone, in nanoseconds: times of change are those of
    /// the kernel's last tick.
    private static let rest: Int64 = 20_000_000

    init(_ sample: FileSample) {
        self.sample = sample
        files = ObservedFiles(sample)
        // Locks of processes that are not visible count, too.
        let probes = sample.probes.map { probe in
            var probe = probe
            probe.process = max(probe.process, 1)
            return probe
        }
        locks = Set(LockBytes.writeLocks(probes).values.flatMap(\.held).map(\.kind))
    }

    /// Whether commits go to a log that the wal-index describes.
    private var hasIndex: Bool { files.isWAL && files.index != nil && files.wal != nil }

    /// Whether a journal must be rolled back to see the last commit.
    private var hasHotJournal: Bool {
        !files.isWAL && files.hasValidJournal && !locks.contains(.reserved)
    }

    /// The files that make up the state: the database first.
    var suffixes: [String] {
        if files.isWAL, let wal = files.wal, wal.size > UInt64(WALHeader.length) {
            return ["", "-wal"]
        }
        return hasHotJournal ? ["", "-journal"] : [""]
    }

    /// Their size, in bytes.
    var size: UInt64 {
        let log = suffixes.contains("-wal") ? files.wal?.size ?? 0 : 0
        let journal = suffixes.contains("-journal") ? files.journal?.size ?? 0 : 0
        return files.database.size + (hasIndex ? min(log, logBytes ?? log) : log) + journal
    }

    /// The bytes of the log that are in use; nil when the wal-index does not show them.
    var logBytes: UInt64? {
        guard let index = files.index, let pageSize = files.pageSize else { return nil }
        return UInt64(WALHeader.length)
            + UInt64(index.frames) * UInt64(pageSize + WALHeader.frameHeaderLength)
    }

    /// Why no copy can be made now, in words; nil when one can.
    var problem: String? {
        guard files.state == .present else { return files.problem ?? "it cannot be read" }
        if locks.contains(.exclusive) || locks.contains(.pending) {
            return files.isWAL
                ? "a process has it in exclusive locking mode" : "a transaction is writing to it"
        }
        if locks.contains(.recovery) { return "a process recovers its log" }
        if files.isWAL, files.indexIdentity != nil, files.index == nil, (files.wal?.size ?? 0) > 0 {
            return "its wal-index cannot be read, or is being changed"
        }
        return nil
    }

    /// What changed until a later moment, in words, so that a copy is not consistent; nil when
    /// nothing did.
    func change(until later: CopyCondition) -> String? {
        if let problem = later.problem { return problem }
        guard files.database.identity == later.files.database.identity,
            files.isWAL == later.files.isWAL, suffixes == later.suffixes,
            hasIndex == later.hasIndex
        else { return "its files were replaced" }
        if hasIndex {
            let isSame =
                files.indexIdentity == later.files.indexIdentity
                && files.wal?.identity == later.files.wal?.identity
                && files.index?.salt1 == later.files.index?.salt1
                && files.index?.salt2 == later.files.index?.salt2
            return isSame ? nil : "its log started over in between"
        }
        let isSame =
            files.header == later.files.header
            && Self.isSame(sample.database, later.sample.database)
            && Self.isSame(sample.wal, later.sample.wal)
            && (!hasHotJournal || Self.isSame(sample.journal, later.sample.journal))
        return isSame ? nil : "a transaction wrote to it in between"
    }

    private static func isSame(_ one: FileContent, _ other: FileContent) -> Bool {
        one.identity == other.identity && one.size == other.size && one.modified == other.modified
    }

    /// Whether the files were changed so recently that another change could not be noticed.
    func isFresh(at milliseconds: Int64) -> Bool {
        guard !hasIndex else { return false }
        let last = max(sample.database.modified, sample.wal.modified, sample.journal.modified)
        return milliseconds * 1_000_000 - last < Self.rest && last <= milliseconds * 1_000_000
    }
}
