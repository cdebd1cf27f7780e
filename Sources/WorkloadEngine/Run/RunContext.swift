import Foundation

/// The state that all of a run's threads share.
struct RunContext: Sendable {
    /// The phases.
    let phases: PhasePlan
    /// The stage of the load.
    let control: RunControl
    /// The clock.
    let clock: any RunClock
    /// The database under load.
    let target: any WorkloadTarget
    /// The run's events.
    let events: EventLog
    /// The failures that locks caused.
    let busy: BusyRecord
    /// The snapshot comparisons.
    let stability: StabilityLog
    /// The interrupts that users and clients request for connections.
    let interrupts: InterruptRequests
    /// The alarms; nil if no client needs them.
    var alarm: AlarmClock?
    /// The processes of clients with `style: process`.
    var processes: ClientProcesses?
    /// The object that finds other holders of the database's locks; nil if the database has no
    /// file.
    var holders: LockHolders?
    /// The run's folder, for files that clients write.
    var folder: URL?
    /// The watch that checks isolation with transactions alongside the load; nil without that
    /// invariant.
    var isolation: IsolationWatch?
    /// The thresholds that end the run early; nil if there are none.
    var abort: AbortWatch?
    /// The object that changes the load's settings; nil if they cannot change.
    var steering: LoadSteering?
}
