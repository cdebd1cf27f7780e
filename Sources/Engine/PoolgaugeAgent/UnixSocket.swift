#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The system calls for Unix sockets.
enum UnixSocket {
    /// Creates a socket that other programs do not inherit and that does not raise `SIGPIPE`.
    static func make() throws(AgentError) -> Int32 {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = socket(AF_UNIX, kind, 0)
        #else
        let socket = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { throw AgentError("cannot create a socket: \(lastError)") }
        prepare(socket, blocks: true)
        return socket
    }

    /// Accepts a connection without blocking, and returns its nonblocking socket, or -1.
    ///
    /// Other programs do not inherit the socket, unless another thread starts a program during this
    /// call.
    static func accept(from listener: Int32) -> Int32 {
        #if canImport(Glibc)
        let socket = Glibc.accept(listener, nil, nil)
        #else
        let socket = Darwin.accept(listener, nil, nil)
        #endif
        if socket >= 0 { prepare(socket, blocks: false) }
        return socket
    }

    /// Sets the options of a new or accepted socket.
    static func prepare(_ socket: Int32, blocks: Bool) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        if !blocks { _ = fcntl(socket, F_SETFL, O_NONBLOCK) }
        #if !canImport(Glibc)
        setOption(SO_NOSIGPIPE, to: 1, of: socket)
        #endif
    }

    /// Sets an integer option.
    static func setOption(_ name: Int32, to value: Int32, of socket: Int32) {
        var value = value
        setsockopt(socket, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Binds a socket to a path, and returns the `errno`, or 0.
    static func bind(_ socket: Int32, to path: String) throws(AgentError) -> Int32 {
        try withAddress(path) { address, length in
            #if canImport(Glibc)
            Glibc.bind(socket, address, length) == 0 ? 0 : errno
            #else
            Darwin.bind(socket, address, length) == 0 ? 0 : errno
            #endif
        }
    }

    /// Connects a socket to a path, and returns the `errno`, or 0.
    static func connect(_ socket: Int32, to path: String) throws(AgentError) -> Int32 {
        try withAddress(path) { address, length in
            #if canImport(Glibc)
            Glibc.connect(socket, address, length) == 0 ? 0 : errno
            #else
            Darwin.connect(socket, address, length) == 0 ? 0 : errno
            #endif
        }
    }

    /// Sends bytes, and returns the result of `send`.
    static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Int {
        bytes.withUnsafeBytes { buffer in
            #if canImport(Glibc)
            Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            #else
            Darwin.send(socket, buffer.baseAddress, buffer.count, 0)
            #endif
        }
    }

    /// Returns the effective user of the process that connected, or `nil` if unknown.
    static func peerUser(of socket: Int32) -> uid_t? {
        #if canImport(Glibc)
        // The fields of `struct ucred`: the process, the user, and the group.
        var credentials: [UInt32] = [0, 0, 0]
        var length = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
        let status = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return status == 0 ? credentials[1] : nil
        #else
        var user = uid_t.max
        var group = gid_t.max
        return getpeereid(socket, &user, &group) == 0 ? user : nil
        #endif
    }

    /// The description of `errno`.
    static var lastError: String { description(of: errno) }

    /// Returns the description of an error number.
    static func description(of number: Int32) -> String {
        String(cString: strerror(number))
    }

    private static func withAddress<R>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) throws(AgentError) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= capacity else {
            throw AgentError(
                "the socket's path \(path) has \(bytes.count) bytes; the system allows \(capacity)"
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
