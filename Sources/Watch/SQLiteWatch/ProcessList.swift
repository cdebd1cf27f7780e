import Findings

struct ProcessList {
    var known: [Int32: DatabaseMonitor.Process]
    /// A closure that returns the facts about any process, including terminated ones.
    var facts: (Int32) -> DatabaseMonitor.Process?
    /// A closure that converts a monotonic time to a calendar time.
    var calendar: (UInt64) -> WatchTime
    var now: UInt64

    /// Returns the processes, lock holders first.
    func processes(_ monitor: DatabaseMonitor, holds: HoldTracker) -> [WatchedProcess] {
        let interval = monitor.interval
        return monitor.processes.compactMap { process -> WatchedProcess? in
            let held = holds.holds[process] ?? [:]
            // Omit processes that have ended and hold no locks.
            guard
                let facts = known[process]
                    ?? (held.isEmpty ? nil : DatabaseMonitor.Process(name: "?"))
            else { return nil }
            var shown = WatchedProcess(pid: process, name: facts.name)
            shown.user = facts.user
            shown.commandLine = facts.commandLine
            shown.processorShare = facts.processorShare
            shown.isOrphan = facts.isOrphan
            shown.locks = locks(held)
            shown.share = interval.weights[process, default: HeldWeights()]
                .share(interval.samples, lists: interval.lists)
            shown.waiting = monitor.waits.wait(of: process, at: now)
            shown.syncShare = monitor.waits.syncShare(of: process)
            if let use = monitor.last?.uses[process] { describe(use, in: &shown) }
            shown.sharesConnectionWith = monitor.last?.sharedConnections[process]
            return shown
        }.sorted(by: Self.precedes)
    }

    private func locks(_ held: [HeldLock: HoldTracker.Hold]) -> [WatchedLock] {
        held.sorted { Self.order($0.key) < Self.order($1.key) }.map { lock, hold -> WatchedLock in
            // A process that did not run has not released the lock.
            let start =
                lock.kind.isExclusive && hold.isContinuous
                ? hold.asleepSince ?? hold.since : hold.since
            var shown = WatchedLock(
                kind: lock.kind,
                since: calendar(start),
                seconds: seconds(since: start),
                isContinuous: hold.isContinuous
            )
            shown.mark = lock.mark
            shown.frame = hold.frame.map(UInt64.init)
            if lock.kind.isExclusive, hold.runs != nil { shown.isAsleep = hold.isContinuous }
            return shown
        }
    }

    func pin(_ pin: Pin, pageSize: Int) -> WatchedPin {
        WatchedPin(
            pid: pin.process,
            name: known[pin.process]?.name ?? "?",
            mark: pin.mark,
            frame: pin.frame,
            frames: pin.frames,
            bytes: pin.frames * UInt64(pageSize + WALHeader.frameHeaderLength),
            since: calendar(pin.since),
            seconds: seconds(since: pin.since)
        )
    }

    private func name(_ process: Int32) -> String {
        (known[process] ?? facts(process))?.name ?? "?"
    }

    func episode(_ entry: EpisodeLog.Entry) -> WatchEpisode {
        var episode = WatchEpisode(
            kind: entry.kind,
            pid: entry.process,
            name: name(entry.process),
            start: calendar(entry.start),
            seconds: Double((entry.end ?? now) - entry.start) / 1e9
        )
        episode.end = entry.end.map(calendar)
        episode.frames = entry.frames
        episode.waiters = entry.waiters.sorted().map {
            WatchEpisode.Waiter(pid: $0, name: name($0))
        }
        episode.isContinuous = entry.isProven
        return episode
    }

    private func describe(_ use: DescriptorUse, in process: inout WatchedProcess) {
        process.otherDescriptors = use.otherDescriptors
        guard !use.strayFiles.isEmpty else { return }
        process.strayFiles = use.strayFiles.map { file in
            var stray = WatchedStrayFile(
                part: file.part,
                path: file.path,
                isDeleted: file.isDeleted
            )
            stray.deleted = file.deleted.map(WatchTime.init(milliseconds:))
            return stray
        }
    }

    private func seconds(since start: UInt64) -> Double {
        Double(now - min(now, start)) / 1e9
    }

    /// Returns the sort key of a lock, which is lower for more exclusive locks.
    private static func order(_ lock: HeldLock) -> Int {
        let kinds: [LockKind] = [
            .exclusive, .pending, .reserved, .writer, .recovery, .checkpoint, .reader, .shared,
        ]
        return (kinds.firstIndex(of: lock.kind) ?? 0) * 8 + (lock.mark ?? 0)
    }

    private static func precedes(_ first: WatchedProcess, _ second: WatchedProcess) -> Bool {
        func key(_ process: WatchedProcess) -> (Int, Double, Double, Double) {
            let lockOrder =
                process.locks.first.map { order(HeldLock(kind: $0.kind, mark: 0)) } ?? 99
            let share = process.share
            return (lockOrder, -share.writer.value, -share.checkpoint.value, -share.reader.value)
        }
        let (left, right) = (key(first), key(second))
        return left == right ? first.pid < second.pid : left < right
    }
}

/// Names that distinguish the processes of one program.
enum ProcessNames {
    /// The maximum length of an argument in a name, in characters.
    private static let argumentLength = 24
    /// Parts of arguments that may introduce or contain secrets, which names, unlike command lines,
    /// would carry into metrics.
    private static let secrets = ["pass", "secret", "token", "key", "auth", "cred", "@"]

    /// Appends to the names of processes with the same name the first argument that differs, as in
    /// `python3 svc.py web` and `python3 svc.py jobs`.
    static func distinguish(_ processes: inout [Int32: DatabaseMonitor.Process]) {
        for (name, group) in Dictionary(grouping: processes, by: { $0.value.name })
        where group.count > 1 {
            let lists = group.map(\.value.arguments)
            let length = lists.map(\.count).max() ?? 0
            let index = (1..<max(length, 1)).first { index in
                Set(lists.map { $0.indices.contains(index) ? $0[index] : "" }).count > 1
                    && !lists.contains { isSecret(at: index, in: $0) }
            }
            guard let index else { continue }
            for (process, facts) in group where facts.arguments.indices.contains(index) {
                let argument = facts.arguments[index]
                processes[process]?.name = "\(name) \(argument.prefix(argumentLength))"
            }
        }
    }

    /// Whether an argument may be secret, because it or the one before it names a secret.
    private static func isSecret(at index: Int, in arguments: [String]) -> Bool {
        (index - 1...index).contains { index in
            guard arguments.indices.contains(index) else { return false }
            let argument = arguments[index].lowercased()
            return secrets.contains { argument.contains($0) }
        }
    }
}
