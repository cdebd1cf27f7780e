import Telemetry

/// A clock that calls closures at given times on the run's clock, using one thread for the whole
/// run.
final class AlarmClock: Sendable {
    struct Ticket: Sendable, Equatable {
        fileprivate var number: UInt64
    }

    private struct Alarm: Sendable {
        var time: UInt64
        var number: UInt64
        var body: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// The alarms, with the earliest one last.
        var alarms: [Alarm] = []
        var number: UInt64 = 0
        var isStopped = false
    }

    private let clock: any RunClock
    private let sleeper: any Sleeper
    private let state = Lock(State())

    init(clock: any RunClock, sleeper: any Sleeper) {
        self.clock = clock
        self.sleeper = sleeper
    }

    /// Schedules a short closure to run at a clock time, or as soon as possible if that time has
    /// passed.
    @discardableResult
    func set(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> Ticket {
        let (ticket, isNext) = state.withLock { state in
            state.number += 1
            let alarm = Alarm(time: time, number: state.number, body: body)
            var low = 0
            var high = state.alarms.count
            while low < high {
                let middle = (low + high) / 2
                if state.alarms[middle].time > time { low = middle + 1 } else { high = middle }
            }
            state.alarms.insert(alarm, at: low)
            return (Ticket(number: state.number), low == state.alarms.count - 1)
        }
        if isNext { sleeper.wake() }
        return ticket
    }

    func set(after delay: UInt64, _ body: @escaping @Sendable () -> Void) {
        set(at: clock.now() &+ delay, body)
    }

    func cancel(_ ticket: Ticket) {
        state.withLock { $0.alarms.removeAll { $0.number == ticket.number } }
    }

    /// Runs alarms on the calling thread until ``stop()`` is called.
    func run() {
        while true {
            let now = clock.now()
            let (due, next) = state.withLock { state -> ([Alarm]?, UInt64) in
                if state.isStopped { return (nil, 0) }
                var due: [Alarm] = []
                while let last = state.alarms.last, last.time <= now {
                    due.append(last)
                    state.alarms.removeLast()
                }
                return (due, state.alarms.last?.time ?? .max)
            }
            guard let due else {
                sleeper.retire()
                return
            }
            for alarm in due { alarm.body() }
            if due.isEmpty { sleeper.sleep(until: next) }
        }
    }

    /// Ends ``run()`` without calling the closures of the remaining alarms.
    func stop() {
        state.withLock { $0.isStopped = true }
        sleeper.wake()
    }
}
