/// What all threads of one run share.
struct RunContext: Sendable {
    /// The phases.
    let phases: PhasePlan
    /// Where the load stands.
    let control: RunControl
    /// The clock.
    let clock: any RunClock
    /// The database under load.
    let target: any WorkloadTarget
    /// What happens, for the ticker.
    let events: EventLog
    /// What snapshots showed.
    let stability: StabilityLog
    /// Turns the load's knobs; nil where nobody can.
    var steering: LoadSteering?
}
