import Text

/// The rules about the files of the database, and about who can see them.
enum FileRules {
    static func unavailable(_ facts: FindingFacts) -> [Finding] {
        let file = facts.report.file
        switch file.state {
        case .present: return []
        case .empty:
            return [
                Finding(
                    .unavailable,
                    level: .note,
                    "The file is empty: no transaction has written to it yet."
                )
            ]
        case .missing where facts.report.tracing?.source == WatchedTracing.agentSource:
            return [
                Finding(.unavailable, level: .note, "The program has deleted the file.")
            ]
        case .missing:
            return [
                Finding(
                    .unavailable,
                    level: .alarm,
                    "The file does not exist.",
                    remedy: "Check the path; the file appears here as soon as it exists."
                )
            ]
        case .notADatabase, .unreadable:
            return [
                Finding(
                    .unavailable,
                    level: .alarm,
                    "The file cannot be watched: \(file.problem ?? "unknown reason")."
                )
            ]
        }
    }

    /// Processes whose commits others do not see, because their files are not those of the path.
    static func strayFiles(_ facts: FindingFacts) -> [Finding] {
        facts.report.processes.compactMap { process in
            guard let files = process.strayFiles, !files.isEmpty else { return nil }
            let name = facts.name(process.pid)
            func since(_ file: WatchedStrayFile) -> String {
                file.deleted.map { deleted in
                    let elapsed = facts.report.time.milliseconds - deleted.milliseconds
                    return " \(FindingFacts.duration(Double(max(0, elapsed)) / 1_000)) ago"
                } ?? ""
            }
            if let file = files.first(where: { $0.part == .database && $0.isDeleted }) {
                let event =
                    facts.report.file.state == .missing
                    ? "the database was deleted" : "the database was replaced"
                return Finding(
                    .strayFile,
                    level: .alarm,
                    pid: process.pid,
                    "\(name) has a deleted file open that had this path: \(event)\(since(file)) "
                        + "while the process used it. Its commits since then are not in the file "
                        + "at this path and will be lost, or they fail with "
                        + "SQLITE_READONLY_DBMOVED.",
                    remedy: "Save its data from that process (VACUUM INTO, or the backup API), and "
                        + "restart it. To replace the content of an open database, use the backup "
                        + "API."
                )
            }
            let deleted = files.filter { $0.part != .database && $0.isDeleted }
            if let file = deleted.first(where: { $0.part == .wal }) ?? deleted.first {
                return Finding(
                    .strayFile,
                    level: .alarm,
                    pid: process.pid,
                    "\(name) uses a \(file.part.suffix) file that was deleted\(since(file)): other "
                        + "processes do not see its commits since then, and these will be lost.",
                    remedy: "Save its data from that process (VACUUM INTO, or the backup API), and "
                        + "restart it. Do not delete -wal or -shm; two copies of SQLite in one "
                        + "process do this, too, when one of them closes the database."
                )
            }
            guard let file = files.first else { return nil }
            return Finding(
                .strayFile,
                level: .alarm,
                pid: process.pid,
                "\(name) uses this database under another name: its \(file.part.suffix) file is "
                    + "\(file.path), which is not the one next to this path. Processes that use "
                    + "different names do not see each other's commits, and commits will be lost.",
                remedy:
                    "Use one path in all programs: no hard links, and mount folders, not single "
                    + "files, into containers."
            )
        }
    }

    static func hotJournal(_ facts: FindingFacts) -> [Finding] {
        guard let rollback = facts.report.rollback, rollback.isHot else { return [] }
        return [
            Finding(
                .hotJournal,
                level: .alarm,
                "A process ended during a transaction and left a hot journal "
                    + "(\(HumanUnits.bytes(rollback.journalBytes ?? 0))). The next connection that "
                    + "can write rolls back this transaction; until then, connections that can "
                    + "only read fail with SQLITE_READONLY_ROLLBACK.",
                remedy: "Open the database once with a program that can write, which rolls the "
                    + "transaction back. Until then, keep the -journal file next to the database: "
                    + "without the file, the database would be corrupt."
            )
        ]
    }

    static func hiddenUsers(_ facts: FindingFacts) -> [Finding] {
        let report = facts.report
        guard report.hasHiddenWriters else { return [] }
        let rate = report.wal?.commitsPerSecond ?? report.rollback?.transactionsPerSecond ?? 0
        return [
            Finding(
                .hiddenUsers,
                "Programs that are not visible here write to this database "
                    + "(\(HumanUnits.rate(rate)) commits): they use it through overlayfs, in "
                    + "another container, in a virtual machine, or over a network, or each of them "
                    + "ends before it can be seen. Their locks and reads cannot be seen.",
                remedy: "Run poolgauge where they run, or on /proc/PID/root/… with the path inside "
                    + "the container."
            )
        ]
    }

    /// The number of transactions and samples from which a lock would probably have been seen.
    private static let visibleTransactions: UInt64 = 20
    private static let visibleSamples = 50

    static func hiddenLocks(_ facts: FindingFacts) -> [Finding] {
        let report = facts.report
        if let lock = report.file.lockFile {
            return [
                Finding(
                    .hiddenLocks,
                    level: .note,
                    "The programs lock the database with the file \(lock) (vfs=unix-dotfile): which "
                        + "of them holds the lock, and who waits, cannot be seen.",
                    remedy: "Use the default VFS if the file system supports POSIX locks; if no "
                        + "program is running, the lock file is a leftover: delete it."
                )
            ]
        }
        guard let transactions = report.rollback?.transactions,
            transactions >= visibleTransactions,
            report.window.samples >= visibleSamples, report.processes.count > 1,
            report.processes.allSatisfy({
                $0.share.writer.value == 0 && $0.share.reader.value == 0 && $0.locks.isEmpty
            })
        else { return [] }
        return [
            Finding(
                .hiddenLocks,
                level: .note,
                "\(HumanUnits.exact(transactions, "transaction")) changed the database, but "
                    + "no lock was seen at any of \(report.window.samples) samples: the programs may "
                    + "use no locks (nolock=1, vfs=unix-none), or hold them too briefly to be seen. "
                    + "Without locks, several processes corrupt the database.",
                remedy: "Check how the programs open the database."
            )
        ]
    }
}
