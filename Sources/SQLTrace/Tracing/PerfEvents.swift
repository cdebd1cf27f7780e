#if os(Linux)
import CTrace
import Glibc
import SQLiteWatch

/// The trace events of selected processes.
///
/// The kernel does not set probes in other processes.
final class PerfEvents {
    private struct Buffer {
        var descriptor: Int32
        var memory: UnsafeMutableRawPointer
    }

    private struct Target: Hashable {
        var process: Int32
        var event: UInt16
    }

    private var buffers: [Int: Buffer] = [:]
    private var descriptors: [Int32] = []
    private var opened: Set<Target> = []
    /// The number of events lost because a buffer was full.
    private(set) var lostCount: UInt64 = 0

    /// The size of a buffer, which must be a power of two, in bytes.
    private static let bufferSize = 1 << 23
    /// The size of the page before each buffer, in bytes.
    private static let pageSize = 4_096

    deinit { close() }

    func close() {
        for buffer in buffers.values { munmap(buffer.memory, Self.bufferSize + Self.pageSize) }
        for descriptor in descriptors { Glibc.close(descriptor) }
        buffers = [:]
        descriptors = []
    }

    /// Opens events for the threads of a process and for all threads that they create.
    ///
    /// - Parameters:
    ///   - process: The process ID.
    ///   - events: The numbers of the trace events.
    /// - Throws: ``TraceError`` if the system rejects an event.
    func add(process: Int32, events: [UInt16]) throws(TraceError) {
        let new = events.filter { opened.insert(Target(process: process, event: $0)).inserted }
        guard !new.isEmpty else { return }
        let threads = (ProcFile.names(in: "/proc/\(process)/task") ?? []).compactMap { Int32($0) }
        for thread in threads { try add(thread: thread, events: new) }
    }

    private func add(thread: Int32, events: [UInt16]) throws(TraceError) {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        for processor in 0..<processors {
            for event in events {
                let descriptor = poolgauge_perf_open(UInt64(event), thread, Int32(processor))
                guard descriptor >= 0 else {
                    // The thread has ended.
                    if errno == ESRCH { return }
                    throw TraceError(
                        .probe,
                        "perf_event_open failed: \(String(cString: strerror(errno)))"
                    )
                }
                descriptors.append(descriptor)
                if let buffer = buffers[processor] {
                    _ = poolgauge_perf_redirect(descriptor, buffer.descriptor)
                } else {
                    let memory = mmap(
                        nil,
                        Self.bufferSize + Self.pageSize,
                        PROT_READ | PROT_WRITE,
                        MAP_SHARED,
                        descriptor,
                        0
                    )
                    guard let memory, memory != MAP_FAILED else {
                        throw TraceError(.probe, "a perf buffer cannot be mapped")
                    }
                    buffers[processor] = Buffer(descriptor: descriptor, memory: memory)
                }
                _ = poolgauge_perf_enable(descriptor, 1)
            }
        }
    }

    func read() -> [EventRecord] {
        var records: [EventRecord] = []
        for buffer in buffers.values {
            let head = poolgauge_perf_head(buffer.memory)
            let tail = poolgauge_perf_tail(buffer.memory)
            let count = Int(head &- tail)
            guard count > 0, count <= Self.bufferSize else { continue }
            let data = buffer.memory + Self.pageSize
            let start = Int(tail % UInt64(Self.bufferSize))
            let first = min(count, Self.bufferSize - start)
            var bytes = Array(UnsafeRawBufferPointer(start: data + start, count: first))
            if first < count {
                bytes += UnsafeRawBufferPointer(start: data, count: count - first)
            }
            poolgauge_perf_release(buffer.memory, head)
            let content = PerfRecords.parse(bytes)
            records += content.records
            lostCount &+= content.lostCount
        }
        return records
    }
}
#endif
