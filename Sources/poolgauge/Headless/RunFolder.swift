import Foundation
import WorkloadEngine

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
