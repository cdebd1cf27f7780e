import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The folder of the recordings of an ``EpisodeRecorder``, which contains one file for each episode.
package struct EpisodeFolder: Sendable {
    package let path: String

    /// A recording in the folder.
    private struct File {
        var path: String
        /// The time of the last change, in seconds since 1970.
        var time: Double
        var bytes: UInt64
    }

    private static let suffix = ".recording"

    /// Creates the folder with the mode 0700 if it does not exist.
    ///
    /// - Throws: ``RecordingError`` if the folder cannot be written.
    init(path: String) throws {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let reason = String(cString: strerror(errno))
            throw RecordingError("cannot create the folder '\(path)': \(reason)")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw RecordingError(
                "'\(path)' is not a folder; the recordings of events need one, which is created"
            )
        }
        guard access(path, W_OK | X_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw RecordingError("cannot write to the folder '\(path)': \(reason); use another")
        }
    }

    /// Returns the path of a new recording, such as `FOLDER/app.sqlite-2026-11-29-021305.recording`.
    func newPath(for database: String, at date: Date) -> String {
        // The name of a database can be almost as long as that of a file may be.
        let name = database.split(separator: "/").last.map { String($0.prefix(60)) } ?? "database"
        return Self.newPath(path + "/" + name, at: date)
    }

    /// Returns the first unused file name for a date.
    package static func newPath(
        _ prefix: String,
        at date: Date,
        calendar: Calendar = .current,
        isTaken: (String) -> Bool = { access($0, F_OK) == 0 || access($0 + "-wal", F_OK) == 0 }
    ) -> String {
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: date
        )
        func digits(_ number: Int?) -> String {
            let text = String(number ?? 0)
            return text.count < 2 ? "0" + text : text
        }
        let day = [parts.year, parts.month, parts.day].map(digits).joined(separator: "-")
        let time = [parts.hour, parts.minute, parts.second].map(digits).joined()
        let name = "\(prefix)-\(day)-\(time)"
        var path = name + suffix
        var number = 2
        while isTaken(path) {
            path = "\(name)-\(number)\(suffix)"
            number += 1
        }
        return path
    }

    /// Returns the paths of the recordings in a folder, oldest first, or `nil` if the folder cannot
    /// be listed.
    package static func recordings(in path: String) -> [String]? { files(in: path)?.map(\.path) }

    /// Removes the oldest recordings until the limits are met, except the newest one and those that
    /// another process is writing.
    ///
    /// - Parameters:
    ///   - time: The time before which recordings are removed, in seconds since 1970, or `nil`.
    ///   - bytes: The size of all recordings, in bytes, or `nil` for no limit.
    ///   - since: The start of the last hour, in seconds since 1970, and the number of recordings in
    ///     it, or `nil` for no limit.
    ///   - open: The recordings that this process is writing. Opening and closing such a file would
    ///     release SQLite's locks on it.
    func removeOldest(
        olderThan time: Double?,
        bytes: UInt64?,
        since: (start: Double, count: Int)?,
        except open: Set<String>
    ) {
        guard time != nil || bytes != nil || since != nil,
            var files = Self.files(in: path, except: open)?
                .filter({ !Self.isBeingWritten($0.path) })
        else { return }
        func remove(while isExcess: (File) -> Bool) {
            while files.count > 1, let oldest = files.first, isExcess(oldest) {
                files.removeFirst()
                for suffix in ["", "-wal", "-shm"] { unlink(oldest.path + suffix) }
            }
        }
        if let time { remove { $0.time < time } }
        if let bytes {
            remove { _ in files.reduce(UInt64(0)) { $0 &+ $1.bytes } > bytes }
        }
        if let since {
            let recent = files.firstIndex { $0.time >= since.start } ?? files.endIndex
            var excess = files.count - recent - since.count
            let earlier = Array(files[..<recent])
            files.removeFirst(recent)
            remove { _ in
                defer { excess -= 1 }
                return excess > 0
            }
            files = earlier + files
        }
    }

    private static func files(in path: String, except open: Set<String> = []) -> [File]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return nil
        }
        return names.filter { $0.hasSuffix(suffix) }.compactMap { name in
            let path = path + "/" + name
            var status = stat()
            guard !open.contains(path), lstat(path, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG,
                (try? RecordingHeader(path: path))?.isRecording == true
            else { return nil }
            #if canImport(Glibc)
            let time = status.st_mtim
            #else
            let time = status.st_mtimespec
            #endif
            return File(
                path: path,
                time: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
                bytes: RecordingFile.size(ofFileAt: path)
            )
        }.sorted { ($0.time, $0.path) < ($1.time, $1.path) }
    }

    /// Whether a recorder holds the lock of a recording.
    private static func isBeingWritten(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        #if os(Linux)
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
        #else
        return access(path + "-wal", F_OK) == 0
        #endif
    }
}
