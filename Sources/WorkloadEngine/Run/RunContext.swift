import Foundation

/// The objects that the workers and the other parts of a run share.
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
    var driver: DriverTarget?
    var holders: LockHolders?
    var folder: URL?
    var abort: AbortWatch?
    var steering: LoadSteering?
    /// The periods in which to measure the clients, or `nil` to measure only the phases.
    var periods: LoadPeriods?
}
