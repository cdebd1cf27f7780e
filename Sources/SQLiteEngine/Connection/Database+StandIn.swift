import CSQLite

extension Database {
    /// Runs `body` although there is no connection: throws `error` if `body` may throw such errors.
    ///
    /// A closure that throws nothing must run, and has no way to hear of the error. It gets a
    /// connection whose statements all throw it.
    static func standIn<T, E: Error>(
        for error: any Error,
        label: String,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let error = error as? E { throw error }
        return try body(makeStandIn(label: label, for: error))
    }

    /// A connection whose statements all throw `error`.
    ///
    /// It has a C connection of its own, to an empty database in memory, since most of SQLite's
    /// functions do not take NULL for a connection.
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
            fatalError("cannot open a database in memory: \(error)")
        }
    }
}
