import ArgumentParser
import Comparison
import Foundation
import WorkloadEngine

/// The temporary folder and the progress of a command that runs a scenario many times.
struct RunSeries {
    let folder: RunFolder
    let reporter: ProgressReporter

    init(progress: ProgressMode) throws {
        folder = try RunFolder(isKept: false)
        reporter = ProgressReporter(progress)
    }

    /// Sets the options common to all kinds of series, and copies the user's database.
    ///
    /// - Parameters:
    ///   - options: The options of the series.
    ///   - data: The user's database, if any.
    ///   - scenario: The scenario's name or path, as entered by the user.
    /// - Throws: ``CommandFailure`` if the database cannot be copied.
    func prepare(
        _ options: inout some RunSeriesOptions,
        data: DatabaseOptions,
        for scenario: String
    ) throws {
        options.run.folder = folder.url
        options.run.database = try data.copy(for: scenario, in: folder.url) {
            reporter.showStep($0)
        }
        options.run.processCommand = ClientProcess.command
        options.versions = HeadlessRun.versions
        options.onProgress = { [reporter] in reporter.showStep($0) }
    }
}

/// The options common to all kinds of series.
protocol RunSeriesOptions {
    var run: RunOptions { get set }
    var versions: [String: String] { get set }
    var onProgress: (@Sendable (String) -> Void)? { get set }
}

extension AdviceOptions: RunSeriesOptions {}
extension CapacityOptions: RunSeriesOptions {}
extension ComparisonOptions: RunSeriesOptions {}

/// The folder for all temporary files of a command.
///
/// ``remove()`` removes all files.
struct RunFolder: Sendable {
    let url: URL
    private let isKept: Bool

    /// Creates the folder.
    ///
    /// - Parameter isKept: Whether to keep the files. If `true`, the files are stored directly in
    ///   the system's temporary folder.
    /// - Throws: ``CommandFailure`` with the reason if the folder cannot be created.
    init(isKept: Bool) throws {
        try TemporaryFolder.check()
        self.isKept = isKept
        let parent = FileManager.default.temporaryDirectory
        guard !isKept else {
            url = parent
            return
        }
        url = parent.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        guard mkdir(url.path, 0o700) == 0 else {
            throw CommandFailure(
                "\(url.path): \(String(cString: strerror(errno)))",
                status: ExitStatus.failed.rawValue
            )
        }
    }

    func remove() {
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }
}

/// The folder for the databases of runs: `TMPDIR`, or the system's temporary folder.
enum TemporaryFolder {
    /// Checks that files can be created in the folder.
    ///
    /// - Throws: ``CommandFailure`` with the path and a remedy if files cannot be created.
    static func check() throws {
        let folder = FileManager.default.temporaryDirectory
        guard let problem = problem(with: folder) else { return }
        throw CommandFailure(
            message(for: problem, with: folder),
            status: ExitStatus.failed.rawValue
        )
    }

    /// Returns a message with the folder, the reason from ``problem(with:)``, and a remedy.
    static func message(for problem: String, with folder: URL) -> String {
        let isFromEnvironment = ProcessInfo.processInfo.environment["TMPDIR"] != nil
        return "cannot write to the temporary folder '\(folder.path)'"
            + (isFromEnvironment ? " (TMPDIR)" : "")
            + ": \(problem); set TMPDIR to a writable folder"
    }

    /// Returns the reason that files cannot be created in a folder, or `nil` if files can be
    /// created.
    static func problem(with folder: URL) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else {
            return "there is no such folder"
        }
        guard isFolder.boolValue else { return "the path is not a folder" }
        // Checking permission bits is not sufficient, because root may ignore them, and a read-only
        // file system overrides them.
        let probe = folder.appendingPathComponent("poolgauge-\(UUID().uuidString)").path
        let descriptor = open(probe, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        guard descriptor >= 0 else {
            return errno == EACCES ? "permission denied" : String(cString: strerror(errno))
        }
        close(descriptor)
        unlink(probe)
        return nil
    }
}
