import Yams

extension ScenarioDecoder {
    /// When a client's accesses happen; nil for a closed loop without thinking.
    func decodePace(_ reader: MappingReader) -> Client.Pace? {
        let ways = ["arrival", "at", "every", "think"].filter(reader.has)
        for other in ways.dropFirst() {
            log.add("'\(other)' does not go with '\(ways[0])'", at: reader.mark(of: other))
        }
        switch ways.first {
        case "arrival":
            return decodeArrival(reader).map(Client.Pace.open)
        case "at":
            return reader.quantity("at", Quantity.span).map(Client.Pace.at)
        case "every":
            guard let period = reader.quantity("every", Quantity.span) else { return nil }
            guard period.resolved(in: .seconds(1)) > .zero else {
                log.add(
                    "'every' of \(reader.what) must be longer than 0",
                    at: reader["every"]?.mark
                )
                return nil
            }
            return .every(period)
        case "think":
            return reader.duration("think").map(Client.Pace.closed(think:))
        default:
            return nil
        }
    }

    private func decodeArrival(_ reader: MappingReader) -> Arrival? {
        guard let node = reader["arrival"],
            let arrival = MappingReader(
                node,
                what: "'arrival' of \(reader.what)",
                Language.arrival,
                at: reader.mark(of: "arrival"),
                log: log
            ),
            arrival.required("rate", example: "200/s") != nil,
            let rate = arrival.quantity("rate", Quantity.rate)
        else { return nil }
        if rate <= 0 || rate > 1e7 {
            log.add(
                "'rate' of \(arrival.what) must be above 0 and at most 10000000/s",
                at: arrival["rate"]?.mark
            )
            return nil
        }
        let process = arrival.word("process", of: Arrival.Process.allCases.map(\.rawValue))
        return Arrival(
            rate: rate,
            process: process.flatMap(Arrival.Process.init(rawValue:)) ?? .poisson,
            skipAfter: arrival.positiveDuration("skip-after")
        )
    }
}
