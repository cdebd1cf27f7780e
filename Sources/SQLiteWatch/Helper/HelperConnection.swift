#if os(Linux)
import Glibc

/// A helper process that is started again when it ends.
struct HelperConnection {
    private let command: [String]
    private var paths: [[UInt8]]
    private var helper: HelperProcess?
    private var retryAt: UInt64 = 0
    private var restartedSinceAsked = false
    /// Processor time of helpers that ended, in nanoseconds.
    private var endedNanoseconds: UInt64 = 0
    private var currentNanoseconds: UInt64 = 0

    /// Why the last sample failed; nil when it did not.
    private(set) var problem: String?

    /// How long after a failure another helper is started, in nanoseconds.
    private static let pause: UInt64 = 1_000_000_000

    /// Starts a helper for databases at paths; the number of each is its slot.
    init(command: [String], paths: [String]) throws(WatchError) {
        self.command = command
        self.paths = paths.map { Array($0.utf8) }
        for path in self.paths where path.count > HelperRequest.pathLimit || path.contains(0) {
            throw WatchError(.paths, "a path is longer than \(HelperRequest.pathLimit) bytes")
        }
        do { try start() } catch {
            throw WatchError(.helper, "the helper process cannot be started: \(Self.text(error))")
        }
    }

    /// The helper; 0 while none runs.
    var process: Int32 { helper?.process ?? 0 }

    /// Whether a helper runs.
    var isRunning: Bool { helper != nil }

    /// Processor time that helpers have used, in nanoseconds.
    var nanoseconds: UInt64 { endedNanoseconds &+ currentNanoseconds }

    /// Whether another process serves since this was last asked.
    var hasRestarted: Bool {
        mutating get {
            defer { restartedSinceAsked = false }
            return restartedSinceAsked
        }
    }

    /// Reads the headers of a database; when the helper fails, as if no file could be read.
    mutating func sample(slot: UInt8, probesReaders: Bool, at now: UInt64) -> FileSample {
        do throws(HelperProcess.Failure) {
            guard try isReady(at: now), let helper else { return Self.failed }
            let request = HelperRequest.sample(slot: slot, probesReaders: probesReaders)
            guard let sample = FileSample(try helper.answer(to: request)) else { throw .malformed }
            succeed(using: sample.helperNanoseconds)
            return sample
        } catch {
            fail(error, at: now)
            return Self.failed
        }
    }

    /// Requests samples of all databases at moments, which ``receiveBatch(moments:at:)`` waits for.
    mutating func sendBatch(moments: [UInt64], probesReaders: Bool, at now: UInt64) {
        do throws(HelperProcess.Failure) {
            guard try isReady(at: now) else { return }
            try helper?.send(
                .batch(
                    slots: UInt8(paths.count),
                    probesReaders: probesReaders,
                    moments: moments
                )
            )
        } catch { fail(error, at: now) }
    }

    /// The requested samples; when the helper fails, one that shows no file, for the last moment.
    mutating func receiveBatch(moments: Int, at now: UInt64) -> SampleBatch {
        do throws(HelperProcess.Failure) {
            if let helper {
                guard let batch = SampleBatch(try helper.receive()),
                    batch.entries.last?.moment == moments - 1,
                    batch.entries.allSatisfy({ $0.samples.count == paths.count })
                else { throw .malformed }
                succeed(using: batch.helperNanoseconds)
                return batch
            }
        } catch { fail(error, at: now) }
        let samples = paths.map { _ in Self.failed }
        return SampleBatch(
            entries: [SampleBatch.Entry(moment: moments - 1, time: now, samples: samples)]
        )
    }

    /// Whether a helper runs; starts one that is due.
    private mutating func isReady(at now: UInt64) throws(HelperProcess.Failure) -> Bool {
        if helper == nil {
            guard now >= retryAt else { return false }
            try start()
        }
        return true
    }

    private mutating func succeed(using nanoseconds: UInt64) {
        currentNanoseconds = nanoseconds
        problem = nil
    }

    private mutating func fail(_ error: HelperProcess.Failure, at now: UInt64) {
        problem = "The files cannot be read: \(Self.text(error))."
        helper = nil
        endedNanoseconds &+= currentNanoseconds
        currentNanoseconds = 0
        retryAt = now &+ Self.pause
    }

    /// Adds a database, whose slot is the next number; false when that failed.
    mutating func add(path: String) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.count <= HelperRequest.pathLimit, !bytes.contains(0) else { return false }
        if let helper {
            let slot = UInt8(paths.count)
            guard (try? helper.answer(to: .watch(slot: slot, path: bytes))) != nil else {
                return false
            }
        }
        paths.append(bytes)
        return true
    }

    private mutating func start() throws(HelperProcess.Failure) {
        let new = try HelperProcess(command)
        for (slot, path) in paths.enumerated() {
            _ = try new.answer(to: .watch(slot: UInt8(slot), path: path))
        }
        helper = new
        restartedSinceAsked = true
    }

    private static var failed: FileSample {
        var sample = FileSample()
        sample.database.error = ETIMEDOUT
        return sample
    }

    private static func text(_ failure: HelperProcess.Failure) -> String {
        switch failure {
        case .start(let code): String(cString: strerror(code))
        case .ended: "the helper process ended"
        case .silent: "the helper process does not answer; a network file system may be down"
        case .malformed: "the helper process gave a malformed answer"
        }
    }
}
#endif
