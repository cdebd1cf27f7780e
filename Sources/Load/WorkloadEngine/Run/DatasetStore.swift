import Foundation
import Telemetry
import Text

/// A store that builds datasets and copies them for each arm.
///
/// The store builds a dataset through a single connection in rollback-journal mode, regardless of
/// the arm. The store closes the database before copying the file so that all arms start in the
/// same state.
public final class DatasetStore: Sendable {
    private struct Entry: Sendable {
        var dataset: Dataset
        var seed: UInt64
        var file: URL
    }

    private let parent: URL
    private let folder: URL
    private let entries = Lock<[Entry]>([])
    private let hasFolder = Lock(false)

    /// Creates an empty store with a new folder inside `parent`.
    public init(in parent: URL = FileManager.default.temporaryDirectory) {
        self.parent = parent
        folder = parent.appendingPathComponent("poolgauge-data-\(UUID().uuidString)")
    }

    deinit { remove() }

    /// Deletes the stored files.
    ///
    /// The next copy of a dataset rebuilds its file.
    public func remove() {
        entries.withLock { $0.removeAll() }
        hasFolder.withLock { $0 = false }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Copies an arm's data to a new file, building the data first if necessary.
    ///
    /// During the build, this method calls `progress` with the completed fraction, from 0 to 1. If
    /// `progress` throws an error, the build ends.
    func copy(
        dataOf scenario: Scenario,
        for arm: Arm,
        through factory: any WorkloadTargetFactory,
        to file: URL,
        progress: (Double) throws -> Void
    ) throws {
        let dataset = scenario.dataset(of: arm)
        let known = entries.withLock { entries in
            entries.first { $0.dataset == dataset && $0.seed == scenario.seed }?.file
        }
        let source = try known ?? make(dataset, seed: scenario.seed, factory, progress)
        try FreeSpace.check(
            FreeSpace.size(of: source.path),
            in: file.deletingLastPathComponent().path,
            for: "a copy of the data"
        )
        try FileManager.default.copyItem(at: source, to: file)
        Self.sync(file)
    }

    private func make(
        _ dataset: Dataset,
        seed: UInt64,
        _ factory: any WorkloadTargetFactory,
        _ progress: (Double) throws -> Void
    ) throws -> URL {
        try hasFolder.withLock { hasFolder in
            if !hasFolder { try PrivateFolder.create(at: folder) }
            hasFolder = true
        }
        let file = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
        if case .file(let path) = dataset {
            try factory.copyDatabase(at: path, to: file.path, progress: progress)
        } else {
            try build(dataset, seed: seed, at: file, factory, progress)
        }
        let entry = Entry(dataset: dataset, seed: seed, file: file)
        entries.withLock { $0.append(entry) }
        return file
    }

    private func build(
        _ dataset: Dataset,
        seed: UInt64,
        at file: URL,
        _ factory: any WorkloadTargetFactory,
        _ progress: (Double) throws -> Void
    ) throws {
        // The data does not need to survive a power loss.
        let arm = Arm(name: "data", kind: .queue, synchronous: "off")
        let target = try factory.open(arm, at: file.path)
        do {
            try DatasetBuilder.build(dataset, seed: seed, in: target, progress: progress)
        } catch {
            try? target.close()
            throw error
        }
        try target.close()
    }

    /// Syncs a file to disk so that the system does not write the file's pages during the load.
    private static func sync(_ file: URL) {
        let descriptor = open(file.path, O_RDONLY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

package enum FreeSpace {
    package struct Shortage: Error, Sendable, Equatable, CustomStringConvertible {
        package var folder: String
        package var purpose: String
        /// The required space, in bytes.
        package var required: UInt64
        /// The free space of the folder's file system, in bytes.
        package var free: UInt64

        package init(folder: String, purpose: String, required: UInt64, free: UInt64) {
            self.folder = folder
            self.purpose = purpose
            self.required = required
            self.free = free
        }

        package var description: String {
            "the folder '\(folder)' is full: \(purpose) needs \(ReportUnits.bytes(required)), but "
                + "only \(ReportUnits.bytes(free)) are free; free some space, or set TMPDIR to a "
                + "folder with enough space"
        }
    }

    /// Returns the free space on a folder's file system, in bytes, or `nil` if it is unavailable.
    package static func bytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    package static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }

    /// Returns progress text for a database copy, such as `copying app.sqlite (7.9 MiB)`.
    package static func copyText(of path: String) -> String {
        let name = URL(fileURLWithPath: path).lastPathComponent
        return "copying \(name) (\(ReportUnits.bytes(size(of: path) + size(of: path + "-wal"))))"
    }

    /// Throws ``Shortage`` if a folder has fewer than `required` bytes of free space.
    package static func check(_ required: UInt64, in folder: String, for purpose: String) throws {
        guard let free = bytes(in: folder), free < required else { return }
        throw Shortage(folder: folder, purpose: purpose, required: required, free: free)
    }
}

/// A type that creates folders that only the current user can use.
///
/// The system's temporary folder is shared, and the folder of a run may contain a copy of a private
/// database.
enum PrivateFolder {
    /// Creates a folder with the mode 0700, and its parent folders if they are missing.
    ///
    /// - Throws: An error if the path exists, even as a link, or if the folder cannot be created.
    static func create(at url: URL) throws {
        let files = FileManager.default
        let parent = url.deletingLastPathComponent()
        if !files.fileExists(atPath: parent.path) {
            try files.createDirectory(at: parent, withIntermediateDirectories: true)
        }
        // `createDirectory` accepts an existing folder, which may belong to another user.
        guard mkdir(url.path, 0o700) == 0 else {
            throw Failure(path: url.path, reason: String(cString: strerror(errno)))
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var path: String
        var reason: String

        var description: String { "cannot create the folder \(path): \(reason)" }
    }
}
