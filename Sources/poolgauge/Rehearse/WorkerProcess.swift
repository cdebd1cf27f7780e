import Foundation
import Rehearsal
import WorkloadEngine

/// A process that performs a ``RehearsalJob``.
///
/// Only one thread uses the process, except that ``RehearsalControl`` may kill it.
final class WorkerProcess {
    /// How the process ended.
    enum Failure: Error {
        /// The process ended without a result.
        case ended
        /// The worker reported a failure, possibly with measurements.
        case failed(RehearsalMessage)
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let control: RehearsalControl
    private var received: [UInt8] = []
    private var position = 0
    /// A function that is called between messages, and throws to end the process.
    private let whileWaiting: () throws -> Void

    /// The time between two calls of the function, in milliseconds.
    private static let pollTime: Int32 = 50

    /// Starts a process, which opens the database and waits for ``start()``.
    ///
    /// - Throws: ``CommandFailure`` if the process cannot be started, ``Failure``, `CancellationError`
    ///   after a signal, or an error of `whileWaiting`.
    init(
        _ job: RehearsalJob,
        control: RehearsalControl,
        whileWaiting: @escaping () throws -> Void
    ) throws {
        self.control = control
        self.whileWaiting = whileWaiting
        try control.check()
        let command = ClientProcess.command(RehearsalWorkerSubcommand.name)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch {
            throw CommandFailure(
                "the process that executes the migration cannot be started: \(error)",
                status: ExitStatus.failed.rawValue
            )
        }
        control.follow(worker: process.processIdentifier)
        // The end of the output is visible only if no descriptor for writing remains.
        try? output.fileHandleForWriting.close()
        try? input.fileHandleForReading.close()
        try send(String(decoding: JSONEncoder().encode(job), as: UTF8.self))
    }

    deinit { end() }

    /// Ends the process, which closes nothing: the files remain as they are.
    func end() {
        // After its end, another process may get its ID.
        control.follow(worker: nil)
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func start() throws { try send(RehearsalJob.start) }

    func interrupt() throws { try send(RehearsalJob.interrupt) }

    private func send(_ line: String) throws {
        do {
            try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            try control.check()
            throw Failure.ended
        }
    }

    /// Receives messages until the task is complete.
    ///
    /// - Parameter body: A closure that receives each other message.
    /// - Returns: The last message.
    /// - Throws: ``Failure``, `CancellationError` after a signal, or an error of `body` or of the
    ///   function that is called between messages.
    func finish(_ body: (RehearsalMessage) throws -> Void = { _ in }) throws -> RehearsalMessage {
        while true {
            let message = try receive()
            switch message.event {
            case .finished: return message
            case .failed: throw Failure.failed(message)
            default: try body(message)
            }
        }
    }

    /// Receives the message that the database is open.
    func waitUntilReady() throws -> RehearsalMessage {
        let message = try receive()
        guard message.event == .ready else { throw Failure.failed(message) }
        return message
    }

    /// Receives a message, or returns `nil` after a time on the monotonic clock.
    func receive(until deadline: ContinuousClock.Instant) throws -> RehearsalMessage? {
        try next(until: deadline)
    }

    private func receive() throws -> RehearsalMessage {
        guard let message = try next(until: nil) else { throw Failure.ended }
        return message
    }

    private func next(until deadline: ContinuousClock.Instant?) throws -> RehearsalMessage? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = received[position...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(received[position..<end])
                position = end + 1
                return try JSONDecoder().decode(RehearsalMessage.self, from: line)
            }
            received.removeFirst(position)
            position = 0
            var time = Self.pollTime
            if let deadline {
                let rest = deadline - ContinuousClock.now
                guard rest > .zero else { return nil }
                time = min(time, Int32((rest / .milliseconds(1)).rounded(.up)))
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = Foundation.poll(&poll, 1, time)
            try control.check()
            try whileWaiting()
            guard count > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let length = read(descriptor, &buffer, buffer.count)
            if length < 0, errno == EINTR { continue }
            guard length > 0 else {
                try control.check()
                throw Failure.ended
            }
            received += buffer[..<length]
        }
    }
}
