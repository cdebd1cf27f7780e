import CSQLite

extension Database {
    /// Adds an SQL function, or replaces the function with the same name and number of arguments.
    ///
    /// To add the function to all connections, call this method in
    /// `Configuration.prepareDatabase(_:)`. If SQLite runs out of memory, opening the connection
    /// then throws `SQLITE_NOMEM`. If the connection is already open, the function is not added.
    public func add(function: DatabaseFunction) {
        expectSuccess(function.install(on: handle), "add the function", function.name)
    }

    /// Removes an SQL function.
    public func remove(function: DatabaseFunction) {
        expectSuccess(function.uninstall(from: handle), "remove the function", function.name)
    }

    /// Adds a collation, or replaces the collation with the same name.
    ///
    /// To add the collation to all connections, call this method in
    /// `Configuration.prepareDatabase(_:)`. If SQLite runs out of memory, opening the connection
    /// then throws `SQLITE_NOMEM`. If the connection is already open, the collation is not added.
    public func add(collation: DatabaseCollation) {
        expectSuccess(collation.install(on: handle), "add the collation", collation.name)
    }

    /// Removes a collation.
    public func remove(collation: DatabaseCollation) {
        expectSuccess(collation.uninstall(from: handle), "remove the collation", collation.name)
    }

    func addPredefinedFunctionsAndCollations() throws {
        for function in DatabaseFunction.predefined { try check(function.install(on: handle)) }
        for collation in DatabaseCollation.predefined { try check(collation.install(on: handle)) }
    }

    /// Stops the program if `code` is neither `SQLITE_OK` nor `SQLITE_NOMEM`.
    ///
    /// Other failures are programming errors: the name is too long, there are too many arguments,
    /// or a running statement uses the function or collation.
    private func expectSuccess(_ code: CInt, _ action: String, _ name: String) {
        guard code != SQLITE_OK else { return }
        let error = DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle == nil ? "Connection is closed" : lastErrorMessage
        )
        if code == SQLITE_NOMEM {
            additionFailure = additionFailure ?? error
            return
        }
        fatalError("cannot \(action) \(name): \(error)")
    }
}
