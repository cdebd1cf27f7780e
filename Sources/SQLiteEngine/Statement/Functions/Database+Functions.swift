import CSQLite

extension Database {
    /// Adds an SQL function, or replaces the function with the same name and number of arguments.
    ///
    /// To add the function to all connections, call this method in
    /// `Configuration.prepareDatabase(_:)`.
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
    /// `Configuration.prepareDatabase(_:)`.
    public func add(collation: DatabaseCollation) {
        expectSuccess(collation.install(on: handle), "add the collation", collation.name)
    }

    /// Removes a collation.
    public func remove(collation: DatabaseCollation) {
        expectSuccess(collation.uninstall(from: handle), "remove the collation", collation.name)
    }

    func addPredefinedFunctionsAndCollations() {
        for function in DatabaseFunction.predefined { add(function: function) }
        for collation in DatabaseCollation.predefined { add(collation: collation) }
    }

    /// Stops the program if `code` is not `SQLITE_OK`.
    ///
    /// A failure is a programming error: the name is too long, there are too many arguments, or a
    /// running statement uses the function or collation.
    private func expectSuccess(_ code: CInt, _ action: String, _ name: String) {
        guard code != SQLITE_OK else { return }
        let error = DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle == nil ? "Connection is closed" : lastErrorMessage
        )
        fatalError("cannot \(action) \(name): \(error)")
    }
}
