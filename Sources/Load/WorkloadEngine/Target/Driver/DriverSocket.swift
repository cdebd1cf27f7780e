import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The Unix sockets between a run and a driver, or between a driver and its run.
enum DriverSocket {
    private static func make() -> Int32 {
        #if canImport(Glibc)
        return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        return socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    /// Prevents other programs from inheriting a socket, and `SIGPIPE`.
    private static func prepare(_ socket: Int32) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        #if !canImport(Glibc)
        var value: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &value, socklen_t(4))
        #endif
    }

    /// Creates two connected sockets, of which a driver reads one as its standard input.
    static func pair() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        #else
        let result = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
        #endif
        guard result == 0 else { throw failure("no socket can be created") }
        for end in ends { prepare(end) }
        return (ends[0], ends[1])
    }

    /// Listens on a path in a folder that only this user can use.
    static func listen(at path: String) throws -> Int32 {
        let socket = make()
        guard socket >= 0 else { throw failure("no socket can be created") }
        prepare(socket)
        let isBound = try withAddress(path) { bind(socket, $0, $1) == 0 }
        #if canImport(Glibc)
        let isListening = isBound && Glibc.listen(socket, 1024) == 0
        #else
        let isListening = isBound && Darwin.listen(socket, 1024) == 0
        #endif
        guard isListening else {
            defer { close(socket) }
            throw failure("'\(path)' cannot be created")
        }
        return socket
    }

    static func connect(to path: String) throws -> Int32 {
        let socket = make()
        guard socket >= 0 else { throw failure("no socket can be created") }
        prepare(socket)
        #if canImport(Glibc)
        let isConnected = try withAddress(path) { Glibc.connect(socket, $0, $1) == 0 }
        #else
        let isConnected = try withAddress(path) { Darwin.connect(socket, $0, $1) == 0 }
        #endif
        guard isConnected else {
            defer { close(socket) }
            throw failure("'\(path)' cannot be opened")
        }
        return socket
    }

    /// Accepts a connection, or returns `nil` if there is none within 100 ms.
    static func accept(from listener: Int32) -> Int32? {
        var descriptor = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 100) > 0 else { return nil }
        #if canImport(Glibc)
        let socket = Glibc.accept(listener, nil, nil)
        #else
        let socket = Darwin.accept(listener, nil, nil)
        #endif
        guard socket >= 0 else { return nil }
        prepare(socket)
        return socket
    }

    /// Limits the time of each read, in seconds; 0 for no limit.
    static func limitReads(of socket: Int32, to seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all bytes.
    ///
    /// - Throws: ``DriverFailure/ended`` if the other end is closed.
    static func send(_ bytes: [UInt8], to socket: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer -> Int in
                let start = buffer.baseAddress.map { $0 + sent }
                #if canImport(Glibc)
                return Glibc.send(socket, start, buffer.count - sent, Int32(MSG_NOSIGNAL))
                #else
                return Darwin.send(socket, start, buffer.count - sent, 0)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DriverFailure.ended }
            sent += count
        }
    }

    private static func failure(_ problem: String) -> DriverFailure {
        DriverFailure("\(problem): \(String(cString: strerror(errno)))")
    }

    private static func withAddress<R>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) throws -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= capacity else {
            throw DriverFailure(
                "the path of its socket, '\(path)', is longer than \(capacity) bytes; set TMPDIR "
                    + "to a shorter path"
            )
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A reader of lines from a socket.
///
/// Only one thread at a time can use it.
struct LineReader {
    private let socket: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    init(_ socket: Int32, limit: Int = DriverProcess.maximumLine) {
        self.socket = socket
        self.limit = limit
    }

    /// Returns the next line without its line feed, or `nil` at the end.
    ///
    /// - Throws: ``DriverFailure`` if the line is too long.
    mutating func next() throws -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer {
                    start = end + 1
                    searched = start
                }
                return buffer[start..<end]
            }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            guard buffer.count < limit else {
                throw DriverFailure("a line has more than \(limit) bytes")
            }
            let count = read(socket, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { throw DriverFailure.late }
            guard count > 0 else { return nil }
            buffer.append(contentsOf: chunk[..<count])
        }
    }
}
