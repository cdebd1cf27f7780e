import Foundation
import SQLiteWatch
import Text
import WorkloadEngine

#if !os(Linux)
import EngineTarget
#endif

/// The copies of a database for a rehearsal: one that remains as it is, and one for each run.
///
/// The original is only read.
final class RehearsalCopies {
    /// The folder of all copies.
    let folder: URL
    /// Whether copies share the blocks of the original, so that they need no space of their own.
    private let sharesBlocks: Bool
    private let control: RehearsalControl
    private let report: (String) -> Void
    private var base: URL?
    private var count = 0
    /// The space that must remain free on the file system, in bytes.
    let reserve: UInt64
    /// The free space before the first copy, in bytes.
    let initialFree: UInt64?

    /// The largest space that remains free, in bytes.
    private static let maximumReserve: UInt64 = 1 << 30

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - database: The original.
    ///   - parent: The folder in which to create the copies' folder, or `nil` for that of the
    ///     database.
    ///   - control: The control, which ends copying.
    ///   - report: A function that receives the progress.
    /// - Throws: ``CommandFailure`` if the folder cannot be created.
    init(
        of database: URL,
        in parent: String?,
        control: RehearsalControl,
        reporting report: @escaping (String) -> Void
    ) throws {
        self.control = control
        self.report = report
        let parent =
            parent.map { URL(fileURLWithPath: $0) }
            ?? database.resolvingSymlinksInPath().deletingLastPathComponent()
        folder = parent.appendingPathComponent(".poolgauge-rehearsal-\(UUID().uuidString)")
        guard mkdir(folder.path, 0o700) == 0 else {
            throw CommandFailure(
                "the folder '\(parent.path)' cannot contain the copies of the database: "
                    + "\(String(cString: strerror(errno))); specify another folder on the same kind "
                    + "of disk with --copies",
                status: ExitStatus.failed.rawValue
            )
        }
        control.follow(folder: folder)
        sharesBlocks = Self.sharesBlocks(database, folder: folder)
        initialFree = FreeSpace.bytes(in: folder.path)
        reserve = Self.reserve(in: folder.path)
    }

    /// Returns the space that must remain free on the file system of a folder, in bytes: 5%, but at
    /// most 1 GiB.
    static func reserve(in folder: String) -> UInt64 {
        var information = statvfs()
        guard statvfs(folder, &information) == 0 else { return 0 }
        let total = UInt64(information.f_blocks) * UInt64(information.f_frsize)
        return min(maximumReserve, total / 20)
    }

    // MARK: The original

    /// Copies the original.
    ///
    /// - Parameter path: The path of the original, as given.
    /// - Throws: ``CommandFailure`` with the reason and a remedy, or `CancellationError`.
    func copyOriginal(_ path: String) throws {
        let size = FreeSpace.size(of: path) + FreeSpace.size(of: path + "-wal")
        // One copy remains as it is, and another one is changed.
        try checkSpace(for: sharesBlocks ? 0 : 2 * size)
        let target = folder.appendingPathComponent("original")
        guard mkdir(target.path, 0o700) == 0 else { throw failure(errno) }
        #if os(Linux)
        base = try copyWithoutSQLite(path, to: target)
        #else
        let file = target.appendingPathComponent("copy.sqlite")
        let text = FreeSpace.copyText(of: path)
        try EngineTargetFactory().copyDatabase(at: path, to: file.path) { share in
            try control.check()
            report("\(text): \(Int(share * 100))%")
        }
        base = file
        #endif
        // Otherwise, the system would write the copy to the disk during the runs.
        for suffix in ["", "-wal", "-journal"] {
            let descriptor = open(
                target.appendingPathComponent("copy.sqlite\(suffix)").path,
                O_RDONLY
            )
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }

    #if os(Linux)
    /// The time to keep retrying while other programs write to the database.
    private static let retryLimit = Duration.seconds(5)

    private func copyWithoutSQLite(_ path: String, to target: URL) throws -> URL {
        let state = try PrivateCopy.watch(path)
        try DatabaseFileProblem.check(state, path: path)
        let text = FreeSpace.copyText(of: path)
        let end = ContinuousClock.now + Self.retryLimit
        while true {
            do throws(DatabaseCopy.Refusal) {
                let copy = try DatabaseCopy.make(
                    of: path,
                    in: target.path,
                    limit: .max,
                    isInUse: !state.processes.isEmpty
                ) { copied, size in
                    report("\(text): \(Self.percent(copied, of: size))")
                    return !control.isStopped
                }
                return URL(fileURLWithPath: copy.path)
            } catch {
                try control.check()
                for name in ["copy.sqlite", "copy.sqlite-wal", "copy.sqlite-journal"] {
                    unlink(target.appendingPathComponent(name).path)
                }
                if case .changing = error, ContinuousClock.now < end { continue }
                throw failure(error, path: path)
            }
        }
    }

    private func failure(_ refusal: DatabaseCopy.Refusal, path: String) -> CommandFailure {
        let reason =
            switch refusal {
            case .tooLarge(let bytes): "it is too large (\(HumanUnits.bytes(bytes)))"
            case .noRoom(let bytes, let free):
                "a copy needs \(HumanUnits.bytes(bytes)), but only \(HumanUnits.bytes(free)) are "
                    + "free in '\(folder.deletingLastPathComponent().path)'; specify another folder "
                    + "with --copies"
            case .changing(let reason):
                "\(reason); try again when fewer transactions write to the database, or rehearse on "
                    + "a backup"
            case .severalDatabases:
                "its journal belongs to a transaction on several databases; let a program that uses "
                    + "them roll it back first"
            case .failed(let reason): reason
            case .stopped: "the copy was interrupted"
            }
        return CommandFailure(
            "'\(path)' cannot be copied: \(reason). The original is unchanged.",
            status: ExitStatus.failed.rawValue
        )
    }
    #endif

    private static func percent(_ part: UInt64, of total: UInt64) -> String {
        "\(total == 0 ? 100 : min(100, part * 20 / total * 5))%"
    }

    // MARK: Copies for runs

    /// Copies the unchanged copy for a run.
    ///
    /// - Parameters:
    ///   - purpose: The purpose, for the progress.
    ///   - isSynced: Whether to write the copy to the disk now, so that the system does not write it
    ///     during the run.
    /// - Returns: The path of the copy.
    /// - Throws: ``CommandFailure`` if the space does not suffice, or `CancellationError`.
    func make(for purpose: String, isSynced: Bool = true) throws -> String {
        guard let base else { throw CommandFailure("the database has not been copied") }
        count += 1
        let target = folder.appendingPathComponent("run-\(count)")
        let suffixes = ["", "-wal", "-journal"].filter {
            FileManager.default.fileExists(atPath: base.path + $0)
        }
        let size = suffixes.reduce(0) { $0 + FreeSpace.size(of: base.path + $1) }
        try checkSpace(for: sharesBlocks ? 0 : size)
        guard mkdir(target.path, 0o700) == 0 else { throw failure(errno) }
        let path = target.appendingPathComponent("database.sqlite").path
        for suffix in suffixes {
            try copy(base.path + suffix, to: path + suffix, isSynced: isSynced) { bytes in
                report("copying for the \(purpose): \(Self.percent(bytes, of: size))")
            }
        }
        return path
    }

    /// Removes a copy that ``make(for:isSynced:)`` created.
    func remove(_ path: String) {
        try? FileManager.default.removeItem(
            at: URL(fileURLWithPath: path).deletingLastPathComponent()
        )
    }

    private func copy(
        _ source: String,
        to target: String,
        isSynced: Bool,
        progress: (UInt64) -> Void
    ) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure(errno) }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure(errno) }
        defer { close(output) }
        #if os(Linux)
        do throws(FileCopy.Failure) {
            _ = try FileCopy.copy(input, to: output) { bytes in
                progress(bytes)
                return !control.isStopped
            }
        } catch {
            switch error {
            case .reading(let code), .writing(let code): throw failure(code)
            case .stopped: throw CancellationError()
            }
        }
        #else
        guard fcopyfile(input, output, nil, copyfile_flags_t(COPYFILE_DATA)) == 0 else {
            throw failure(errno)
        }
        #endif
        if isSynced { fsync(output) }
    }

    // MARK: Space

    /// Throws ``CommandFailure`` if fewer than `bytes` and the reserve are free.
    private func checkSpace(for bytes: UInt64) throws {
        let (needed, overflow) = bytes.addingReportingOverflow(reserve)
        guard let free = FreeSpace.bytes(in: folder.path), overflow || free < needed else { return }
        throw CommandFailure(
            "the copies of the database need \(HumanUnits.bytes(bytes)) and "
                + "\(HumanUnits.bytes(reserve)) must remain free, but only "
                + "\(HumanUnits.bytes(free)) are free in "
                + "'\(folder.deletingLastPathComponent().path)'; specify another folder with "
                + "--copies. The original is unchanged.",
            status: ExitStatus.failed.rawValue
        )
    }

    private func failure(_ code: Int32) -> CommandFailure {
        CommandFailure(
            "a copy cannot be written in '\(folder.deletingLastPathComponent().path)': "
                + "\(String(cString: strerror(code))); specify another folder with --copies. The "
                + "original is unchanged.",
            status: ExitStatus.failed.rawValue
        )
    }

    /// Returns whether files in a folder can share the blocks of the original.
    private static func sharesBlocks(_ original: URL, folder: URL) -> Bool {
        #if os(Linux)
        let first = folder.appendingPathComponent("first").path
        let second = folder.appendingPathComponent("second").path
        let input = open(first, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let output = open(second, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer {
            close(input)
            close(output)
            unlink(first)
            unlink(second)
        }
        var (information, copy) = (stat(), stat())
        guard input >= 0, output >= 0, stat(original.path, &information) == 0,
            fstat(input, &copy) == 0, information.st_dev == copy.st_dev
        else { return false }
        _ = write(input, "block", 5)
        return FileCopy.shares(input, with: output)
        #else
        return false
        #endif
    }
}
