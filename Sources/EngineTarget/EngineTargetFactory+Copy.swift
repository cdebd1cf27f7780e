import WorkloadEngine

extension EngineTargetFactory {
    /// Copies a database that other processes may use, with ``DatabaseCopier``.
    ///
    /// - Throws: An error that contains the file or the folder, or the error of `progress`.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try DatabaseCopier().copy(source, to: path, progress: progress)
    }
}
