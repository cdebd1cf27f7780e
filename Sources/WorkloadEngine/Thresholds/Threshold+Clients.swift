extension Threshold {
    /// Returns the reason the scenario's clients do not produce the metric, if any.
    func problem(among clients: [Client]) -> String? {
        let parts = metric.split(separator: ".").map(String.init)
        guard parts.count == 2, ["fairness", "longest-wait"].contains(parts[1]),
            let client = clients.first(where: { $0.name == parts[0] })
        else { return nil }
        if client.workers < 2 {
            return "'\(metric)' needs a client with at least two workers; '\(client.name)' has one"
        }
        if parts[1] == "fairness", case .open = client.pace {
            return "'\(metric)' needs a client without 'arrival': any worker of '\(client.name)' "
                + "serves any arrival; limit \(client.name).longest-wait instead"
        }
        return nil
    }
}
