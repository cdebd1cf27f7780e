import Foundation
import Synchronization

/// A namespace for running the program without a terminal.
struct HeadlessProgram {
    /// The outcome of a program.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    /// A reader of a pipe on a separate thread.
    ///
    /// Without this reader, a full pipe would block the program.
    private final class Collector: Sendable {
        private let data = Mutex(Data())
        private let endOfFile = DispatchSemaphore(value: 0)
        private let textOrEnd = DispatchSemaphore(value: 0)

        init(_ handle: FileHandle, until text: String? = nil) {
            let descriptor = handle.fileDescriptor
            Thread.detachNewThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                var hasAppeared = false
                while true {
                    let count = read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    let now = data.withLock { data in
                        data.append(contentsOf: buffer[..<count])
                        return String(decoding: data, as: UTF8.self)
                    }
                    if let text, !hasAppeared, now.contains(text) {
                        hasAppeared = true
                        textOrEnd.signal()
                    }
                }
                textOrEnd.signal()
                endOfFile.signal()
            }
        }

        var text: String {
            endOfFile.wait()
            return data.withLock { String(decoding: $0, as: UTF8.self) }
        }

        func waitForText() { textOrEnd.wait() }
    }

    /// Starts a process that receives all signals.
    ///
    /// Dispatch threads block signals, and a child process inherits the signal mask of the thread
    /// that starts it.
    static func startWithoutBlockedSignals(_ process: Process) throws {
        var none = sigset_t()
        var previous = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try process.run()
    }

    /// Runs the program until it ends.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - folder: The working folder, which also contains temporary files.
    ///   - temporary: The folder for temporary files, if different.
    ///   - variables: Additional environment variables.
    ///   - signal: A signal to send when a string appears on standard error.
    ///   - limit: The time in seconds after which to interrupt the program.
    ///   - pause: The time for which to stop the whole program when a string appears on standard
    ///     error.
    /// - Returns: The status and the output.
    /// - Throws: An error if the program cannot be started.
    static func run(
        _ arguments: [String],
        in folder: URL,
        temporary: URL? = nil,
        variables: [String: String] = [:],
        sending signal: (number: Int32, after: String)? = nil,
        interruptingAfter limit: TimeInterval? = nil,
        pausing pause: (milliseconds: UInt32, after: String)? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = arguments
        process.environment = Program.environment(temporary: temporary ?? folder)
            .merging(variables) { $1 }
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try startWithoutBlockedSignals(process)
        let outputText = Collector(output.fileHandleForReading)
        let errorText = Collector(errors.fileHandleForReading, until: signal?.after ?? pause?.after)
        if let signal {
            errorText.waitForText()
            kill(process.processIdentifier, signal.number)
        }
        if let limit {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
                if process.isRunning { process.interrupt() }
            }
        }
        if let pause {
            errorText.waitForText()
            kill(process.processIdentifier, SIGSTOP)
            // The duration of the stop is part of the test, so there is no event to wait for.
            usleep(pause.milliseconds * 1000)
            kill(process.processIdentifier, SIGCONT)
        }
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: outputText.text,
            errors: errorText.text
        )
    }
}
