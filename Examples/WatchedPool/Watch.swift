import Foundation
import SQLiteEngine
import Synchronization
import Telemetry

/// Prints the status of a pool twice per second.
///
/// `status()` does not block accesses, so you can call it as often as you like.
final class Watch: Sendable {
    private let pool: DatabasePool
    private let isStopped = Atomic<Bool>(false)
    private let thread = DispatchGroup()

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    func start() {
        thread.enter()
        Thread.detachNewThread { [self] in
            defer { thread.leave() }
            var previous = pool.status()
            let start = previous.takenAtNanoseconds
            while !isStopped.load(ordering: .relaxed) {
                Thread.sleep(forTimeInterval: 0.5)
                let status = pool.status()
                print(StatusTable(status, since: previous, start: start).text)
                previous = status
            }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.wait()
    }
}
