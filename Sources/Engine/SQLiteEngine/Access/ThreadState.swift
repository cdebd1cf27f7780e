import CSQLite
import Foundation
import Telemetry

/// The state that the engine keeps for each thread: the accesses that enclose the current code, and
/// the connection that the thread used last.
struct ThreadState {
    /// The innermost access of this thread.
    ///
    /// ``AccessSlot/outer`` is the enclosing access.
    var innermost: Unmanaged<AccessSlot>?
    /// The innermost slot that the thread holds without being inside its access.
    ///
    /// For example, the thread may be opening the slot's connection. ``AccessSlot/outer`` is the
    /// next such slot.
    var held: Unmanaged<AccessSlot>?
    /// The identity of the gate that owns `hint`.
    var hintGate: UInt = 0
    /// The slot that the thread used last, which exists as long as its gate.
    ///
    /// The current core's cache probably contains the slot's pages.
    var hint: Unmanaged<AccessSlot>?
    var broker: Unmanaged<ObservationBroker>?
    /// The thread that waits for this thread's work on a dispatch queue from the configuration.
    var caller: UnsafeMutablePointer<ThreadState>?
    /// The slot that a task's access is releasing, so that this thread can run the next task.
    var releasingSlot: Unmanaged<AccessSlot>?
    /// The next task's access, retained.
    var successor: Unmanaged<TaskAccess>?
    let parker = Parker()

    // The key's destructor frees the state when the thread ends. Darwin also finds the state by the
    // key, because Swift has no thread-local variables.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            let state = pointer.assumingMemoryBound(to: ThreadState.self)
            #else
            guard let state = pointer?.assumingMemoryBound(to: ThreadState.self) else { return }
            // Another destructor may use the engine afterward.
            poolgauge_thread_state_set(nil)
            #endif
            state.deinitialize(count: 1)
            state.deallocate()
        }
        return key
    }()

    /// The state of the calling thread, which exists until the thread ends.
    @inline(__always)
    static var current: UnsafeMutablePointer<ThreadState> {
        #if canImport(Darwin)
        let state = pthread_getspecific(key)
        #else
        let state = poolgauge_thread_state_get()
        #endif
        return state?.assumingMemoryBound(to: ThreadState.self) ?? make()
    }

    @inline(never)
    private static func make() -> UnsafeMutablePointer<ThreadState> {
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        pthread_setspecific(key, state)
        #if !canImport(Darwin)
        poolgauge_thread_state_set(state)
        #endif
        return state
    }

    @inline(__always)
    func access(through gate: AccessGate) -> AccessSlot? {
        var next = innermost
        while let slot = next?.takeUnretainedValue() {
            if slot.gate == gate.identity { return slot }
            next = slot.outer
        }
        return nil
    }

    /// Returns the connection of the innermost access on this thread that satisfies a condition.
    ///
    /// The search includes the accesses of threads that wait for this thread's work on a dispatch
    /// queue from the configuration.
    func firstDatabase(where condition: (Database) -> Bool) -> Database? {
        var next = innermost
        while let slot = next?.takeUnretainedValue() {
            if let database = slot.database, condition(database) { return database }
            next = slot.outer
        }
        return caller?.pointee.firstDatabase(where: condition)
    }
}

extension ThreadState {
    /// Whether the thread holds a slot or works for a thread that does.
    var holdsSlots: Bool { innermost != nil || held != nil || caller != nil }

    /// The slots that the thread holds, innermost first, followed by the slots of the threads that
    /// wait for this thread's queue work.
    var holdings: [AccessGate.Holding] {
        var holdings: [AccessGate.Holding] = []
        for start in [innermost, held] {
            var next = start
            while let slot = next?.takeUnretainedValue() {
                holdings.append(AccessGate.Holding(slot: slot, site: slot.site))
                next = slot.outer
            }
        }
        return holdings + (caller?.pointee.holdings ?? [])
    }

    /// Returns whether this thread, or a thread that waits for this thread's queue work, is inside
    /// an access to `gate`.
    func isInside(_ gate: AccessGate) -> Bool {
        access(through: gate) != nil || caller?.pointee.isInside(gate) == true
    }
}

/// A primitive that puts one thread to sleep until another thread wakes it.
///
/// An early wake-up is not lost: the next ``park(until:)`` returns immediately.
///
/// `@unchecked Sendable`: the mutex protects `isSignalled`.
final class Parker: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Sleeps until ``unpark()`` is called or the monotonic clock reaches `deadline` nanoseconds.
    func park(until deadline: UInt64? = nil) {
        pthread_mutex_lock(mutex)
        while !isSignalled {
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            if timedWait(until: deadline) == ETIMEDOUT { break }
        }
        isSignalled = false
        pthread_mutex_unlock(mutex)
    }

    /// Wakes the sleeping thread, or makes the next ``park(until:)`` return immediately.
    func unpark() {
        pthread_mutex_lock(mutex)
        isSignalled = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func timedWait(until deadline: UInt64) -> CInt {
        #if canImport(Darwin)
        let now = monotonicNanoseconds()
        guard deadline > now else { return ETIMEDOUT }
        var time = timespec(
            tv_sec: Int((deadline - now) / 1_000_000_000),
            tv_nsec: Int((deadline - now) % 1_000_000_000)
        )
        return pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000),
            tv_nsec: Int(deadline % 1_000_000_000)
        )
        return pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}

/// A check for which connections the calling thread may use.
///
/// A thread may use a connection only inside the closure of an access to that connection.
final class SchedulingWatchdog: Sendable {
    private static let shared = SchedulingWatchdog()

    private init() {}

    /// The watchdog, or `nil` if the calling thread is not inside an access.
    static var current: SchedulingWatchdog? {
        ThreadState.current.pointee.innermost == nil ? nil : shared
    }

    func allows(_ db: Database) -> Bool {
        var next = ThreadState.current.pointee.innermost
        while let slot = next?.takeUnretainedValue() {
            if slot.database === db { return true }
            next = slot.outer
        }
        return false
    }
}

extension Database {
    /// Stops the program if the calling thread is not inside an access to this connection.
    ///
    /// No other check prevents two threads from using the connection simultaneously.
    @inline(__always)
    func preconditionRightThread() {
        // A connection that is being opened has no slot yet.
        guard let slot else { return }
        if slot._withUnsafeGuaranteedRef({ $0.thread }) != ThreadState.current {
            preconditionCallersThread(slot)
        }
    }

    /// Stops the program unless the connection belongs to a thread that waits for the calling
    /// thread.
    ///
    /// When an access runs on a dispatch queue, its enclosing accesses stay on the calling thread.
    @inline(never)
    private func preconditionCallersThread(_ slot: Unmanaged<AccessSlot>) {
        let owner = slot._withUnsafeGuaranteedRef { $0.thread }
        var thread = ThreadState.current.pointee.caller
        while let caller = thread {
            if caller == owner { return }
            thread = caller.pointee.caller
        }
        fatalError("Database was not used on the correct thread.")
    }
}
