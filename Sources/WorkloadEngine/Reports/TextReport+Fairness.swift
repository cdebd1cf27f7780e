import Text

extension TextReport {
    static func fairness(_ run: ArmResult) -> [String] {
        run.clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard let fairness = client.fairness else { return nil }
            var parts: [String] = []
            if let smallest = fairness.smallestShare, let largest = fairness.largestShare {
                parts.append(
                    "smallest share \(ReportUnits.fraction(smallest)) of an equal share, "
                        + "largest \(ReportUnits.fraction(largest))"
                )
            }
            if let wait = fairness.longestWait {
                let worker = fairness.longestWaitWorker.map { " (worker \($0))" } ?? ""
                parts.append("longest wait \(ReportUnits.time(wait))\(worker)")
            }
            guard !parts.isEmpty else { return nil }
            return "  fairness of \(name): " + parts.joined(separator: ", ")
        }
    }
}
