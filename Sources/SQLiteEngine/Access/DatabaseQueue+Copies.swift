extension DatabaseQueue {
    /// Copies a database file into memory.
    ///
    /// The copy exists as long as the queue. If the configuration is read-only, the copy rejects
    /// writes.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path.
    public static func inMemoryCopy(
        fromPath path: String,
        configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try copy(fromPath: path, configuration) { try DatabaseQueue(configuration: $0) }
    }

    /// Copies a database file into a temporary file.
    ///
    /// SQLite deletes the temporary file when the queue is released. If the configuration is
    /// read-only, the copy rejects writes.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path.
    public static func temporaryCopy(
        fromPath path: String,
        configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        // With an empty name, SQLite opens a temporary file (https://sqlite.org/c3ref/open.html).
        try copy(fromPath: path, configuration) { try DatabaseQueue(path: "", configuration: $0) }
    }

    private static func copy(
        fromPath path: String,
        _ configuration: Configuration,
        to makeQueue: (Configuration) throws -> DatabaseQueue
    ) throws -> DatabaseQueue {
        var sourceConfiguration = configuration
        sourceConfiguration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
        var copyConfiguration = configuration
        copyConfiguration.readonly = false
        let copy = try makeQueue(copyConfiguration)
        try source.backup(to: copy)
        if configuration.readonly {
            // Rejects writes permanently. SQLite cannot open an in-memory database or a new file as
            // read-only.
            copy.inDatabase { $0.readOnlyDepth += 1 }
        }
        return copy
    }
}
