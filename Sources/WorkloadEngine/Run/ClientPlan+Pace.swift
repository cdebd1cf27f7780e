/// The parts of a run that depend on a client's pace.
///
/// `Worker.begin` also uses the pace, to skip late accesses.
extension ClientPlan {
    var loop: ClientResult.Loop {
        switch client.pace {
        case .closed: .closed
        case .open: .open
        case .at, .every: .scheduled
        }
    }

    /// Whether each worker starts an access as soon as its previous access ends.
    var keepsWorkersBusy: Bool { client.pace == .closed(think: .zero) }

    func makeLoadModel(_ plan: PhasePlan, random: RandomStream) -> any LoadModel {
        let measured = plan.measured
        switch client.pace {
        case .closed(let think):
            return ClosedLoop(think: think, end: plan.end, windows: windows, random: random)
        case .open:
            guard let arrivals else {
                return ClosedLoop(think: .constant(.zero), end: plan.end, random: nil)
            }
            return OpenLoop(queue: arrivals)
        case .at(let moment):
            let offset = moment.resolved(in: measured).wholeNanoseconds
            return OneShot(at: plan.time(intoMeasuredPart: offset))
        case .every(let period):
            return Periodic(
                every: period.resolved(in: measured).wholeNanoseconds,
                from: plan.time(intoMeasuredPart: 0),
                until: plan.end,
                windows: windows
            )
        }
    }
}

extension Client {
    func schedule(seed: UInt64, phases: PhasePlan, windows: ActiveWindows) -> ArrivalSchedule? {
        guard let arrival = pace.arrival else { return nil }
        return ArrivalSchedule(
            arrival.process,
            along: RateCurve(arrival, over: phases).only(in: windows),
            over: phases,
            random: RandomStream(seed: seed, stream: "\(name)/arrivals")
        )
    }
}

extension Client.Pace {
    var arrival: Arrival? {
        if case .open(let arrival) = self { arrival } else { nil }
    }
}
