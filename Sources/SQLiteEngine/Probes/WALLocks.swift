import Foundation

/// The locks on a wal-index, as the system reports them.
///
/// SQLite locks bytes 120 to 127 of the `-shm` file: byte 120 to write, byte 121 to checkpoint, and
/// bytes 123 to 127 to read on marks 0 to 4 (https://sqlite.org/walformat.html, section 2.3). This
/// type reads `/proc/locks`, because opening and closing the file would release this process's
/// locks.
struct WALLocks: Equatable {
    struct Entry: Equatable {
        var process: Int32
        var isExclusive: Bool
        var bytes: ClosedRange<UInt64>
    }

    var entries: [Entry]

    init(entries: [Entry]) { self.entries = entries }

    /// The maximum size of a list that a single call to `read` always returns completely, in bytes.
    ///
    /// The size is one page minus one line.
    ///
    /// Linux's `seq_read_iter` fills one page per call. Between two calls, the list is unlocked,
    /// and the next call continues at the same index. If a lock before that index is released
    /// between the calls, the result omits a lock that is held throughout. In a test with a process
    /// that changed 10,000 locks per second, 0.4% of all results omitted a lock.
    static let maximumCompleteSize = 4096 - 256

    /// Reads the locks on a `-shm` file, or returns `nil` if the system does not report them.
    ///
    /// - Parameters:
    ///   - path: The path of the `-shm` file.
    ///   - list: A function that reads the system's list. The initializer calls it twice if the
    ///     first result may omit a lock.
    init?(
        path: String,
        list: () -> String? = { try? String(contentsOfFile: "/proc/locks", encoding: .utf8) }
    ) {
        var information = stat()
        guard stat(path, &information) == 0, let text = list() else { return nil }
        let inode = UInt64(information.st_ino)
        self.init(text: text, inode: inode)
        guard text.utf8.count > Self.maximumCompleteSize, let second = list() else {
            return
        }
        for entry in WALLocks(text: second, inode: inode).entries where !entries.contains(entry) {
            entries.append(entry)
        }
    }

    /// Parses lines such as `1: POSIX  ADVISORY  READ 4711 08:01:1234 123 123`.
    ///
    /// This initializer ignores the device, because `stat` reports a different device on overlay
    /// file systems.
    init(text: String, inode: UInt64) {
        entries = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // A waiting process has an arrow as the second word of its entry.
            guard words.count >= 8, words[1] == "POSIX", let process = Int32(words[4]),
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode,
                let first = UInt64(words[6])
            else { return nil }
            let last = words[7] == "EOF" ? UInt64.max : UInt64(words[7]) ?? first
            guard first <= last else { return nil }
            return Entry(process: process, isExclusive: words[3] == "WRITE", bytes: first...last)
        }
    }

    /// The name of a connection of this process that does not belong to the diagnosed database.
    static let ownProcess = "another connection of this process"

    private static let writeByte: UInt64 = 120
    private static let checkpointByte: UInt64 = 121
    private static let firstReadByte: UInt64 = 123

    /// Returns the outside connection that prevents an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation that the connection may prevent.
    ///   - diagnosis: The states of the log and of the database's connections.
    ///   - ownProcess: The identifier of this process.
    /// - Returns: The connection's name, or `nil` if there is none.
    func outsideConnection(
        for operation: WALDiagnosis.PreventableOperation,
        _ diagnosis: WALDiagnosis,
        process ownProcess: Int32 = getpid()
    ) -> String? {
        for entry in entries.sorted(by: {
            ($0.process == ownProcess ? 1 : 0) < ($1.process == ownProcess ? 1 : 0)
        })
        where isBlocking(entry, operation, diagnosis, ownProcess) {
            return entry.process == ownProcess
                ? Self.ownProcess : Self.name(of: entry.process)
        }
        return nil
    }

    private func isBlocking(
        _ entry: Entry,
        _ operation: WALDiagnosis.PreventableOperation,
        _ diagnosis: WALDiagnosis,
        _ ownProcess: Int32
    ) -> Bool {
        if operation == .writer {
            return entry.isExclusive && entry.bytes.contains(Self.writeByte)
        }
        if operation == .checkpoint, entry.process != ownProcess, entry.isExclusive,
            entry.bytes.contains(Self.checkpointByte)
        {
            return true
        }
        return (0..<WALState.markCount).contains { mark in
            guard entry.bytes.contains(Self.firstReadByte + UInt64(mark)) else { return false }
            let frames = mark == 0 ? 0 : diagnosis.log.marks[mark]
            // Readers of the last state do not prevent a checkpoint. Readers that use only the
            // database file do not prevent a restart.
            switch operation {
            case .writer: return false
            case .checkpoint: guard frames < diagnosis.log.frames else { return false }
            case .restart: guard mark > 0 else { return false }
            }
            return entry.process != ownProcess || !diagnosis.explains(mark: mark)
        }
    }

    private static func name(of process: Int32) -> String {
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        let trimmed = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return trimmed.isEmpty ? "process \(process)" : "\(trimmed) (\(process))"
    }
}
