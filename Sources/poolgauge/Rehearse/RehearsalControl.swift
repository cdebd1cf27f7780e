import Foundation
import Synchronization
import WorkloadEngine

/// The control of a rehearsal, with which a signal ends its current part.
final class RehearsalControl: Sendable {
    private struct State {
        var isStopped = false
        /// The process ID of the worker that runs, if any.
        var worker: Int32?
        var load: WorkloadRun?
        /// The folder of the copies, if it exists.
        var folder: URL?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the current part and all later parts.
    func stop() {
        let (worker, load) = state.withLock { state in
            state.isStopped = true
            return (state.worker, state.load)
        }
        if let worker { kill(worker, SIGKILL) }
        load?.stop()
    }

    /// Sets the folder that ``removeFolder()`` removes.
    func follow(folder: URL) { state.withLock { $0.folder = folder } }

    /// Removes the folder of the copies.
    func removeFolder() {
        let folder = state.withLock { state in
            defer { state.folder = nil }
            return state.folder
        }
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Throws if a signal has ended the rehearsal.
    func check() throws {
        if isStopped { throw CancellationError() }
    }

    /// Sets the worker that a signal ends, or `nil` after its end.
    func follow(worker: Int32?) {
        let isStopped = state.withLock { state in
            state.worker = worker
            return state.isStopped
        }
        if isStopped, let worker { kill(worker, SIGKILL) }
    }

    /// Sets the load that a signal ends, or `nil` after its end.
    func follow(load: WorkloadRun?) {
        let isStopped = state.withLock { state in
            state.load = load
            return state.isStopped
        }
        if isStopped { load?.stop() }
    }
}
