#if os(Linux)
import CTrace
import Foundation
import Glibc
import SQLiteWatch
import Synchronization
import Telemetry

/// The memory in which programs store the records of their statements (`CTraceAgent.h`), and a thread
/// that copies them before they are overwritten.
///
/// Each program that maps the memory can change all of it at any time. The reader therefore keeps its
/// own position, copies each record, and uses only the copy.
final class AgentRing: Sendable {
    /// The records that were copied since the last call to ``take()``.
    struct Batch {
        /// The records, each of ``recordSize`` bytes.
        var bytes: [UInt8] = []
        /// The number of records that were overwritten, damaged, or never completed.
        var lost: UInt64 = 0
    }

    private struct State {
        let memory: UInt
        /// The programs' counts when this reader began.
        let first: (unread: UInt64, nested: UInt64)
        /// The number of records that were read.
        var position: UInt64
        /// The end of the records that a program may still be storing, and when that was first seen.
        var wait: (end: UInt64, time: UInt64)?
        var batch = Batch()
        var requestsValues = false
        var isClosed = false
    }

    /// A descriptor of the memory, which programs find under the same number.
    let descriptor: Int32
    private let state: Mutex<State>

    static let recordSize = Int(POOLGAUGE_RECORD_SIZE)
    static let size = Int(POOLGAUGE_RING_HEAD_SIZE) + slots * Int(POOLGAUGE_RING_SLOT_SIZE)
    private static let slots = Int(POOLGAUGE_RING_SLOTS)
    /// The seals that prevent programs from resizing the memory: F_SEAL_SEAL, SHRINK, and GROW.
    private static let seals: Int32 = 1 | 2 | 4
    private static let setSeals: Int32 = 1_033
    private static let getSeals: Int32 = 1_034
    /// The lowest number of the descriptor, which programs do not use for their own files.
    private static let lowestDescriptor: Int32 = 200
    /// The time in which a program that stores a record completes it, in nanoseconds.
    private static let patience: UInt64 = 100_000_000
    /// The time between two reads, in microseconds.
    private static let pause: UInt32 = 2_000
    /// The maximum number of records that wait for ``take()``.
    private static let batchLimit = 1 << 18

    /// Creates memory.
    static func created() throws(TraceError) -> AgentRing {
        let file = poolgauge_sealable_memfd(POOLGAUGE_RING_NAME)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, ftruncate(file, off_t(size)) == 0, fcntl(file, setSeals, seals) == 0,
            let ring = AgentRing(duplicating: file, isNew: true)
        else {
            let reason = String(cString: strerror(errno))
            throw TraceError(.probe, "the memory for statements cannot be created: \(reason)")
        }
        return ring
    }

    /// `O_PATH`, which opens no device.
    private static let pathOnly: Int32 = 0x20_0000

    /// Opens the memory that another process created, or returns `nil` if it is not such memory or
    /// does not belong to the user of that process.
    static func opened(of process: Int32, _ descriptor: Int32) -> AgentRing? {
        var owner = stat()
        guard stat("/proc/\(process)", &owner) == 0 else { return nil }
        // The process may replace its descriptor at any time, and opening a device has effects.
        let path = open("/proc/\(process)/fd/\(descriptor)", pathOnly | O_CLOEXEC)
        guard path >= 0 else { return nil }
        defer { close(path) }
        var status = stat()
        guard fstat(path, &status) == 0, status.st_uid == owner.st_uid,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let file = open("/proc/self/fd/\(path)", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Only a sealed file keeps its size.
        guard fcntl(file, getSeals) & seals == seals, fstat(file, &status) == 0,
            status.st_size == off_t(size)
        else { return nil }
        return AgentRing(duplicating: file, isNew: false)
    }

    /// Returns whether a process that runs belongs to the user who created the memory, or that user is
    /// root, whose programs may become other users.
    ///
    /// Otherwise, a user could store statements in the name of other users' programs.
    func belongs(to process: Int32) -> Bool {
        var file = stat()
        var owner = stat()
        guard fstat(descriptor, &file) == 0, stat("/proc/\(process)", &owner) == 0 else {
            return false
        }
        return file.st_uid == 0 || file.st_uid == owner.st_uid
    }

    private init?(duplicating file: Int32, isNew: Bool) {
        let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        let descriptor = fcntl(file, F_DUPFD_CLOEXEC, Self.lowestDescriptor)
        guard descriptor >= 0 else {
            munmap(memory, Self.size)
            return nil
        }
        self.descriptor = descriptor
        // Programs have sent their texts and files to earlier readers only.
        poolgauge_ring_add_reader(memory)
        poolgauge_ring_note_reader(memory, monotonicNanoseconds())
        state = Mutex(
            State(
                memory: UInt(bitPattern: memory),
                first: isNew
                    ? (0, 0) : (poolgauge_load64(memory + 8), poolgauge_load64(memory + 16)),
                position: isNew ? 0 : poolgauge_load64(memory)
            )
        )
    }

    deinit {
        state.withLock { state in
            _ = munmap(UnsafeMutableRawPointer(bitPattern: state.memory), Self.size)
        }
        close(descriptor)
    }

    /// Starts the thread that copies records.
    func startThread() {
        Thread.detachNewThread { [weak self] in
            while self?.copyRecords(at: monotonicNanoseconds()) == true { usleep(Self.pause) }
        }
    }

    /// Makes programs send the values of parameters as long as this ring is read.
    func requestValues() {
        state.withLock { $0.requestsValues = true }
        copyRecords(at: monotonicNanoseconds())
    }

    /// Ends the thread, after which programs soon stop storing records.
    func end() { state.withLock { $0.isClosed = true } }

    /// Returns the records that are complete since the last call, and the number of lost records.
    func take(at now: UInt64 = monotonicNanoseconds()) -> Batch {
        copyRecords(at: now)
        return state.withLock { state in
            defer { state.batch = Batch() }
            return state.batch
        }
    }

    /// The number of executions that programs did not store because there was no reader, and of those
    /// inside a step of another statement.
    var counts: (unread: UInt64, nested: UInt64) {
        state.withLock { state in
            guard let memory = UnsafeMutableRawPointer(bitPattern: state.memory) else {
                return (0, 0)
            }
            // A program may have lowered a count.
            let unread = poolgauge_load64(memory + 8)
            let nested = poolgauge_load64(memory + 16)
            return (
                unread - min(unread, state.first.unread), nested - min(nested, state.first.nested)
            )
        }
    }

    /// Copies the records that are complete, and returns whether the ring is still in use.
    @discardableResult
    private func copyRecords(at now: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            Self.copyRecords(&state, at: now)
            return true
        }
    }

    private static func copyRecords(_ state: inout State, at now: UInt64) {
        guard let memory = UnsafeMutableRawPointer(bitPattern: state.memory) else { return }
        poolgauge_ring_note_reader(memory, now)
        if state.requestsValues { poolgauge_ring_note_value_reader(memory, now) }
        let head = poolgauge_load64(memory)
        let count = head &- state.position
        if count > 1 << 63 {
            // A program has changed the number.
            state.batch.lost &+= 1
            state.position = head
        } else if count > UInt64(slots) {
            // The oldest records were overwritten.
            state.batch.lost &+= count - UInt64(slots)
            state.position = head &- UInt64(slots)
        }
        withUnsafeTemporaryAllocation(byteCount: recordSize, alignment: 8) { record in
            while state.position != head {
                switch poolgauge_ring_copy(memory, state.position, record.baseAddress) {
                case 1 where state.batch.bytes.count < batchLimit * recordSize:
                    state.batch.bytes.append(contentsOf: record)
                case 0:
                    if let wait = state.wait, state.position &- wait.end > 1 << 63 {
                        guard now > wait.time + patience else { return }
                    } else {
                        state.wait = (head, now)
                        return
                    }
                    // Its program has ended.
                    state.batch.lost &+= 1
                default: state.batch.lost &+= 1
                }
                state.position &+= 1
            }
        }
    }
}
#endif
