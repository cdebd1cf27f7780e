@testable import SQLiteEngine

extension Database {
    /// Opens a connection to an empty in-memory database.
    static func inMemory(configuration: Configuration = Configuration()) throws -> Database {
        try open(
            path: ":memory:",
            configuration: configuration,
            label: "test",
            probe: ConnectionProbe(level: configuration.probes)
        )
    }
}
