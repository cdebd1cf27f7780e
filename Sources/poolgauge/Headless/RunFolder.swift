import Foundation
import WorkloadEngine

/// The one folder that holds all that a command makes, so that it goes whatever happens.
struct RunFolder: Sendable {
    /// The folder.
    let url: URL
    private let isKept: Bool

    /// Makes the folder.
    ///
    /// - Parameter isKept: Whether what is in it then stays; the system's folder is then used
    ///   itself.
    /// - Throws: A ``CommandFailure`` that says why it cannot be made.
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

    /// Removes the folder with all that is in it, unless it is kept.
    func remove() {
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }
}
