import Foundation

extension RunOptions {
    /// Returns the reason for each client that at least one arm cannot run, keyed by the client's
    /// name.
    ///
    /// Each arm opens an empty database for the check.
    ///
    /// - Parameters:
    ///   - clients: The clients to check.
    ///   - arms: The arms. A client's reason comes from the first arm that cannot run the client.
    ///   - factory: The factory that opens the arms.
    ///   - reason: A function that returns the reason that a client cannot run on an arm's target,
    ///     if any.
    /// - Returns: The reasons.
    /// - Throws: The library's error if an arm cannot be opened.
    func obstacles(
        to clients: [Client],
        on arms: [Arm],
        factory: any WorkloadTargetFactory,
        reason: (Client, Arm, any WorkloadTarget) -> String?
    ) throws -> [String: String] {
        let folder = folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try PrivateFolder.create(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        var reasons: [String: String] = [:]
        for arm in arms {
            let file = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
            let target = try factory.open(arm, at: file.path)
            for client in clients where reasons[client.name] == nil {
                reasons[client.name] = reason(client, arm, target)
            }
            try target.close()
        }
        return reasons
    }
}
