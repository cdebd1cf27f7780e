import Foundation

/// The state that all threads of one run share.
struct RunContext: Sendable {
    /// The phases.
    let phases: PhasePlan
    /// The stage of the load.
    let control: RunControl
    /// The clock.
    let clock: any RunClock
    /// The database under load.
    let target: any WorkloadTarget
    /// The events of the run.
    let events: EventLog
    /// The failures because of locks.
    let busy: BusyRecord
    /// The comparisons of snapshots.
    let stability: StabilityLog
    /// The interrupts of connections.
    let interrupts: InterruptRequests
    /// The alarms; nil if no client needs them.
    var alarm: AlarmClock?
    /// The processes of clients with `style: process`.
    var processes: ClientProcesses?
    /// Finds other holders of the database's locks; nil without a file.
    var holders: LockHolders?
    /// The run's folder, for files that clients write.
    var folder: URL?
    /// Runs transactions alongside the load to check isolation; nil without that invariant.
    var isolation: IsolationWatch?
    /// The thresholds that end the run early; nil if there are none.
    var abort: AbortWatch?
    /// Changes the load's settings; nil if they cannot change.
    var steering: LoadSteering?
}
