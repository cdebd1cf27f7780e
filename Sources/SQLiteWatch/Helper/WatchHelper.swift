#if os(Linux)
import Glibc
import Telemetry

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
