import Foundation
import WorkloadEngine

/// The folder that contains all of a command's temporary files, so that one call removes them.
struct RunFolder: Sendable {
    /// The folder.
    let url: URL
    private let isKept: Bool

    /// Creates the folder.
    ///
    /// - Parameter isKept: Whether to keep the files. Files to keep are stored directly in the
    ///   system's temporary folder.
    /// - Throws: A ``CommandFailure`` with the reason if the folder cannot be created.
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

    /// Removes the folder with its contents, unless it is kept.
    func remove() {
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }
}
