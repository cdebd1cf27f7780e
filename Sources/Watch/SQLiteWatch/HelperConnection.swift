#if os(Linux)
import Glibc

/// A connection to a helper process, which is restarted after a failure.
struct HelperConnection {
    private let command: [String]
    private var paths: [[UInt8]]
    private var helper: HelperProcess?
    private var retryTime: UInt64 = 0
    private var hasUnreportedStart = false
    /// The total processor time of earlier helpers, in nanoseconds.
    private var endedNanoseconds: UInt64 = 0
    private var currentNanoseconds: UInt64 = 0

    /// The reason why the last request failed, or `nil` if it succeeded.
    private(set) var problem: String?

    /// The time between a failure and the start of the next helper, in nanoseconds.
    private static let pause: UInt64 = 1_000_000_000

    /// Starts a helper for the databases at the given paths.
    ///
    /// The slot of a database is its index in `paths`.
    init(command: [String], paths: [String]) throws(WatchError) {
        self.command = command
        self.paths = paths.map { Array($0.utf8) }
        for path in self.paths where path.count > HelperRequest.pathLimit || path.contains(0) {
            throw WatchError(
                .paths,
                "a path contains a null byte or is longer than \(HelperRequest.pathLimit) bytes"
            )
        }
        do { try start() } catch {
            throw WatchError(.helper, "the helper process cannot be started: \(Self.text(error))")
        }
    }

    /// The process ID of the helper, or 0 while no helper is running.
    var process: Int32 { helper?.process ?? 0 }

    var isRunning: Bool { helper != nil }

    /// The total processor time of all helpers, in nanoseconds.
    var nanoseconds: UInt64 { endedNanoseconds &+ currentNanoseconds }

    /// Whether a helper process has started since this property was last read.
    var hasRestarted: Bool {
        mutating get {
            defer { hasUnreportedStart = false }
            return hasUnreportedStart
        }
    }

    /// Samples a database, or returns a sample with only an error if the helper fails.
    mutating func sample(slot: UInt8, probesReaders: Bool, at now: UInt64) -> FileSample {
        do throws(HelperProcess.Failure) {
            guard try startIfNeeded(at: now), let helper else { return Self.failed(.ended) }
            let request = HelperRequest.sample(slot: slot, probesReaders: probesReaders)
            let response = try helper.response(to: request)
            guard let sample = FileSample(response) else { throw .malformed }
            recordSuccess(helperNanoseconds: sample.helperNanoseconds)
            return sample
        } catch {
            fail(error, at: now)
            return Self.failed(error)
        }
    }

    /// Requests samples of all databases at the given times.
    ///
    /// Call ``receiveBatch(moments:at:)`` to receive the samples.
    mutating func sendBatch(
        moments: [HelperRequest.Moment],
        probesReaders: Bool,
        at now: UInt64
    ) {
        do throws(HelperProcess.Failure) {
            guard try startIfNeeded(at: now) else { return }
            try helper?.send(
                .batch(
                    slots: UInt8(paths.count),
                    probesReaders: probesReaders,
                    moments: moments
                )
            )
        } catch { fail(error, at: now) }
    }

    /// Waits for the requested samples and returns them, or returns one entry with only errors if
    /// the helper fails.
    mutating func receiveBatch(moments: Int, at now: UInt64) -> SampleBatch {
        var failure = HelperProcess.Failure.ended
        do throws(HelperProcess.Failure) {
            if let helper {
                guard let batch = SampleBatch(try helper.receive()),
                    batch.entries.last?.moment == moments - 1,
                    batch.entries.allSatisfy({ $0.samples.count == paths.count })
                else { throw .malformed }
                recordSuccess(helperNanoseconds: batch.helperNanoseconds)
                return batch
            }
        } catch {
            fail(error, at: now)
            failure = error
        }
        let samples = paths.map { _ in Self.failed(failure) }
        return SampleBatch(
            entries: [SampleBatch.Entry(moment: moments - 1, time: now, samples: samples)]
        )
    }

    /// Starts a helper if necessary and returns whether one is running.
    private mutating func startIfNeeded(at now: UInt64) throws(HelperProcess.Failure) -> Bool {
        if helper == nil {
            guard now >= retryTime else { return false }
            try start()
        }
        return true
    }

    private mutating func recordSuccess(helperNanoseconds nanoseconds: UInt64) {
        currentNanoseconds = nanoseconds
        problem = nil
    }

    private mutating func fail(_ error: HelperProcess.Failure, at now: UInt64) {
        problem = "The files cannot be read: \(Self.text(error))."
        helper = nil
        endedNanoseconds &+= currentNanoseconds
        currentNanoseconds = 0
        retryTime = now &+ Self.pause
        if error == .timedOut { retryTime &+= UInt64(HelperProcess.timeout) * 1_000_000_000 }
    }

    /// Adds a database in the next slot.
    ///
    /// If the helper fails, the next one watches the database.
    ///
    /// - Returns: `false` if the path is invalid.
    mutating func add(path: String, at now: UInt64) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.count <= HelperRequest.pathLimit, !bytes.contains(0) else { return false }
        if let helper {
            let slot = UInt8(paths.count)
            do throws(HelperProcess.Failure) {
                _ = try helper.response(to: .watch(slot: slot, path: bytes))
            } catch {
                // A late response would be taken for the response to the next request.
                fail(error, at: now)
            }
        }
        paths.append(bytes)
        return true
    }

    private mutating func start() throws(HelperProcess.Failure) {
        let new = try HelperProcess(command)
        for (slot, path) in paths.enumerated() {
            _ = try new.response(to: .watch(slot: UInt8(slot), path: path))
        }
        helper = new
        hasUnreportedStart = true
    }

    private static func failed(_ failure: HelperProcess.Failure) -> FileSample {
        var sample = FileSample()
        sample.database.error = failure == .timedOut ? ETIMEDOUT : ECHILD
        return sample
    }

    private static func text(_ failure: HelperProcess.Failure) -> String {
        switch failure {
        case .start(let code): String(cString: strerror(code))
        case .ended: "the helper process ended"
        case .timedOut: "the helper process does not respond; a network file system may be down"
        case .malformed: "the helper process sent a malformed response"
        }
    }
}
#endif
