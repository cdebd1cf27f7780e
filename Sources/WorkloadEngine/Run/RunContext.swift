import Foundation

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
    /// What does things at moments; nil where no client needs it.
    var alarm: AlarmClock?
    /// The processes of clients that live in processes of their own.
    var processes: ClientProcesses?
    /// Who else holds the database's locks; nil where there is no file.
    var holders: LockHolders?
    /// The run's own folder, for what clients write beside the database.
    var folder: URL?
    /// Runs transactions beside the load to check their isolation; nil if no invariant asks for it.
    var isolation: IsolationWatch?
    /// Turns the load's knobs; nil where nobody can.
    var steering: LoadSteering?
}
