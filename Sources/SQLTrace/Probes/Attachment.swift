#if os(Linux)
import CTrace
import Glibc

/// The probes on the functions of one library in one process.
///
/// The probes slow down no other process that uses the library. The kernel removes them when their
/// descriptors are closed, which takes 50 ms for each link and 110 ms for each event.
struct Attachment: Sendable {
    /// The links, or the events, in the order in which to remove them.
    private let probes: [KernelObject]

    /// Sets the probes.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - thread: A living thread of the process.
    ///   - descriptor: The descriptor of the library's file.
    ///   - points: The positions of the probes.
    ///   - programs: The programs for the library.
    ///   - hasReturns: Whether to probe the return of `sqlite3_step`.
    ///   - way: How to set probes.
    /// - Throws: A ``TraceError`` if the kernel rejects a probe.
    init(
        _ process: Int32,
        thread: Int32,
        to descriptor: Int32,
        at points: [String: SQLiteLibrary.ProbePoint],
        _ programs: ProbeKernel.Programs,
        hasReturns: Bool,
        by way: ProbeSupport.Way
    ) throws(TraceError) {
        // The descriptor refers to the mapped file even if the file was removed or replaced.
        let path = "/proc/self/fd/\(descriptor)"
        var probes: [KernelObject] = []
        func set(
            _ program: KernelObject,
            _ functions: [String],
            isReturn: Bool = false
        ) throws(TraceError) {
            let offsets = functions.compactMap { function in
                points["sqlite3_" + function].map { isReturn ? $0.entry : $0.offset }
            }
            guard !offsets.isEmpty else { return }
            switch way {
            case .link:
                let link = ProbeSupport.createLink(
                    program,
                    path: path,
                    offsets: offsets,
                    process: process,
                    isReturn: isReturn
                )
                guard link >= 0 else { throw ProbeSupport.error("a probe", -link) }
                probes.insert(KernelObject(link), at: 0)
            case .event(let type):
                for offset in offsets {
                    let event = poolgauge_uprobe_open(
                        type,
                        path,
                        offset,
                        thread,
                        isReturn ? 1 : 0,
                        program.descriptor
                    )
                    guard event >= 0 else { throw ProbeSupport.error("a probe", errno) }
                    probes.insert(KernelObject(event), at: 0)
                }
            }
        }
        // Every recorded entry must have a recorded return, so returns are probed first, and their
        // probes are removed last.
        if hasReturns { try set(programs.stepReturn, ["step"], isReturn: true) }
        try set(programs.step, ["step"])
        try set(programs.reset, ["reset", "finalize", "exec"])
        try set(programs.close, ["close", "close_v2"])
        self.probes = probes
    }
}
#endif
