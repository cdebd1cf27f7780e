import Foundation
import Synchronization

/// The temporary folders of a capture, which are removed when the capture ends or is interrupted.
final class CaptureFolders: Sendable {
    private let folders = Mutex<[RunFolder]>([])

    /// Creates an empty folder.
    ///
    /// - Throws: ``CommandFailure`` with the reason if the folder cannot be created.
    func make() throws -> URL {
        try folders.withLock { folders in
            let folder = try RunFolder(isKept: false)
            folders.append(folder)
            return folder.url
        }
    }

    @Sendable func remove() {
        for folder in folders.withLock({ $0 }) { folder.remove() }
    }
}
