import Foundation
import Telemetry

/// A database that another process has open: accesses run there, and are measured here.
///
/// One worker uses it. The clock is the machine's, so times mean the same on both sides; what a
/// message takes, some microseconds, is part of an access's wait and service.
final class RemoteTarget: WorkloadTarget {
    /// An error that the other process met.
    struct Failure: Error, CustomStringConvertible {
        var failure: WorkloadFailure
        var description: String
    }

    /// How to start the other process.
    struct Command: Sendable, Equatable {
        /// The program.
        var executable: URL
        /// What it gets as arguments.
        var arguments: [String]
    }

    // Only the worker's thread uses the channel, and `close` comes after its last access.
    private let channel: RemoteChannel
    private let process: Process
    private let pipes: [Pipe]

    /// The other process's number.
    var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a process that opens `arm` at `path`.
    ///
    /// - Throws: Why it does not start, or what it met.
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
            try expectDone()
        } catch {
            end()
            throw error
        }
    }

    private func expectDone() throws {
        switch try channel.receive() {
        case .done: return
        case .failed(let failure, let text): throw Failure(failure: failure, description: text)
        default: throw WireReader.Malformed()
        }
    }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try channel.send(.perform(access, client: client.name))
        switch try channel.receive() {
        case .entered: break
        case .failed(let failure, let text): throw Failure(failure: failure, description: text)
        default: throw WireReader.Malformed()
        }
        do {
            try body(Session(channel: channel))
        } catch {
            try channel.send(.abort)
            _ = try channel.receive()
            throw error
        }
        try channel.send(.finish)
        try expectDone()
    }

    private struct Session: WorkloadSession {
        let channel: RemoteChannel

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            try channel.send(.run(sql, values))
            switch try channel.receive() {
            case .count(let count): return count
            case .failed(let failure, let text): throw Failure(failure: failure, description: text)
            default: throw WireReader.Malformed()
            }
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
            try channel.send(.query(sql, values))
            switch try channel.receive() {
            case .rows(let rows): return rows
            case .failed(let failure, let text): throw Failure(failure: failure, description: text)
            default: throw WireReader.Malformed()
            }
        }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw RunError(.scenario, "another process takes no snapshots")
    }

    /// Ends the other process: nothing else reaches into it while it is inside of SQLite.
    func interrupt() { process.terminate() }

    func failure(of error: any Error) -> WorkloadFailure {
        if let failure = error as? Failure { return failure.failure }
        return .error(error is RemoteChannel.Closed ? "PROCESS_ENDED" : "\(type(of: error))")
    }

    func status() -> DatabaseStatus? { nil }

    func environment() -> [String: String] { [:] }

    /// Ends the other process; what it holds is rolled back.
    func close() { end() }

    private func end() {
        try? pipes.first?.fileHandleForWriting.close()
        // It ends by itself when its input does, unless it is inside of SQLite.
        for _ in 0..<100 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
