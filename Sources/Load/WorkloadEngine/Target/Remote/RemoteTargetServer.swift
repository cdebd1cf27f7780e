import Foundation
import Scenarios

/// A server that performs accesses for a run in another process, on a separate connection.
public struct RemoteTargetServer: Sendable {
    private let factory: any WorkloadTargetFactory
    private let channel: RemoteChannel

    /// The time between checks that the parent process is alive, in microseconds.
    private static let watchInterval: UInt32 = 100_000

    /// Creates a server that uses standard input and output.
    public init(factory: any WorkloadTargetFactory) {
        self.init(
            factory: factory,
            channel: RemoteChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
        )
    }

    init(factory: any WorkloadTargetFactory, channel: RemoteChannel) {
        self.factory = factory
        self.channel = channel
    }

    /// Ends the process soon after its parent process ends.
    ///
    /// SQLite then rolls back uncommitted changes.
    public static func dieWithParent() {
        // The terminal sends SIGINT to both processes. Only the run handles it.
        signal(SIGINT, SIG_IGN)
        let parent = getppid()
        let watch = Thread {
            while getppid() == parent { usleep(watchInterval) }
            _exit(1)
        }
        watch.name = "poolgauge.parent"
        watch.start()
    }

    /// Serves requests until the run closes its end of the channel.
    public func run() {
        do {
            guard case .open(let arm, let path) = try channel.receive() else { return }
            let target: any WorkloadTarget
            do {
                target = try factory.open(arm, at: path)
                try channel.send(.done)
            } catch {
                try channel.send(.failed(.error("OPEN"), "\(error)"))
                return
            }
            defer { try? target.close() }
            while true {
                guard case .perform(let access, let client) = try channel.receive() else { return }
                try perform(access, as: WorkloadClientName(client), on: target)
            }
        } catch {
            // The run has ended, so no process can receive the error.
        }
    }

    private struct Aborted: Error {}
    private struct BrokenChannel: Error { var cause: any Error }

    private func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        on target: any WorkloadTarget
    ) throws {
        do {
            try target.perform(access, as: client) { session in
                try reply(.entered)
                while try serveStatement(session, target: target) {}
            }
            try channel.send(.done)
        } catch is Aborted {
            try channel.send(.done)
        } catch let failure as BrokenChannel {
            throw failure.cause
        } catch {
            try channel.send(failureMessage(for: error, of: target))
        }
    }

    /// Handles a message inside an access.
    ///
    /// - Returns: `false` if the access must end.
    private func serveStatement(
        _ session: any WorkloadSession,
        target: any WorkloadTarget
    ) throws -> Bool {
        let message: RemoteMessage
        do { message = try channel.receive() } catch { throw BrokenChannel(cause: error) }
        switch message {
        case .finish: return false
        case .run(let sql, let values):
            try answer(target) { .count(try session.run(sql, values)) }
        case .query(let sql, let values):
            try answer(target) { .rows(try session.rows(sql, values)) }
        default: throw Aborted()
        }
        return true
    }

    /// Replies with the result of a statement or with its error.
    ///
    /// After an error, the run ends the access.
    private func answer(
        _ target: any WorkloadTarget,
        _ body: () throws -> RemoteMessage
    ) throws {
        do {
            try reply(try body())
        } catch let failure as BrokenChannel {
            throw failure
        } catch {
            try reply(failureMessage(for: error, of: target))
        }
    }

    private func failureMessage(
        for error: any Error,
        of target: any WorkloadTarget
    ) -> RemoteMessage {
        .failed(target.failure(of: error), "\(error)", target.busyFailure(of: error))
    }

    private func reply(_ message: RemoteMessage) throws {
        do { try channel.send(message) } catch { throw BrokenChannel(cause: error) }
    }
}
