#if os(Linux)
import Foundation
import Glibc
import SQLiteWatch
import Telemetry

/// The programs that open a database while the session traces it.
extension SQLTraceSession {
    /// Notes that programs do not wait for their probes.
    func noteThatProgramsPass() {
        let note =
            "programs cannot wait for probes here, so the first statements of a program that "
            + "opens the database later, or all of a short one, may be missing"
        if !notes.contains(note) { notes.append(note) }
    }

    /// A reference for the session's thread.
    ///
    /// It is `Sendable`, because a weak reference can be read on each thread, and the thread uses the
    /// session only inside its lock.
    private final class Reference: @unchecked Sendable {
        weak var session: SQLTraceSession?

        init(_ session: SQLTraceSession) { self.session = session }
    }

    /// Starts the thread that sets probes in programs that open a database.
    func startThread() {
        let reference = Reference(self)
        let opens = opens
        Thread.detachNewThread {
            while !opens.isClosed {
                if let message = opens.next() {
                    reference.session?.handle(message)
                } else if !opens.isClosed {
                    // The process has ended, perhaps because the system was too busy.
                    sleep(1)
                    let paths = reference.session.map { session in
                        session.lock.withLock { _ in session.files.paths }
                    }
                    guard opens.start(paths ?? []) != true else { continue }
                    reference.session.map { session in
                        session.lock.withLock { _ in session.noteThatProgramsPass() }
                    }
                }
            }
        }
    }

    private func handle(_ message: OpenGate.Message) {
        lock.withLock { _ in
            switch message {
            case .open(let process, let file, let isWaiting):
                let wasAttached = attached[process] != nil
                prepare(process, opening: file)
                if attached[process] == nil {
                    if !isWaiting { opening[process] = monotonicNanoseconds() }
                } else if file != nil, !isWaiting, !wasAttached {
                    latePrograms += 1
                }
            case .expiry(let process):
                if attached[process] != nil { latePrograms += 1 }
            case .probed, .pass, .forget, .calibration, .watch, .watching: break
            }
        }
    }

    /// Sets the probes of a process that opens a file, before the file is open.
    private func prepare(_ process: Int32, opening file: FileIdentity?) {
        defer {
            opens.send(
                attached[process] == nil ? .pass(process: process) : .probed(process: process)
            )
        }
        guard process != getpid(), !ProcessSurvey.isHelper(process),
            options.processes.isEmpty || options.processes.contains(process)
        else { return }
        let now = monotonicNanoseconds()
        if let target = attached[process] {
            guard target.image != ProcessStat.image(of: process) else { return }
            // The process has executed a new program. Its earlier statements belong to the old one.
            readRecords()
            end(process, at: now)
        }
        released[process]?.waitForRemoval()
        survey.scheduleSurvey(of: process, at: now)
        let databases = file.map { file in
            files.paths.indices.filter { FileIdentity(path: files.paths[$0]) == file }
        }
        survey.survey(process, opening: Set(databases ?? []))
        let facts = survey.processes[process]
        if facts?.code.contains(where: { !libraries.contains($0) }) ?? false {
            opens.send(.calibration(process: process))
        }
        attach(to: [process])
        // Other programs read the file, too.
        if attached[process] == nil, file != nil { problems[process] = nil }
    }
}
#endif
