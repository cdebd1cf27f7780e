import WorkloadEngine

extension EngineTargetFactory {
    /// Copies a database that other processes may use, with ``DatabaseCopier``.
    ///
    /// - Throws: An error that names the file or the folder, or what `progress` threw.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try DatabaseCopier().copy(source, to: path, progress: progress)
    }
}
