import Foundation

struct RunContext: Sendable {
    let phases: PhasePlan
    let control: RunControl
    let clock: any RunClock
    let target: any WorkloadTarget
    let events: EventLog
    let busy: BusyRecord
    let errorMessages = ErrorMessages()
    let stability: StabilityLog
    /// The interrupts that target connections rather than specific accesses.
    let interrupts: InterruptRequests
    var alarm: AlarmClock?
    var processes: ClientProcesses?
    /// The lookup for other holders of the database's locks, or `nil` if the database has no
    /// file.
    var holders: LockHolders?
    var folder: URL?
    /// The transactions that check isolation during the load, or `nil` if no invariant needs
    /// them.
    var isolation: IsolationWatch?
    var abort: AbortWatch?
    var steering: LoadSteering?
}
