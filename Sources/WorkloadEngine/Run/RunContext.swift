import Foundation

/// The state that all of a run's threads share.
struct RunContext: Sendable {
    let phases: PhasePlan
    let control: RunControl
    let clock: any RunClock
    /// The database under load.
    let target: any WorkloadTarget
    let events: EventLog
    /// The failures caused by locks.
    let busy: BusyRecord
    /// The messages of errors.
    let errorMessages = ErrorMessages()
    /// The results of comparing snapshots.
    let stability: StabilityLog
    /// The interrupts that users and clients request for connections, not for specific accesses.
    let interrupts: InterruptRequests
    /// The alarms, or `nil` if no client needs them.
    var alarm: AlarmClock?
    /// The processes of clients with `style: process`.
    var processes: ClientProcesses?
    /// The object that finds other holders of the database's locks, or `nil` if the database has no
    /// file.
    var holders: LockHolders?
    /// The run's folder, for files that clients write.
    var folder: URL?
    /// The transactions that check isolation alongside the load, or `nil` if the scenario has no
    /// such invariant.
    var isolation: IsolationWatch?
    /// The thresholds that end the run early, or `nil` if there are none.
    var abort: AbortWatch?
    /// The controls for changing the load's settings, or `nil` if the settings cannot change.
    var steering: LoadSteering?
}
