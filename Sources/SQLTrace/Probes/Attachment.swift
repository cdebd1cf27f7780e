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

    /// The functions whose entries are probed, grouped by what the programs do.
    private static let functions = [
        ["step"], ["reset", "finalize", "exec"], ["close", "close_v2"],
    ]

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
        func add(_ probe: Int32, _ code: Int32) throws(TraceError) {
            guard probe >= 0 else { throw ProbeSupport.error("a probe", code) }
            probes.insert(KernelObject(probe), at: 0)
        }
        let returns = hasReturns ? points["sqlite3_step"].map { [$0.entry] } ?? [] : []
        let entries = Self.functions.map { group in
            group.compactMap { points["sqlite3_" + $0]?.offset }
        }
        // Every recorded entry must have a recorded return, so returns are probed first, and their
        // probes are removed last.
        switch way {
        case .session, .link:
            func link(
                _ program: KernelObject,
                _ type: UInt32,
                _ groups: [[UInt64]],
                isReturn: Bool = false
            ) throws(TraceError) {
                let link = ProbeSupport.createLink(
                    program,
                    type,
                    path: path,
                    offsets: groups.flatMap { $0 },
                    cookies: groups.enumerated()
                        .flatMap { group in group.element.map { _ in UInt64(group.offset) } },
                    process: process,
                    isReturn: isReturn
                )
                try add(link, -link)
            }
            if let session = programs.session {
                try link(session, ProbeSupport.session, entries)
                break
            }
            if !returns.isEmpty {
                try link(programs.stepReturn, ProbeSupport.multiple, [returns], isReturn: true)
            }
            try link(programs.entries[0], ProbeSupport.multiple, entries)
        case .event(let type):
            func open(_ offset: UInt64, _ program: KernelObject, isReturn: Bool) -> Int32 {
                poolgauge_uprobe_open(
                    type,
                    path,
                    offset,
                    thread,
                    isReturn ? 1 : 0,
                    program.descriptor
                )
            }
            for offset in returns {
                try add(open(offset, programs.stepReturn, isReturn: true), errno)
            }
            for (program, offsets) in zip(programs.entries, entries) {
                for offset in offsets { try add(open(offset, program, isReturn: false), errno) }
            }
        }
        self.probes = probes
    }
}
#endif
