import Foundation
import WorkloadEngine

/// The folder in which databases are made: `TMPDIR`, or the system's.
enum TemporaryFolder {
    /// Makes sure that files can be made there.
    ///
    /// - Throws: A ``CommandFailure`` that names the folder, and what to do.
    static func check() throws {
        let folder = FileManager.default.temporaryDirectory
        guard let problem = problem(with: folder) else { return }
        let isOurs = ProcessInfo.processInfo.environment["TMPDIR"] != nil
        throw CommandFailure(
            "\(isOurs ? "TMPDIR is '\(folder.path)'" : folder.path): \(problem); set TMPDIR to a "
                + "folder in which databases can be made",
            status: ExitStatus.failed.rawValue
        )
    }

    /// Why no files can be made in a folder; nil when they can.
    static func problem(with folder: URL) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else {
            return "there is no such folder"
        }
        guard isFolder.boolValue else { return "that is not a folder" }
        // Root may write where the mode forbids it, and nobody may on a read-only file system.
        let probe = folder.appendingPathComponent("poolgauge-\(UUID().uuidString)").path
        let descriptor = open(probe, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        close(descriptor)
        unlink(probe)
        return nil
    }
}
