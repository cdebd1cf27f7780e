#if os(Linux)
import Glibc
import SQLiteWatch
import Synchronization
import Telemetry

/// The process that reports the programs that open watched files, and makes them wait.
final class DatabaseOpens: Sendable {
    /// The path and arguments of a program that calls ``OpenGate/run(waits:)``.
    private let command: [String]

    private struct State {
        var socket: Int32 = -1
        var process: pid_t = -1
        /// The watched files, by path.
        var files: [String: FileIdentity] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The time limit for the start of the process, in nanoseconds.
    private static let startTime: UInt64 = 2_000_000_000

    init(command: [String]) { self.command = command }

    deinit { state.withLock { Self.end(&$0) } }

    /// Starts the process and watches files.
    ///
    /// - Returns: Whether the programs that open the files wait, or `nil` if the process cannot be
    ///   started.
    func start(_ paths: [String]) -> Bool? {
        let isStarted = state.withLock { state in
            guard !command.isEmpty, !state.isClosed else { return false }
            Self.end(&state)
            var ends: [Int32] = [-1, -1]
            // SOCK_SEQPACKET keeps messages separate.
            let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return false }
            defer { Glibc.close(ends[1]) }
            state.socket = ends[0]
            state.process = ChildProcess.start(command, descriptors: [0: ends[1]]) ?? -1
            return state.process > 0
        }
        guard isStarted else { return nil }
        // Wait until the files are watched.
        let deadline = monotonicNanoseconds() + Self.startTime
        var programsWait = true
        for socket in watch(paths) where ChildProcess.waitForInput(socket, until: deadline) {
            let answer = OpenGate.receive(from: socket, waits: false).flatMap(OpenGate.Message.init)
            if answer == .watching(programsWait: false) { programsWait = false }
        }
        return programsWait
    }

    private static func end(_ state: inout State) {
        if state.socket >= 0 { Glibc.close(state.socket) }
        if state.process > 0 {
            kill(state.process, SIGKILL)
            waitpid(state.process, nil, 0)
        }
        state = State(isClosed: state.isClosed)
    }

    /// Ends the process.
    func close() {
        state.withLock { state in
            state.isClosed = true
            // A thread may be waiting for a message.
            shutdown(state.socket, Int32(SHUT_RDWR))
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Watches files that did not exist, or were other files, at an earlier call.
    ///
    /// - Returns: The socket, for each file.
    @discardableResult
    func watch(_ paths: [String]) -> [Int32] {
        state.withLock { state in
            guard state.socket >= 0 else { return [] }
            return paths.compactMap { path in
                guard let file = FileIdentity(path: path), state.files[path] != file,
                    OpenGate.send(.watch(path: path), to: state.socket)
                else { return nil }
                state.files[path] = file
                return state.socket
            }
        }
    }

    func send(_ message: OpenGate.Message) {
        state.withLock { state in
            if state.socket >= 0 { _ = OpenGate.send(message, to: state.socket) }
        }
    }

    /// Waits for the next message, or returns `nil` when the process has ended.
    func next() -> OpenGate.Message? {
        let socket = state.withLock { $0.socket }
        while socket >= 0, let bytes = OpenGate.receive(from: socket, waits: true), !bytes.isEmpty {
            guard let message = OpenGate.Message(bytes) else { continue }
            if case .watching = message { continue }
            return message
        }
        return nil
    }
}
#endif
