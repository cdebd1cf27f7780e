import Foundation

/// The parent's side of a connection to another process that performs commands.
///
/// The process ends when the object is released, even if the process is stopped. Use the object on
/// one thread at a time.
package final class Peer {
    /// A command that the process did not perform.
    package struct Failure: Error {
        /// An SQLite result code, or 0.
        package var code: Int32
        /// A description of the failure.
        package var message: String
    }

    private let process = Process()
    private let descriptor: Int32
    private let timeout: Int32
    private var received: [UInt8] = []

    /// The identifier of the process.
    package var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a process and waits until it is ready.
    ///
    /// - Parameters:
    ///   - executable: The path of the program.
    ///   - arguments: The program's arguments.
    ///   - timeout: The timeout for each reply in seconds.
    /// - Throws: ``Failure`` if the process does not become ready.
    package init(executable: String, arguments: [String], timeout: Int32 = 60) throws {
        self.timeout = timeout
        // A socket pair is used instead of pipes, because writing to a process that has ended must
        // not raise SIGPIPE.
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Failure(code: 0, message: "socketpair: errno \(errno)")
        }
        descriptor = ends[0]
        // The process detects the end of its input only if no other process holds this descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let childEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = childEnd
        process.standardOutput = childEnd
        try process.run()
        try childEnd.close()
        guard case .ready = try receive() else {
            throw Failure(code: 0, message: "the process did not report that it is ready")
        }
    }

    deinit {
        close(descriptor)
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    // MARK: Commands

    /// Runs SQL and returns the first row.
    @discardableResult
    package func sql(_ sql: String) throws -> [String?] {
        try send(.sql(sql))
        guard case .row(let row, _) = try receive() else { throw Self.unexpected }
        return row
    }

    /// Performs a load and returns its times.
    @discardableResult
    package func commit(_ load: CommitLoad) throws -> CommitTimes {
        try send(.commit(load))
        guard case .times(let times) = try receive() else { throw Self.unexpected }
        return times
    }

    /// Runs a checkpoint without waiting for locks, and returns whether it completed.
    package func completesCheckpoint(_ mode: String) throws -> Bool {
        try sql("PRAGMA busy_timeout = 0")
        defer { _ = try? sql("PRAGMA busy_timeout = 20000") }
        return try sql("PRAGMA wal_checkpoint(\(mode))").first == "0"
    }

    private static let unexpected = Failure(code: 0, message: "an unexpected reply")

    // MARK: Stopping

    /// Stops all threads of the process with SIGSTOP, and returns when they have stopped.
    package func stop() throws {
        kill(processIdentifier, SIGSTOP)
        var information = siginfo_t()
        // Without WEXITED, this call does not collect the status of a process that has ended.
        guard waitid(P_PID, id_t(processIdentifier), &information, WSTOPPED) == 0 else {
            throw Failure(code: 0, message: "waitid: errno \(errno)")
        }
    }

    /// Resumes a stopped process.
    package func resume() { kill(processIdentifier, SIGCONT) }

    // MARK: Transport

    private func send(_ command: PeerCommand) throws {
        var line = try JSONEncoder().encode(command)
        line.append(UInt8(ascii: "\n"))
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = line.withUnsafeBytes { bytes in
            #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #else
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #endif
        }
        guard count == line.count else {
            throw Failure(code: 0, message: "the process has ended")
        }
    }

    /// Waits for a reply.
    private func receive() throws -> PeerReply {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(received[..<end])
                received.removeSubrange(...end)
                let reply = try JSONDecoder().decode(PeerReply.self, from: line)
                if case .failure(let code, let message) = reply {
                    throw Failure(code: code, message: message)
                }
                return reply
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard poll(&wait, 1, timeout * 1_000) > 0 else {
                throw Failure(code: 0, message: "the process did not reply")
            }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Failure(code: 0, message: "the process has ended") }
            received.append(contentsOf: buffer[..<count])
        }
    }
}
