#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch

/// A type that reports the processes that open watched files (fanotify(7)).
///
/// Where the file system does not support it, the survey of processes finds them later.
final class DatabaseOpens {
    private let descriptor = poolgauge_fanotify()
    private var marked: Set<String> = []

    /// The offset of the process ID in `struct fanotify_event_metadata`.
    private static let processOffset = 20

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches files, including those that did not exist at an earlier call.
    func watch(_ paths: [String]) {
        for path in paths where !marked.contains(path) {
            if poolgauge_fanotify_open(descriptor, path) == 0 { marked.insert(path) }
        }
    }

    /// Returns the processes that have opened a file since the last call.
    func processes() -> Set<Int32> {
        guard descriptor >= 0 else { return [] }
        var found: Set<Int32> = []
        while true {
            let content = LittleEndian(ProcFile.readOnce(descriptor, limit: 1 << 14))
            if content.count == 0 { return found }
            var offset = 0
            while let length = content.u32(offset), length >= 24,
                let process = content.u32(offset + Self.processOffset)
            {
                found.insert(Int32(bitPattern: process))
                offset += Int(length)
            }
        }
    }
}
#endif
