import Findings
import SQLiteWatch
import TerminalUI
import Text

/// Checks of headers, locks, and processes, which do not require SQLite.
struct FileChecks {
    var report: WatchReport

    private typealias Finding = DatabaseExamination.Finding

    /// The default page size since SQLite 3.12.0 (2016), in bytes.
    private static let usualPageSize = 4_096
    /// The minimum share of free pages to report as a note.
    private static let notableFreeShare = 0.1
    /// The minimum share of free pages to report as a warning.
    private static let largeFreeShare = 0.25
    /// The minimum number of free pages to report.
    private static let notableFreePages: UInt64 = 100
    /// The number of frames at which SQLite starts a checkpoint by default
    /// (`SQLITE_DEFAULT_WAL_AUTOCHECKPOINT`).
    private static let checkpointFrames: UInt64 = 1_000
    /// The maximum number of processes to list.
    private static let processLimit = 20

    var findings: [DatabaseExamination.Finding] { file + journal + space + processes }

    private var file: [Finding] {
        let file = report.file
        var parts = [HumanUnits.bytes(file.bytes ?? 0)]
        if let pages = file.pages, let size = file.pageSize {
            parts.append("\(HumanUnits.exact(pages, "page")) of \(HumanUnits.bytes(UInt64(size)))")
        }
        if let encoding = file.encoding { parts.append(encoding.rawValue) }
        if let version = file.userVersion, version != 0 { parts.append("user_version \(version)") }
        if let application = file.applicationID, application != 0 {
            parts.append("application_id \(application)")
        }
        if let system = file.fileSystem { parts.append(system.type) }
        var results = [Finding(part: .file, mark: .ok, text: parts.joined(separator: ", "))]
        if let size = file.pageSize, size < Self.usualPageSize {
            results.append(
                Finding(
                    part: .file,
                    mark: .note,
                    text: "The page size is \(size) bytes; the default since SQLite 3.12.0 is "
                        + "4096. Smaller pages make trees deeper and spread large rows over more "
                        + "pages.",
                    remedy: "Outside WAL mode, run PRAGMA page_size = 4096; VACUUM."
                )
            )
        }
        if let warning = file.fileSystem?.warning {
            results.append(Finding(part: .file, mark: .warning, text: warning + "."))
        }
        return results
    }

    private var journal: [Finding] {
        var results: [Finding] = []
        if let wal = report.wal {
            var text = "write-ahead log"
            if wal.bytes > 0 { text += ", -wal file of \(HumanUnits.bytes(wal.bytes))" }
            if let frames = wal.frames, wal.bytes > 0 {
                text += ", \(HumanUnits.exact(frames, "frame")) in use"
            }
            results.append(Finding(part: .journal, mark: .ok, text: text))
            if wal.bytes > report.file.bytes ?? 0 { results.append(largeLogFinding(wal)) }
        } else {
            // First, its programs must be able to open the database, and lock it as others do.
            let isOther = report.findings.contains {
                $0.kind == .hotJournal || $0.kind == .hiddenLocks
            }
            results.append(
                Finding(
                    part: .journal,
                    mark: .note,
                    text: "Rollback journal: a transaction that writes to the file blocks readers, "
                        + "and readers block it. In WAL mode, they run concurrently.",
                    remedy: isOther
                        ? nil
                        : "Run PRAGMA journal_mode = WAL unless the file is on a network file "
                            + "system."
                )
            )
        }
        // `processes` contains the findings about processes.
        for finding in report.findings where Self.concernsJournal(finding.kind) {
            results.append(
                Finding(
                    part: .journal,
                    mark: Self.mark(finding.level),
                    text: finding.text,
                    remedy: finding.remedy
                )
            )
        }
        return results
    }

    private func largeLogFinding(_ wal: WatchedWAL) -> Finding {
        var text =
            "The -wal file (\(HumanUnits.bytes(wal.bytes))) is larger than the database "
            + "(\(HumanUnits.bytes(report.file.bytes ?? 0)))."
        if let frames = wal.frames, let backfilled = wal.backfilled {
            let backlog = HumanUnits.exact(frames - min(frames, backfilled), "frame")
            text += " No checkpoint has copied \(backlog) to the database yet."
        }
        // The log can reach this size even with automatic checkpoints.
        let isUsual = (wal.room ?? 0) <= 2 * Self.checkpointFrames
        return Finding(
            part: .journal,
            mark: isUsual ? .note : .warning,
            text: text,
            remedy: isUsual
                ? nil
                : "Watch it with poolgauge top. PRAGMA wal_checkpoint(TRUNCATE) truncates the file "
                    + "if no reader pins the log."
        )
    }

    private static func concernsJournal(_ kind: Findings.Finding.Kind) -> Bool {
        switch kind {
        case .hotJournal, .leftoverWAL, .largeNotPinned, .pinned, .overlappingReaders,
            .largeTransaction, .noCheckpoint:
            true
        default: false
        }
    }

    private static func mark(_ level: Findings.Finding.Level) -> Doctor.Mark {
        switch level {
        case .alarm: .problem
        case .warning: .warning
        case .note: .note
        case .nothing: .ok
        }
    }

    private var space: [Finding] {
        let file = report.file
        let vacuum = file.autoVacuum.map { "auto-vacuum \($0.rawValue)" } ?? "auto-vacuum unknown"
        let free = file.freePages ?? 0
        let share = Double(free) / Double(max(file.pages ?? 0, free, 1))
        var results: [Finding] = []
        let isNotable = free >= Self.notableFreePages && share >= Self.notableFreeShare
        let bytes = HumanUnits.bytes(free * UInt64(file.pageSize ?? 0))
        results.append(
            Finding(
                part: .space,
                mark: !isNotable ? .ok : share >= Self.largeFreeShare ? .warning : .note,
                text:
                    "\(HumanUnits.exact(free, "free page")) (\(HumanUnits.percent(share)), \(bytes)), "
                    + vacuum,
                remedy: isNotable ? remedy(file.autoVacuum) : nil
            )
        )
        if file.autoVacuum == .full {
            results.append(
                Finding(
                    part: .space,
                    mark: .note,
                    text: "Each commit that frees pages moves pages from the end of the file into "
                        + "their place, so commits write more and tables become fragmented.",
                    remedy: "Set PRAGMA auto_vacuum = INCREMENTAL, and run PRAGMA "
                        + "incremental_vacuum when the load is low."
                )
            )
        }
        return results
    }

    private func remedy(_ vacuum: AutoVacuum?) -> String {
        vacuum == .incremental
            ? "PRAGMA incremental_vacuum returns the free pages to the file system."
            : "New rows reuse the free pages; VACUUM returns them to the file system."
    }

    private var processes: [Finding] {
        guard !report.processes.isEmpty else {
            let text = "No process that is visible to this user has the file open."
            return [Finding(part: .processes, mark: .ok, text: text)]
        }
        var results = report.processes.prefix(Self.processLimit).map { process in
            let locks = process.locks.map { lock in
                lock.mark.map { "\(lock.kind.rawValue) on mark \($0)" } ?? lock.kind.rawValue
            }
            let user = process.user.map { ", user \($0)" } ?? ""
            let held = locks.isEmpty ? "idle" : "holds \(locks.joined(separator: ", "))"
            return Finding(
                part: .processes,
                mark: .ok,
                text: "\(process.name) (\(process.pid)\(user)): \(held)"
            )
        }
        let unlistedCount = report.processes.count - results.count
        if unlistedCount > 0 {
            results.append(Finding(part: .processes, mark: .ok, text: "and \(unlistedCount) more"))
        }
        for finding in report.findings
        where finding.kind != .nothing && !Self.concernsJournal(finding.kind) {
            results.append(
                Finding(
                    part: .processes,
                    mark: Self.mark(finding.level),
                    text: finding.text,
                    remedy: finding.remedy
                )
            )
        }
        return results
    }
}
