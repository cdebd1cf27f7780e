#if os(Linux)
import Glibc
import SQLiteWatch
import Telemetry

/// A trace buffer that only this session uses, and the group of the session's probes.
final class TraceInstance {
    let folder: TraceFolder
    let name: String
    private var pipes: [Int32] = []
    private var formats: [String: EventFormat] = [:]

    /// The size of the buffer of each processor, in kilobytes.
    private static let bufferSize = 8_192
    /// The size of a buffer's page, in bytes.
    ///
    /// Each read returns one page.
    private let pageSize: Int
    /// The maximum number of pages that one call to ``read()`` reads for each processor.
    ///
    /// Decoding takes longer than reading, so reading more in one call would let the buffers
    /// overflow.
    private static let readLimit = 256

    init(folder: TraceFolder, name: String) throws(TraceError) {
        self.folder = folder
        self.name = name
        let path = "\(folder.path)/instances/\(name)"
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw TraceError(
                .uprobes,
                "a trace instance cannot be created: \(String(cString: strerror(errno)))"
            )
        }
        let kilobytes = folder.text("instances/\(name)/buffer_subbuf_size_kb")
            .flatMap { Int($0.prefix { $0.isNumber }) }
        pageSize = max(4, kilobytes ?? 4) * 1_024
        for (file, value) in [
            ("trace_clock", "mono"), ("buffer_size_kb", "\(Self.bufferSize)"),
            ("options/overwrite", "1"), ("tracing_on", "1"),
        ] {
            let code = folder.write(value, to: "instances/\(name)/\(file)")
            guard code == 0 else {
                throw TraceError(
                    .uprobes,
                    "\(file) of a trace instance cannot be set: \(String(cString: strerror(code)))"
                )
            }
        }
        let processors = (ProcFile.names(in: path + "/per_cpu") ?? []).filter {
            $0.hasPrefix("cpu")
        }
        for processor in processors.sorted() {
            let pipe = open(
                "\(path)/per_cpu/\(processor)/trace_pipe_raw",
                O_RDONLY | O_NONBLOCK | O_CLOEXEC
            )
            if pipe >= 0 { pipes.append(pipe) }
        }
        guard pipes.count == processors.count, !pipes.isEmpty else {
            throw TraceError(.uprobes, "trace_pipe_raw of a trace instance cannot be opened")
        }
    }

    deinit { close() }

    /// Removes the instance and its probes.
    func close() {
        for pipe in pipes { Glibc.close(pipe) }
        pipes = []
        // Retry, because the kernel does not remove an instance while its files are being closed.
        for _ in 0..<100 {
            if folder.remove(name) { return }
            usleep(2_000)
        }
    }

    // MARK: Events

    /// Defines a probe without enabling it.
    ///
    /// - Parameters:
    ///   - kind: `p` for a function's entry, `r` for its return.
    ///   - event: The name of the event in the group.
    ///   - descriptor: The descriptor of the file in this process.
    ///   - offset: The offset of the instruction in the file.
    ///   - arguments: The values to record, such as `st=%di:x64`.
    /// - Throws: A ``TraceError`` if the kernel rejects the probe.
    func addProbe(
        _ kind: Character,
        _ event: String,
        descriptor: Int32,
        offset: UInt64,
        arguments: [String]
    ) throws(TraceError) {
        // Use the descriptor, because the file may have been renamed or hidden by a mount.
        let location = "/proc/\(getpid())/fd/\(descriptor):0x\(String(offset, radix: 16))"
        let line = "\(kind):\(name)/\(event) \(location) " + arguments.joined(separator: " ")
        let code = folder.write(line + "\n", to: "uprobe_events", appends: true)
        guard code == 0 else {
            throw TraceError(
                .probe,
                "the kernel rejected a probe: \(String(cString: strerror(code)))"
            )
        }
        try readFormat(event, of: name)
    }

    /// Removes a disabled probe.
    func removeProbe(_ event: String) {
        _ = folder.write("-:\(name)/\(event)\n", to: "uprobe_events", appends: true)
        formats[event] = nil
    }

    func readFormat(_ event: String, of group: String) throws(TraceError) {
        guard let format = folder.text("events/\(group)/\(event)/format").flatMap(EventFormat.init)
        else { throw TraceError(.probe, "the format of the event \(event) cannot be read") }
        formats[event] = format
    }

    func format(_ event: String) -> EventFormat? { formats[event] }

    func set(_ event: String, of group: String? = nil, isEnabled: Bool) throws(TraceError) {
        let code = folder.write(
            isEnabled ? "1" : "0",
            to: "instances/\(name)/events/\(group ?? name)/\(event)/enable"
        )
        guard code == 0 else {
            throw TraceError(
                .probe,
                "the event \(event) cannot be \(isEnabled ? "enabled" : "disabled"): "
                    + String(cString: strerror(code))
            )
        }
    }

    // MARK: Records

    struct Batch {
        /// The records, grouped by processor.
        var records: [EventRecord] = []
        /// The end of the last period in which events were lost, or `nil` if no events were lost.
        var lossEnd: UInt64?
        /// The time up to which every processor's records have been read, or `nil` if all available
        /// records have been read.
        var completeUntil: UInt64?
    }

    /// Returns the oldest records that have not been read yet.
    func read() -> Batch {
        var batch = Batch()
        for pipe in pipes {
            var pages = 0
            while pages < Self.readLimit {
                let page = ProcFile.readOnce(pipe, limit: pageSize)
                if page.isEmpty { break }
                let content = RingBufferPage.parse(page)
                batch.records += content.records
                if content.isAfterLoss {
                    let first = content.records.first?.time ?? monotonicNanoseconds()
                    batch.lossEnd = max(batch.lossEnd ?? 0, first)
                }
                pages += 1
            }
            if pages == Self.readLimit, let last = batch.records.last {
                batch.completeUntil = min(batch.completeUntil ?? .max, last.time)
            }
        }
        return batch
    }

    /// Starts or stops recording without removing the probes.
    func setRecording(_ isRecording: Bool) {
        _ = folder.write(isRecording ? "1" : "0", to: "instances/\(name)/tracing_on")
    }

    /// The number of events lost because a buffer was full or a record was too long.
    var lostCount: UInt64 {
        var lost: UInt64 = 0
        for processor in pipes.indices {
            let text = folder.text("instances/\(name)/per_cpu/cpu\(processor)/stats") ?? ""
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0] == "overrun" || parts[0] == "dropped events" else {
                    continue
                }
                lost += UInt64(parts[1].drop { $0 == " " }) ?? 0
            }
        }
        return lost
    }
}
#endif
