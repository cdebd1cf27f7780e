import Foundation
import Telemetry

/// The file that a pool's first connection opened.
///
/// All connections of the pool must open the same file. If another file replaces the database file,
/// the open connections continue to use the original file. A connection to the new file would
/// combine the new file's content with the original file's log. See
/// https://sqlite.org/howtocorrupt.html, section 2.4.
final class OpenedFile: Sendable {
    private struct Identity: Equatable {
        var device: dev_t
        var inode: ino_t

        /// Reads the identity of a file without opening it.
        ///
        /// Closing the file would release this process's locks on the file.
        init?(path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return nil }
            device = information.st_dev
            inode = information.st_ino
        }
    }

    private let path: String
    private let identity = Lock<Identity?>(nil)

    init(path: String) { self.path = path }

    /// Records the file after the first connection has opened it.
    func record() {
        let found = Identity(path: path)
        identity.withLock { $0 = found }
    }

    /// Checks that the path still refers to the recorded file.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if another file has replaced the recorded file.
    func check() throws {
        // SQLite reports a missing file.
        guard let recorded = identity.withLock({ $0 }), let found = Identity(path: path),
            found != recorded
        else { return }
        var error = DatabaseError(
            resultCode: .SQLITE_CANTOPEN,
            message: "another file has replaced the database file while it was open"
        )
        error.explanation =
            "while opening `\(path)`: close the database, and open it again; to "
            + "replace the content of an open database, use `backup(to:)`"
        throw error
    }
}
