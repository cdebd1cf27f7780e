/// The history of a log, for diagnoses.
struct LogHistory: Equatable, Sendable {
    /// The default number of frames after which SQLite starts an automatic checkpoint
    /// (`SQLITE_DEFAULT_WAL_AUTOCHECKPOINT`).
    static let threshold: UInt64 = 1_000

    /// The log file's capacity, in frames, excluding the space added by the open transaction.
    private(set) var settledRoom: UInt64?
    /// The time since which the backlog has exceeded the threshold without checkpoint progress.
    private(set) var neglectedSince: UInt64?
    /// The time since which a log above the threshold has been checkpointed but not reset.
    private(set) var overlapSince: UInt64?
    /// The number of frames written since ``overlapSince``.
    private(set) var framesInOverlap: UInt64 = 0
    private var last: WALIndexHeader?
    /// Whether the last sample of `/proc/locks` shows a reader of the log.
    private var hasReader = false

    mutating func update(_ observation: Observation) {
        guard let header = observation.files.index else { return }
        defer { last = header }
        let room = observation.files.room ?? 0
        let hasWriter = observation.locks.values.contains { locks in
            locks.held.contains(HeldLock(kind: .writer))
        }
        if observation.hasList {
            hasReader = observation.locks.values.contains { locks in
                locks.held.contains { $0.kind == .reader && $0.mark != 0 }
            }
        }
        if let settled = settledRoom, hasWriter, room >= settled {
            settledRoom = max(settled, UInt64(header.frames))
        } else {
            settledRoom = room
        }
        let backlog = UInt64(header.frames - header.backfilled)
        let wasReset = last.map { $0.salt1 != header.salt1 || $0.frames > header.frames } ?? false
        let wasCopied = last.map { header.backfilled > $0.backfilled } ?? false
        if backlog < Self.threshold || wasReset || wasCopied {
            neglectedSince = nil
        } else if neglectedSince == nil {
            neglectedSince = observation.now
        }
        if UInt64(header.frames) < Self.threshold || wasReset || !hasReader {
            overlapSince = nil
        } else if overlapSince == nil, header.backfilled == header.frames || wasCopied {
            overlapSince = observation.now
            framesInOverlap = 0
        } else if let last, header.frames > last.frames {
            framesInOverlap += UInt64(header.frames - last.frames)
        }
    }

    /// Returns the number of frames that an open transaction has added to the file.
    func uncommittedFrames(_ files: ObservedFiles) -> UInt64 {
        guard let settledRoom, let room = files.room else { return 0 }
        return room - min(room, settledRoom)
    }
}
