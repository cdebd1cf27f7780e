import Isolation
import TestSupport

/// The only session of the process, which runs random transactions one after another.
struct PeerSession {
    /// The number of transactions that use the same lists and registers.
    package static let transactionsPerRound = 25

    private struct Rollback: Error {}

    private let connection: PeerConnection
    private let recorder: HistoryRecorder
    private let script: TransactionScript
    private let session: Int

    init(_ connection: PeerConnection, seed: UInt64, values: UniqueValues) {
        self.connection = connection
        recorder = HistoryRecorder(onProgress: { PeerOutput.write($0) })
        script = TransactionScript(
            on: .engineTests,
            random: SeededRandom(seed: seed),
            values: values
        )
        session = recorder.addSession("peer")
    }

    /// Runs a transaction and reports its outcome.
    func runTransaction(_ number: Int) {
        script.begin(round: number / Self.transactionsPerRound)
        if number % 40 == 39 { connection.checkpoint() }
        switch script.draw(below: 5) {
        case 0, 1: run("read", .deferred) { try script.read(in: $0, $1) }
        case 2:
            run("deferred write", .deferred) { store, transaction in
                // The read comes first, so the write must upgrade the transaction.
                try script.readOne(in: store, transaction)
                try script.write(in: store, transaction)
            }
        default: run("write", .immediate) { try script.write(in: $0, $1) }
        }
        recorder.removeAll()
    }

    private func run(
        _ access: String,
        _ kind: PeerConnection.Kind,
        _ body: (any ObjectStore, RecordedTransaction) throws -> Void
    ) {
        let transaction = recorder.begin(access, in: session)
        let isRolledBack = kind == .immediate && script.draw(below: 6) == 0
        do {
            try connection.transaction(kind) { store in
                transaction.willObserve()
                try body(store, transaction)
                if isRolledBack { throw Rollback() }
                transaction.willCommit()
            }
            transaction.end(.committed)
        } catch {
            transaction.end(transaction.isCommitting ? .unknown : .aborted)
        }
    }
}
