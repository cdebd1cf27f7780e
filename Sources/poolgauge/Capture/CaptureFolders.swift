import Foundation
import Synchronization

/// The folders that a capture makes, all of which are removed when it ends, or when a signal ends it.
final class CaptureFolders: Sendable {
    private let folders = Mutex<[RunFolder]>([])

    /// Makes an empty folder.
    ///
    /// - Returns: The folder.
    /// - Throws: A ``CommandFailure`` that says why it cannot be made.
    func make() throws -> URL {
        try folders.withLock { folders in
            let folder = try RunFolder(isKept: false)
            folders.append(folder)
            return folder.url
        }
    }

    /// Removes all folders with their content.
    @Sendable func remove() {
        for folder in folders.withLock({ $0 }) { folder.remove() }
    }
}
