extension Scenario {
    /// Returns the scenario with one measured phase of a given length, which a caller ends early.
    ///
    /// Times that are shares of the measured time keep their length. A client that is active in only
    /// some of the phases is active if one of them is measured.
    package func continuous(for duration: Duration) -> Scenario {
        let measured = measuredDuration
        func absolute(_ span: TimeSpan) -> TimeSpan { .absolute(span.resolved(in: measured)) }
        let names = Set(phases.filter(\.isMeasured).map(\.name))
        var changed = self
        changed.phases = [Phase(name: "load", duration: duration)]
        changed.clients = clients.filter { client in
            client.phases.isEmpty || client.phases.contains(where: names.contains)
        }
        .map { client in
            var client = client
            client.phases = []
            switch client.pace {
            case .at(let time): client.pace = .at(absolute(time))
            case .every(let period): client.pace = .every(absolute(period))
            case .open(var arrival):
                for index in arrival.stages.indices {
                    arrival.stages[index].length = absolute(arrival.stages[index].length)
                }
                client.pace = .open(arrival)
            case .closed: break
            }
            switch client.activity {
            case .hold(let time, let sql): client.activity = .hold(absolute(time), sql: sql)
            case .snapshot(let time, let sql):
                client.activity = .snapshot(absolute(time), sql: sql)
            default: break
            }
            return client
        }
        // The load has no end of its own, so nothing is judged at its end.
        changed.thresholds = []
        changed.invariants = []
        changed.dataInvariants = []
        return changed
    }
}
