import Foundation
import Scenarios
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

    /// The values of a scenario's columns, which are equal in all copies of its data.
    private struct Columns: Sendable {
        var source: Dataset
        var seed: UInt64
        var variables: [String: Variable]
        var resolved: [String: Variable]
    }

    private let parent: URL
    private let folder: URL
    /// The number of scenarios whose columns are kept.
    private static let columnLimit = 4
    private let entries = Lock<[Entry]>([])
    private let columns = Lock<[Columns]>([])
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
        columns.withLock { $0.removeAll() }
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
        let source = try known ?? make(dataset, seed: scenario.seed, factory: factory, progress)
        try FreeSpace.check(
            FreeSpace.size(of: source.path),
            in: file.deletingLastPathComponent().path,
            for: "a copy of the data"
        )
        try FileManager.default.copyItem(at: source, to: file)
        Self.sync(file)
    }

    /// Returns the scenario with each column reference replaced by the column's range or values, which
    /// are read only once.
    ///
    /// Reading them takes a second for large tables. The arms of a block then also draw the same
    /// values, whatever their indexes.
    ///
    /// - Precondition: The target has a copy of the scenario's data, with the same rows.
    func resolvingColumns(
        of scenario: Scenario,
        on target: any WorkloadTarget
    ) throws -> Scenario {
        let source = scenario.dataset
        let known = columns.withLock { columns in
            columns.first {
                $0.source == source && $0.seed == scenario.seed
                    && $0.variables == scenario.variables
            }?.resolved
        }
        guard let known else {
            let resolved = try scenario.resolvingColumns(on: target)
            columns.withLock { columns in
                if columns.count >= Self.columnLimit { columns.removeFirst() }
                columns.append(
                    Columns(
                        source: source,
                        seed: scenario.seed,
                        variables: scenario.variables,
                        resolved: resolved.variables
                    )
                )
            }
            return resolved
        }
        var resolved = scenario
        resolved.variables = known
        return resolved
    }

    private func make(
        _ dataset: Dataset,
        seed: UInt64,
        factory: any WorkloadTargetFactory,
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
            try build(dataset, seed: seed, at: file, factory: factory, progress)
        }
        let entry = Entry(dataset: dataset, seed: seed, file: file)
        entries.withLock { $0.append(entry) }
        return file
    }

    private func build(
        _ dataset: Dataset,
        seed: UInt64,
        at file: URL,
        factory: any WorkloadTargetFactory,
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
