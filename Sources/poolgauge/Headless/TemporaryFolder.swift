import Foundation
import WorkloadEngine

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
