import WorkloadEngine

extension EngineTargetFactory {
    /// Copies a database that other processes may be using.
    ///
    /// - Throws: An error that names the file or the folder, or an error that `progress` throws.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try DatabaseCopier().copy(source, to: path, progress: progress)
    }
}
