#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch
import Synchronization
import Telemetry

/// The process that makes a program wait in open(2) when it opens a watched database, until it has
/// probes (fanotify(7)).
///
/// A program must never wait long, whatever happens to the tracing process:
///
/// 1. This process answers at its deadline without the tracing process, and then lets all
///    programs pass until the tracing process has caught up.
/// 2. When the tracing process ends, even after `kill -9`, this process ends.
/// 3. When this process ends, the kernel lets all programs pass.
/// 4. The kernel kills this process, even if it is stopped or frozen, unless it renews a timer.
///
/// Where the system cannot make programs wait, this process only reports which ones open the file.
public enum OpenGate {
    /// The time after which a program passes without probes, in nanoseconds.
    static let longestWait: UInt64 = 250_000_000
    /// The same for the first program with a copy of SQLite that must be calibrated.
    static let longestCalibration: UInt64 = 1_000_000_000

    /// Runs until the tracing process closes the socket on descriptor 0.
    ///
    /// A tracing program calls this method in the command that it passes to a session.
    ///
    /// - Parameter waits: Whether programs wait if the system permits it.
    public static func run(waits: Bool = true) {
        // A program waits for each answer, which takes microseconds.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -20)
        var gate = Gate(socket: STDIN_FILENO, waits: waits)
        gate.run()
        _exit(0)
    }

    /// What the processes send to each other.
    enum Message: Equatable {
        /// A program opens a file, and waits unless `isWaiting` is `false`.
        case open(process: Int32, file: FileIdentity?, isWaiting: Bool)
        /// A program passed at its deadline.
        case expiry(process: Int32)
        /// A request to watch a file was carried out.
        case watching(programsWait: Bool)
        /// A process has probes, so it passes from now on.
        case probed(process: Int32)
        /// A process passes once.
        case pass(process: Int32)
        /// A process has no probes anymore.
        case forget(process: Int32)
        /// A process waits for a calibration.
        case calibration(process: Int32)
        case watch(path: String)

        /// The length of the fields before the path.
        private static let head = 24
        static let limit = head + 4_096

        var bytes: [UInt8] {
            var fields: (kind: UInt32, process: Int32, device: UInt64, inode: UInt64) = (0, 0, 0, 0)
            switch self {
            case .open(let process, let file, let isWaiting):
                fields.kind = file == nil ? 1 : isWaiting ? 2 : 3
                fields.process = process
                if let file {
                    fields.device = UInt64(file.device.major) << 32 | UInt64(file.device.minor)
                    fields.inode = file.inode
                }
            case .expiry(let process): (fields.kind, fields.process) = (4, process)
            case .watching(let programsWait):
                (fields.kind, fields.process) = (5, programsWait ? 1 : 0)
            case .probed(let process): (fields.kind, fields.process) = (6, process)
            case .pass(let process): (fields.kind, fields.process) = (7, process)
            case .watch: fields.kind = 8
            case .forget(let process): (fields.kind, fields.process) = (9, process)
            case .calibration(let process): (fields.kind, fields.process) = (10, process)
            }
            var bytes =
                fields.kind.bytes + fields.process.bytes + fields.device.bytes + fields.inode.bytes
            if case .watch(let path) = self { bytes += Array(path.utf8) }
            return bytes
        }

        init?(_ bytes: [UInt8]) {
            let fields = LittleEndian(bytes)
            guard let kind = fields.u32(0),
                let process = fields.u32(4).map(Int32.init(bitPattern:)),
                let device = fields.u64(8), let inode = fields.u64(16)
            else { return nil }
            let file = FileIdentity(
                device: .init(
                    major: UInt32(truncatingIfNeeded: device >> 32),
                    minor: UInt32(truncatingIfNeeded: device)
                ),
                inode: inode
            )
            switch kind {
            case 1: self = .open(process: process, file: nil, isWaiting: false)
            case 2, 3: self = .open(process: process, file: file, isWaiting: kind == 2)
            case 4: self = .expiry(process: process)
            case 5: self = .watching(programsWait: process != 0)
            case 6: self = .probed(process: process)
            case 7: self = .pass(process: process)
            case 8:
                self = .watch(path: String(decoding: bytes[Self.head...], as: UTF8.self))
            case 9: self = .forget(process: process)
            case 10: self = .calibration(process: process)
            default: return nil
            }
        }
    }

    /// Sends a message, or returns `false` if the socket is full or closed.
    static func send(_ message: Message, to socket: Int32) -> Bool {
        let bytes = message.bytes
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        return Glibc.send(socket, bytes, bytes.count, flags) == bytes.count
    }

    /// Returns the content of the next message, or `nil` without a message.
    ///
    /// The content is empty if the other process has ended.
    static func receive(from socket: Int32, waits: Bool) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Message.limit)
        while true {
            let count = recv(socket, &bytes, bytes.count, waits ? 0 : Int32(MSG_DONTWAIT))
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EINTR else { return errno == EAGAIN ? nil : [] }
        }
    }
}

/// The state of the process.
private struct Gate {
    /// A program in open(2).
    private struct Waiter {
        var event: Int32
        var deadline: UInt64
    }

    private let socket: Int32
    private let tracer = getppid()
    private let events: Int32
    private let canWait: Bool
    private var waiters: [Int32: [Waiter]] = [:]
    /// The processes with probes.
    ///
    /// The address of the stack differs after exec.
    private var probed: [Int32: ProcessStat.Image] = [:]
    /// The processes that have passed at their deadline, and for which no answer has arrived.
    private var expired: Set<Int32> = []

    /// The time after which the kernel kills this process, in milliseconds.
    private static let lifetime: Int32 = 500
    private static let longestPause: UInt64 = 100_000_000
    /// The number of programs that may wait, each of which requires a descriptor.
    private static let waiterLimit = 256
    private static let probedLimit = 1 << 14

    init(socket: Int32, waits: Bool) {
        self.socket = socket
        let events = waits ? poolgauge_fanotify(1) : -1
        canWait = events >= 0 && poolgauge_live_on(Self.lifetime) == 0
        self.events = canWait ? events : poolgauge_fanotify(0)
    }

    mutating func run() {
        while true {
            if canWait { _ = poolgauge_live_on(Self.lifetime) }
            let now = monotonicNanoseconds()
            let next = waiters.values.joined().map(\.deadline).min() ?? .max
            let pause = min(Self.longestPause, next - min(now, next))
            var polls = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&polls, 2, Int32(pause / 1_000_000) + 1)
            while let bytes = OpenGate.receive(from: socket, waits: false) {
                guard !bytes.isEmpty else { return }
                if let message = OpenGate.Message(bytes) { handle(message) }
            }
            if polls[1].revents != 0 { readEvents() }
            expire(at: monotonicNanoseconds())
        }
    }

    private mutating func handle(_ message: OpenGate.Message) {
        switch message {
        case .probed(let process):
            if probed.count < Self.probedLimit { probed[process] = ProcessStat.image(of: process) }
            pass(process)
        case .pass(let process): pass(process)
        case .forget(let process): probed[process] = nil
        case .calibration(let process):
            let delay = OpenGate.longestCalibration - OpenGate.longestWait
            for index in waiters[process, default: []].indices {
                waiters[process]?[index].deadline += delay
            }
        case .watch(let path):
            let isWatched = watch(path)
            _ = OpenGate.send(.watching(programsWait: canWait && isWatched), to: socket)
        case .open, .expiry, .watching: break
        }
    }

    private func watch(_ path: String) -> Bool {
        // The kernel opens the file in this process for each report. If that fails, so does the
        // program's open.
        let descriptor = FilePath.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            return false
        }
        let link = "/proc/self/fd/\(descriptor)"
        return poolgauge_fanotify_open(events, canWait ? 1 : 0, link) == 0
    }

    private mutating func pass(_ process: Int32) {
        expired.remove(process)
        for waiter in waiters.removeValue(forKey: process) ?? [] { allow(waiter.event) }
    }

    private func allow(_ event: Int32) {
        // struct fanotify_response, with FAN_ALLOW
        let response = event.bytes + UInt32(1).bytes
        _ = write(events, response, response.count)
        close(event)
    }

    private mutating func expire(at now: UInt64) {
        for (process, all) in waiters where all.contains(where: { $0.deadline <= now }) {
            pass(process)
            expired.insert(process)
            _ = OpenGate.send(.expiry(process: process), to: socket)
        }
    }

    /// Reads `struct fanotify_event_metadata`.
    private mutating func readEvents() {
        let content = LittleEndian(ProcFile.readOnce(events, limit: 1_024))
        var offset = 0
        while let length = content.u32(offset), length >= 24,
            let event = content.u32(offset + 16).map(Int32.init(bitPattern:)),
            let process = content.u32(offset + 20).map(Int32.init(bitPattern:))
        {
            offset += Int(length)
            if event >= 0 {
                answer(event, process: process)
            } else if !passes(process) {
                _ = OpenGate.send(
                    .open(process: process, file: nil, isWaiting: false),
                    to: socket
                )
            }
        }
    }

    private mutating func answer(_ event: Int32, process: Int32) {
        var information = stat()
        guard !passes(process), fstat(event, &information) == 0 else { return allow(event) }
        let waits = expired.isEmpty && waiters.count < Self.waiterLimit
        let message = OpenGate.Message.open(
            process: process,
            file: FileIdentity(information),
            isWaiting: waits
        )
        guard OpenGate.send(message, to: socket), waits else { return allow(event) }
        waiters[process, default: []].append(
            Waiter(event: event, deadline: monotonicNanoseconds() + OpenGate.longestWait)
        )
    }

    /// Whether a process has probes, or belongs to the tracing program.
    private func passes(_ process: Int32) -> Bool {
        if process == tracer || process <= 0 { return true }
        if let known = probed[process] { return known == ProcessStat.image(of: process) }
        return ProcessStat(of: process)?.parent == tracer
            && ProcFile.link("/proc/\(process)/exe") == ProcFile.link("/proc/self/exe")
    }
}

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
