#if os(Linux)
import Glibc

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
    private static let timeout = 2
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
#endif
