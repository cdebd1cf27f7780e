extension ArmResult {
    /// The share of a client's accesses, in 0…1, from which on their errors fail a run whose
    /// scenario has no threshold on them.
    public static let errorShareLimit = 0.05

    /// Why the run failed, though it came to its end: clients with too many errors.
    ///
    /// A threshold on a client's `errors` says what is too many, so such a client is left to it.
    func tooManyErrors(for thresholds: [Threshold]) -> [String] {
        let judged = Set(thresholds.map(\.metric))
        return clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard !judged.contains("\(name).errors"), client.offered > 0 else { return nil }
            let share = Double(client.errorCount) / Double(client.offered)
            guard share > Self.errorShareLimit else { return nil }
            let codes = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                .prefix(3).map { "\(HumanUnits.count($0.value)) × \($0.key)" }
            return "\(HumanUnits.percent(share)) of \(name)'s accesses failed "
                + "(\(codes.joined(separator: ", "))); more than "
                + "\(HumanUnits.percent(Self.errorShareLimit)) needs a threshold on \(name).errors"
        }
    }
}
