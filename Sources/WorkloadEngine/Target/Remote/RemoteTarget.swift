import Foundation
import Telemetry

/// A database that another process has opened for one worker.
///
/// Accesses run in the other process. This process measures them, so their wait and service times
/// include a few microseconds for messages.
final class RemoteTarget: WorkloadTarget {
    struct Failure: Error, CustomStringConvertible {
        var failure: WorkloadFailure
        var description: String
        var busy: BusyFailure?
    }

    struct Command: Sendable, Equatable {
        var executable: URL
        var arguments: [String]
    }

    // Only the worker's thread uses the channel. `close()` runs after that thread's last access.
    private let channel: RemoteChannel
    private let process: Process
    private let pipes: [Pipe]

    var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a process that opens the arm's database at `path`.
    ///
    /// - Throws: An error if the process does not start, or an error that the other process
    ///   reports.
    init(_ command: Command, _ arm: Arm, at path: String) throws {
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = command.executable
        process.arguments = command.arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pipes = [input, output]
        channel = RemoteChannel(
            input: output.fileHandleForReading.fileDescriptor,
            output: input.fileHandleForWriting.fileDescriptor
        )
        do {
            try channel.send(.open(arm, path: path))
            try receiveDone()
        } catch {
            end()
            throw error
        }
    }

    private func receiveDone() throws {
        guard case .done = try channel.receiveReply() else { throw WireReader.Malformed() }
    }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try channel.send(.perform(access, client: client.name))
        guard case .entered = try channel.receiveReply() else { throw WireReader.Malformed() }
        do {
            try body(Session(channel: channel))
        } catch {
            try channel.send(.abort)
            _ = try channel.receive()
            throw error
        }
        try channel.send(.finish)
        try receiveDone()
    }

    private struct Session: WorkloadSession {
        let channel: RemoteChannel

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            try channel.send(.run(sql, values))
            guard case .count(let count) = try channel.receiveReply() else {
                throw WireReader.Malformed()
            }
            return count
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
            try channel.send(.query(sql, values))
            guard case .rows(let rows) = try channel.receiveReply() else {
                throw WireReader.Malformed()
            }
            return rows
        }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw RunError(.scenario, "clients in other processes cannot take snapshots")
    }

    /// Ends the other process, because this process cannot interrupt a statement there.
    func interrupt() { process.terminate() }

    func failure(of error: any Error) -> WorkloadFailure {
        if let failure = error as? Failure { return failure.failure }
        return .error(error is RemoteChannel.Closed ? "PROCESS_ENDED" : "\(type(of: error))")
    }

    func busyFailure(of error: any Error) -> BusyFailure? { (error as? Failure)?.busy }

    func status() -> DatabaseStatus? { nil }

    func environment() -> [String: String] { [:] }

    /// Ends the other process.
    ///
    /// SQLite rolls back an open transaction of that process.
    func close() { end() }

    private func end() {
        try? pipes.first?.fileHandleForWriting.close()
        // The process ends when its input is closed, unless SQLite is still running.
        for _ in 0..<100 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

extension RemoteChannel {
    /// Receives a reply and throws the failure that it reports, if any.
    fileprivate func receiveReply() throws -> RemoteMessage {
        let message = try receive()
        if case .failed(let failure, let text, let busy) = message {
            throw RemoteTarget.Failure(failure: failure, description: text, busy: busy)
        }
        return message
    }
}
