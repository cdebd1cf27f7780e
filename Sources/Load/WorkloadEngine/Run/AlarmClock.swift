import Dispatch
import Foundation
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

/// A sleeper that suspends a task until a deadline or a wake-up without blocking a thread.
final class TaskSleeper: Sleeper {
    private struct State: Sendable {
        var isAwake = false
        var continuation: CheckedContinuation<Void, Never>?
        var ticket: AlarmClock.Ticket?
    }

    private let alarm: AlarmClock
    private let state = Lock(State())

    init(alarm: AlarmClock) { self.alarm = alarm }

    func sleep(until deadline: UInt64) async {
        await withCheckedContinuation { continuation in
            let isAwake = state.withLock { state in
                if state.isAwake {
                    state.isAwake = false
                    return true
                }
                state.continuation = continuation
                if deadline != .max {
                    state.ticket = alarm.set(at: deadline) { [self] in end(isWakeUp: false) }
                }
                return false
            }
            if isAwake { continuation.resume() }
        }
    }

    func sleep(until deadline: UInt64) {
        preconditionFailure("a task must use the asynchronous sleep(until:)")
    }

    func wake() { end(isWakeUp: true) }

    private func end(isWakeUp: Bool) {
        let (continuation, ticket) = state.withLock { state in
            let removed = (state.continuation, state.ticket)
            if removed.0 == nil, isWakeUp { state.isAwake = true }
            state.continuation = nil
            state.ticket = nil
            return removed
        }
        // If the alarm ended the sleep, there is no alarm to cancel.
        if isWakeUp, let ticket { alarm.cancel(ticket) }
        continuation?.resume()
    }

    func retire() {}
}

package enum TimerSlack {
    /// Minimizes the wake-up delay for the calling thread, if the system supports it.
    ///
    /// By default, Linux delays wake-ups by up to 50 µs, which would appear as lag in every open
    /// loop. This method writes to a file because Swift does not import the variadic `prctl`
    /// function.
    package static func minimize() {
        #if os(Linux)
        var link = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/thread-self", &link, link.count)
        guard length > 0 else { return }
        let bytes = link[..<length].map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        guard let thread = path.split(separator: "/").last else { return }
        let descriptor = open("/proc/\(thread)/timerslack_ns", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "1000", 4)
        close(descriptor)
        #endif
    }
}

/// Threads for the load's tasks.
///
/// The measured code may block the threads of the program's cooperative pool. Separate threads
/// keep the load running.
final class TaskThreads: TaskExecutor {
    static let shared = TaskThreads()

    private let queue = DispatchQueue(label: "poolgauge.tasks", attributes: .concurrent)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
