#if os(Linux)
import Glibc
import Telemetry

/// A helper process and the socket to it.
final class HelperProcess {
    enum Failure: Error, Equatable {
        /// The helper could not be started, with the given `errno`.
        case start(Int32)
        /// The helper ended.
        case ended
        /// The helper did not respond within the timeout, possibly because a file system is
        /// unresponsive.
        case timedOut
        /// The response is malformed.
        case malformed
    }

    /// The timeout for a response, in seconds.
    static let timeout = 2
    /// The maximum number of bytes to receive in one call.
    private static let receiveLength = 4_096

    let process: pid_t
    private let socket: Int32
    /// The part of a response that has been received.
    private var received: [UInt8] = []

    /// Starts a helper with a command, which is the path of a program and its arguments.
    init(_ command: [String]) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0, &ends) == 0 else {
            throw .start(errno)
        }
        var timeout = timeval(tv_sec: Self.timeout, tv_usec: 0)
        setsockopt(
            ends[0],
            SOL_SOCKET,
            SO_RCVTIMEO,
            &timeout,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var arguments = command.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        let status = posix_spawn(
            &process,
            command.first ?? "",
            &actions,
            nil,
            arguments,
            environ
        )
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw .start(status)
        }
        self.process = process
        socket = ends[0]
    }

    deinit {
        // Closing the socket ends the helper. The signal ends a helper that is blocked in a file
        // system.
        close(socket)
        kill(process, SIGKILL)
        for _ in 0..<100 {
            if waitpid(process, nil, WNOHANG) != 0 { return }
            usleep(1_000)
        }
    }

    func response(to request: HelperRequest) throws(Failure) -> [UInt8] {
        try send(request)
        return try receive()
    }

    /// Sends a request.
    ///
    /// Call ``poll()`` or ``receive()`` to receive the response.
    func send(_ request: HelperRequest) throws(Failure) { try send(request.bytes) }

    /// Waits for a response.
    func receive() throws(Failure) -> [UInt8] {
        while true {
            if let response = try takeResponse() { return response }
            try receivePart(flags: 0)
        }
    }

    /// Returns the response if it has arrived completely, or `nil` otherwise.
    func poll() throws(Failure) -> [UInt8]? {
        while true {
            if let response = try takeResponse() { return response }
            guard try receivePart(flags: Int32(MSG_DONTWAIT)) else { return nil }
        }
    }

    private func takeResponse() throws(Failure) -> [UInt8]? {
        guard received.count >= 4 else { return nil }
        let length = received.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        // The helper responds to one request at a time, so nothing follows a response.
        guard length <= HelperRequest.responseLimit, received.count <= 4 + length else {
            throw .malformed
        }
        guard received.count == 4 + length else { return nil }
        defer { received = [] }
        return Array(received.dropFirst(4))
    }

    private func send(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .ended
            }
        }
    }

    /// Receives part of a response, or returns `false` if a non-blocking call receives nothing.
    @discardableResult
    private func receivePart(flags: Int32) throws(Failure) -> Bool {
        var result = 0
        received.append(
            contentsOf: [UInt8](unsafeUninitializedCapacity: Self.receiveLength) { buffer, length in
                result = recv(socket, buffer.baseAddress, Self.receiveLength, flags)
                length = max(0, result)
            }
        )
        if result > 0 || (result < 0 && errno == EINTR) { return true }
        guard result < 0, errno == EAGAIN else { throw .ended }
        if flags == 0 { throw .timedOut }
        return false
    }
}

/// The value of `SOCK_CLOEXEC`.
private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

/// The process that opens the watched files on behalf of a ``WatchSession``.
///
/// When a process closes any descriptor of a file, POSIX releases all of that process's locks on
/// the file (https://sqlite.org/howtocorrupt.html, section 2.2). A program that uses a database
/// through SQLite must therefore never open and close the database's files by other means. Instead,
/// the helper opens and closes them.
public enum WatchHelper {
    /// The time limit for a table request, excluding a b-tree walk, in nanoseconds.
    private static let tableTime: UInt64 = 30_000_000

    /// Serves requests until standard input is closed.
    ///
    /// A watching program calls this function in the helper command that it passes to a session.
    /// The function returns when the session ends.
    public static func run() {
        // A terminal or the `timeout` command sends these signals to all processes in a group. The
        // session needs the helper for its last report and then stops it.
        for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM] { signal(number, SIG_IGN) }
        signal(SIGPIPE, SIG_DFL)
        var databases: [UInt8: DatabaseFiles] = [:]
        var readers: [UInt8: TableReader] = [:]
        var paths: [UInt8: [UInt8]] = [:]
        let list = try? LockListFile()
        let channel = HelperChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
        while let request = channel.receiveRequest() {
            var response: [UInt8] = []
            switch request {
            case .watch(let slot, let path):
                paths[slot] = path
                databases[slot] = nil
                readers[slot] = nil
            case .sample(let slot, let probesReaders):
                let files = databases[slot] ?? paths[slot].map(DatabaseFiles.init)
                databases[slot] = files
                response = (files?.sample(probesReaders: probesReaders) ?? FileSample()).bytes
            case .batch(let slots, let probesReaders, let moments):
                for slot in 0..<slots where databases[slot] == nil {
                    databases[slot] = paths[slot].map(DatabaseFiles.init)
                }
                var sampler = BatchSampler(
                    files: (0..<slots).map { databases[$0] },
                    probesReaders: probesReaders,
                    count: moments.count
                )
                sample(moments, with: &sampler, list: list)
                response = sampler.batch.bytes
            case .tables(let slot):
                let reader = readers[slot] ?? paths[slot].map(TableReader.init)
                readers[slot] = reader
                response = (reader?.advance(nanoseconds: tableTime) ?? TableCounts()).bytes
            }
            guard channel.send(response: response) else { return }
        }
    }

    private static func sample(
        _ moments: [HelperRequest.Moment],
        with sampler: inout BatchSampler,
        list: LockListFile?
    ) {
        var readsList = false
        for (number, moment) in moments.enumerated() {
            readsList = readsList || moment.readsList
            // Skip a late sample, because the next sample represents both times.
            if number + 1 < moments.count, monotonicNanoseconds() >= moments[number + 1].time {
                continue
            }
            SystemClock.sleep(until: moment.time)
            sampler.sample(number, list: readsList ? list : nil)
            readsList = false
        }
    }
}

struct HelperChannel {
    var input: Int32
    var output: Int32

    /// Waits for the next request, or returns `nil` if the input ends or the request is malformed.
    func receiveRequest() -> HelperRequest? {
        guard let prefix = receive(HelperRequest.prefixLength) else { return nil }
        let length = Int(prefix[2]) | Int(prefix[3]) << 8
        guard length <= HelperRequest.pathLimit, let content = receive(length) else { return nil }
        return HelperRequest(prefix + content)
    }

    /// Sends a response and returns whether the write succeeded.
    func send(response: [UInt8]) -> Bool {
        var writer = MessageWriter()
        writer.put(UInt32(response.count))
        var rest = (writer.bytes + response)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads exactly `count` bytes, or returns `nil` if the input ends first.
    private func receive(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let missing = count - bytes.count
            var result = 0
            bytes.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: missing) { buffer, length in
                    result = read(input, buffer.baseAddress, missing)
                    length = max(0, result)
                }
            )
            if result == 0 || (result < 0 && errno != EINTR) { return nil }
        }
        return bytes
    }
}
#endif
