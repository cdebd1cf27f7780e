#if os(Linux)
import Glibc

/// The watching process's end of its helper.
final class HelperProcess {
    /// Why a helper did not answer.
    enum Failure: Error, Equatable {
        /// It could not be started; `errno`.
        case start(Int32)
        /// It ended.
        case ended
        /// It did not answer in time: a file system may not respond.
        case silent
        /// Its answer is malformed.
        case malformed
    }

    /// How long an answer may take, in seconds.
    private static let patience = 2
    /// The bytes that are received at once.
    private static let part = 4_096

    /// The helper.
    let process: pid_t
    private let socket: Int32
    /// The part of an answer that has arrived.
    private var received: [UInt8] = []

    /// Starts a helper with a command: the path of a program, and its arguments.
    init(_ command: [String]) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0, &ends) == 0 else {
            throw .start(errno)
        }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(
            ends[0],
            SOL_SOCKET,
            SO_RCVTIMEO,
            &patience,
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
        // A closed connection ends the helper; the signal ends one that a file system holds up.
        close(socket)
        kill(process, SIGKILL)
        for _ in 0..<100 {
            if waitpid(process, nil, WNOHANG) != 0 { return }
            usleep(1_000)
        }
    }

    /// Sends a request and waits for the answer.
    func answer(to request: HelperRequest) throws(Failure) -> [UInt8] {
        try send(request)
        return try receive()
    }

    /// Sends a request, whose answer ``poll()`` or ``receive()`` returns.
    func send(_ request: HelperRequest) throws(Failure) { try send(request.bytes) }

    /// Waits for an answer.
    func receive() throws(Failure) -> [UInt8] {
        while true {
            if let answer = try takeAnswer() { return answer }
            try receivePart(flags: 0)
        }
    }

    /// The answer, if it has arrived.
    func poll() throws(Failure) -> [UInt8]? {
        while true {
            if let answer = try takeAnswer() { return answer }
            guard try receivePart(flags: Int32(MSG_DONTWAIT)) else { return nil }
        }
    }

    private func takeAnswer() throws(Failure) -> [UInt8]? {
        guard received.count >= 4 else { return nil }
        let length = received.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        // One request is answered at a time: nothing follows its answer.
        guard length <= HelperRequest.answerLimit, received.count <= 4 + length else {
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

    /// Receives a part of an answer; false when none has arrived and the call does not wait.
    @discardableResult
    private func receivePart(flags: Int32) throws(Failure) -> Bool {
        var result = 0
        received.append(
            contentsOf: [UInt8](unsafeUninitializedCapacity: Self.part) { buffer, length in
                result = recv(socket, buffer.baseAddress, Self.part, flags)
                length = max(0, result)
            }
        )
        if result > 0 || (result < 0 && errno == EINTR) { return true }
        guard result < 0, errno == EAGAIN else { throw .ended }
        if flags == 0 { throw .silent }
        return false
    }
}

/// `SOCK_CLOEXEC`.
private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
#endif
