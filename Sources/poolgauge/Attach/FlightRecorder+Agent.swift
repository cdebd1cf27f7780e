import Recording

extension FlightRecorder {
    /// Records a status, or the gap that a restart of the program caused.
    ///
    /// `name` is the agent's name, or `nil` if only its socket is known.
    func record(_ event: AgentFollower.Event, of name: String?) {
        switch event {
        case .status(let status, _): record(.agent(status))
        case .reconnected(let process, let gap):
            recordGap(
                source: name,
                nanoseconds: gap,
                reason: "the program restarted as PID \(process)"
            )
        case .lost: break
        }
    }
}
