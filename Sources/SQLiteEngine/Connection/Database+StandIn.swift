import CSQLite

extension Database {
    /// Throws `error` if `body` can throw an error of this type; otherwise, runs `body` with a
    /// stand-in.
    ///
    /// A closure that cannot throw the error must still run. Every statement on the stand-in throws
    /// the error.
    static func withStandIn<T, E: Error>(
        for error: any Error,
        label: String,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let error = error as? E { throw error }
        return try body(makeStandIn(label: label, for: error))
    }

    /// Creates a connection on which every statement throws `error`.
    ///
    /// The stand-in has a separate C connection to an empty in-memory database, because most SQLite
    /// functions do not accept a null pointer as a connection.
    static func makeStandIn(label: String, for error: any Error) -> Database {
        do {
            let database = try open(
                path: ":memory:",
                configuration: Configuration(),
                label: label,
                probe: ConnectionProbe(level: .off)
            )
            database.standInError = error as? DatabaseError ?? .connectionIsClosed()
            return database
        } catch {
            fatalError("cannot open an in-memory database: \(error)")
        }
    }
}
