#if os(Linux)
import Glibc
import SQLiteWatch

/// The probes of a session on all libraries that it traces.
final class ProbeSet {
    let instance: TraceInstance
    var libraries: TracedLibraries
    private(set) var decoder = EventDecoder()
    private let options: SQLTraceOptions
    private let calibration: Calibration
    /// The cost of events for a program, or `nil` until it is measured.
    private(set) var cost: ProbeCost?
    /// Whether recording is paused.
    ///
    /// The probes remain defined.
    private(set) var isPaused = false
    private(set) var recordsSteps = false

    /// The functions to probe for executions, and whether each probe is a return probe.
    private static let executions = [
        ("reset", false), ("finalize", false), ("exec", true), ("exec", false),
        ("close", false), ("close_v2", false),
    ]
    /// The probes that record steps.
    ///
    /// Return probes come first so that every recorded entry has a recorded return.
    private static let steps = [("step", true), ("step", false)]

    init(instance: TraceInstance, calibration: Calibration, options: SQLTraceOptions) {
        self.instance = instance
        self.calibration = calibration
        self.options = options
        libraries = TracedLibraries(calibration: calibration)
    }

    /// Enables the events for the start and end of threads and programs.
    func enableProcessEvents() throws(TraceError) {
        for (group, name, meaning) in [
            ("task", "task_newtask", EventDecoder.Meaning.newThread),
            ("sched", "sched_process_exec", .newProgram), ("sched", "sched_process_exit", .exit),
        ] {
            try instance.readFormat(name, of: group)
            if let format = instance.format(name) { decoder.add(meaning, format) }
            try instance.set(name, of: group, isEnabled: true)
        }
    }

    var layouts: [Int: StatementLayout] { libraries.layouts }

    // MARK: Libraries

    /// Returns whether probing a library requires starting other processes and waiting for them.
    func needsCalibration(_ entry: TracedLibraries.Entry) -> Bool { entry.state == nil }

    var isRecording: Bool { libraries.entries.contains { !$0.enabledEvents.isEmpty } }

    /// Sets the probes of a library, calibrating the library first if necessary.
    ///
    /// - Returns: Whether probes were added.
    func probe(_ entry: TracedLibraries.Entry) -> Bool {
        libraries.calibrate(entry)
        guard case .success(let layout) = entry.state, entry.definedEvents.isEmpty else {
            return false
        }
        do throws(TraceError) {
            var arguments = ProbeArguments(layout: layout)
            arguments.recordsValues = options.readsValues
            let values = options.readsValues ? layout.values : nil
            try define("reset", entry, arguments.reset, .reset, values)
            try define("finalize", entry, arguments.finalize, .finalize, values)
            try define("exec", entry, arguments.exec, .exec)
            try define("close", entry, ProbeArguments.close, .close)
            try define("close_v2", entry, ProbeArguments.close, .close)
            if !entry.hasGoUser {
                try define("exec", entry, ProbeArguments.result, .execReturn, isReturn: true)
            }
            if options.level != .light, !entry.hasGoUser {
                try define("step", entry, arguments.step, .step)
                try define("step", entry, ProbeArguments.result, .stepReturn, isReturn: true)
            }
            // At the full level, events are opened only for the selected processes.
            if options.level != .full, !isPaused { try set(Self.executions, entry, true) }
            if recordsSteps { try set(Self.steps, entry, true) }
            if cost == nil { measureCost(entry, layout) }
            return true
        } catch {
            entry.state = .failure(error)
            try? set(Self.steps + Self.executions, entry, false)
            return false
        }
    }

    /// Removes the return probes of a library that a Go program uses.
    ///
    /// Return probes modify the stack, which Go's runtime unwinds. Step probes are useless without
    /// return probes, so they are also removed.
    func removeReturnProbes(of entry: TracedLibraries.Entry) {
        guard !entry.hasGoUser else { return }
        entry.hasGoUser = true
        for event in ["step_return", "exec_return", "step"].map({ "\($0)_\(entry.number)" })
        where entry.definedEvents.contains(event) {
            try? instance.set(event, isEnabled: false)
            entry.enabledEvents.remove(event)
            entry.definedEvents.remove(event)
        }
    }

    private func define(
        _ function: String,
        _ entry: TracedLibraries.Entry,
        _ arguments: [String],
        _ meaning: EventDecoder.Meaning,
        _ values: StatementLayout.ValueLayout? = nil,
        isReturn: Bool = false
    ) throws(TraceError) {
        guard let point = entry.library.points["sqlite3_" + function] else { return }
        let event = Self.event(function, isReturn, entry)
        try instance.addProbe(
            isReturn ? "r" : "p",
            event,
            descriptor: entry.library.descriptor,
            offset: isReturn ? point.entry : point.offset,
            arguments: arguments
        )
        entry.definedEvents.insert(event)
        if let format = instance.format(event) {
            decoder.add(meaning, library: entry.number, format, values: values)
        }
    }

    private static func event(
        _ function: String,
        _ isReturn: Bool,
        _ entry: TracedLibraries.Entry
    ) -> String {
        "\(function)\(isReturn ? "_return" : "")_\(entry.number)"
    }

    private func set(
        _ probes: [(String, Bool)],
        _ entry: TracedLibraries.Entry,
        _ isEnabled: Bool
    ) throws(TraceError) {
        for (function, isReturn) in probes {
            let event = Self.event(function, isReturn, entry)
            guard entry.definedEvents.contains(event),
                entry.enabledEvents.contains(event) != isEnabled
            else {
                continue
            }
            try instance.set(event, isEnabled: isEnabled)
            if isEnabled {
                entry.enabledEvents.insert(event)
            } else {
                entry.enabledEvents.remove(event)
            }
        }
    }

    // MARK: Phases

    func setRecordsSteps(_ isEnabled: Bool) {
        recordsSteps = isEnabled
        for entry in libraries.entries {
            try? set(isEnabled ? Self.steps : Self.steps.reversed(), entry, isEnabled)
        }
    }

    func setPaused(_ isPaused: Bool) {
        guard self.isPaused != isPaused else { return }
        self.isPaused = isPaused
        for entry in libraries.entries {
            let probes = isPaused ? Self.executions.reversed() : Self.executions
            try? set(probes, entry, !isPaused)
        }
    }

    /// The IDs of all defined events, used to open the events for selected processes.
    var eventNumbers: [UInt16] {
        libraries.entries.flatMap { entry in
            entry.definedEvents.sorted().compactMap { instance.format($0)?.id }
        }
    }

    /// Measures the cost of events on a copy of the library that no program uses.
    private func measureCost(_ entry: TracedLibraries.Entry, _ layout: StatementLayout) {
        let arguments = ProbeArguments(layout: layout)
        let probes: [(Character, String, String, [String])] = [
            ("p", "cost_reset", "sqlite3_reset", arguments.reset),
            ("p", "cost_step", "sqlite3_step", arguments.step),
            ("r", "cost_step_return", "sqlite3_step", ProbeArguments.result),
        ]
        var ids: (entry: UInt16, exit: UInt16) = (0, 0)
        cost = calibration.cost(of: entry.library) { copy, isSet in
            do throws(TraceError) {
                for (kind, event, function, arguments) in probes {
                    guard let point = entry.library.points[function] else { return false }
                    if isSet {
                        try instance.addProbe(
                            kind,
                            event,
                            descriptor: copy,
                            offset: kind == "r" ? point.entry : point.offset,
                            arguments: arguments
                        )
                    }
                    try instance.set(event, isEnabled: isSet)
                    if isSet, event == "cost_step" { ids.entry = instance.format(event)?.id ?? 0 }
                    if isSet, kind == "r" { ids.exit = instance.format(event)?.id ?? 0 }
                    if !isSet { instance.removeProbe(event) }
                }
                return true
            } catch {
                return false
            }
        }
        // Discard the measurement's events, which do not belong to a traced program.
        let intervals = Self.stepIntervals(instance.read().records, entry: ids.entry, ids.exit)
        if let measured = cost, !intervals.isEmpty {
            let median = intervals.sorted()[intervals.count / 2]
            cost?.insideStep = max(0, Double(median) - measured.plainStep)
        }
    }

    /// Returns the times from the entry of each step to its return, in nanoseconds, for one thread.
    private static func stepIntervals(
        _ records: [EventRecord],
        entry: UInt16,
        _ exit: UInt16
    ) -> [UInt64] {
        var start: UInt64?
        var intervals: [UInt64] = []
        for record in records.sorted(by: { $0.time < $1.time }) {
            if record.id == entry { start = record.time }
            if record.id == exit, let begin = start {
                intervals.append(record.time - begin)
                start = nil
            }
        }
        return intervals
    }
}
#endif
