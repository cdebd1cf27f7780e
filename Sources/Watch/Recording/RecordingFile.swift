#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The file of a recording, which only one process writes.
final class RecordingFile: Sendable {
    let path: String
    /// Whether this object created the file.
    let isNew: Bool
    /// A descriptor that holds a lock to exclude other recorders.
    ///
    /// Close the descriptor after SQLite's connection, because closing any descriptor of a file
    /// releases all POSIX locks that the process holds on the file
    /// (https://sqlite.org/howtocorrupt.html, section 2.2).
    private let descriptor: Int32

    /// Creates a file with the mode 0600, or opens an existing recording.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - mustBeNew: Whether to throw an error if the file exists.
    /// - Throws: ``RecordingError`` for a link, for a file that is not a recording, and for a
    ///   recording that another process is writing.
    init(path: String, mustBeNew: Bool = false) throws {
        self.path = path
        var status = stat()
        if !mustBeNew, lstat(path, &status) == 0 {
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFLNK else {
                throw RecordingError("'\(path)' is a link; specify the file itself")
            }
            guard kind == S_IFREG else {
                throw RecordingError("'\(path)' is not a regular file; specify another name")
            }
            let header = try RecordingHeader(path: path)
            guard header.isRecording else {
                throw RecordingError(
                    "'\(path)' exists and is not a recording; specify another name"
                )
            }
            try header.check(path: path)
            descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            isNew = false
        } else {
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            isNew = true
        }
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw RecordingError("cannot write to '\(path)': \(reason); use another folder")
        }
        #if os(Linux)
        // On other systems, this lock conflicts with SQLite's locks.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw RecordingError("another process is recording to '\(path)'; specify another name")
        }
        #endif
        if !isNew { fchmod(descriptor, 0o600) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Removes a file that this object created.
    func removeIfNew() { if isNew { unlink(path) } }

    /// Returns the size of the file and its log, in bytes.
    static func size(ofFileAt path: String) -> UInt64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + UInt64(max(status.st_size, 0)) : sum
        }
    }
}

/// The fields of an SQLite file's header that identify a recording
/// (https://sqlite.org/fileformat.html, section 1.3).
struct RecordingHeader {
    private let bytes: [UInt8]

    /// Reads the header of a file.
    ///
    /// - Throws: ``RecordingError`` if the file cannot be read.
    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason =
                errno == EACCES
                ? "permission denied; check its permissions, or run as its owner"
                : "\(String(cString: strerror(errno))); check the path"
            throw RecordingError("cannot read '\(path)': \(reason)")
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else {
            throw RecordingError("cannot read '\(path)': \(String(cString: strerror(errno)))")
        }
        bytes = Array(buffer.prefix(count))
    }

    var isDatabase: Bool { bytes.starts(with: Array("SQLite format 3\0".utf8)) }

    var isRecording: Bool {
        isDatabase && bytes.count == 100 && number(at: 68) == RecordingSchema.applicationID
    }

    var version: Int { bytes.count == 100 ? number(at: 60) : 0 }

    /// Checks that this version of the tool can read the file's format.
    ///
    /// - Throws: ``RecordingError`` if a newer version of the tool wrote the file.
    func check(path: String) throws {
        guard version > RecordingSchema.version else { return }
        throw RecordingError(
            "'\(path)' has format \(version) and was written by a newer version of poolgauge; this "
                + "version reads formats up to \(RecordingSchema.version); update poolgauge"
        )
    }

    private func number(at offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
