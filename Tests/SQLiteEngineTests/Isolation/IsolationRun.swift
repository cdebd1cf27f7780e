import Foundation
import Isolation
import IsolationPeer
import Telemetry
import TestSupport

@testable import SQLiteEngine

/// A run of sessions of all roles on several databases, which records their history.
struct IsolationRun: Sendable {
    /// The number of transactions that use the same lists and registers.
    private static let transactionsPerRound = 25

    /// The databases by name.
    ///
    /// All databases use the same file.
    let databases: [(name: String, database: any DatabaseReader)]
    private let recorder = HistoryRecorder()
    private let errors = CollectedLines()
    private let values = UniqueValues()
    private let endCount = EndCount()

    init(_ databases: [(String, any DatabaseReader)]) {
        self.databases = databases.map { (name: $0.0, database: $0.1) }
    }

    /// The unexpected errors.
    var failures: [String] { errors.all }

    /// Runs the sessions.
    ///
    /// Each session runs `count` transactions or groups of transactions.
    ///
    /// - Parameters:
    ///   - count: The number of transactions, or groups of transactions, in each session.
    ///   - seed: The seed for all random choices.
    ///   - peers: Started processes that run at the same time.
    /// - Throws: Errors from the last reads and from the processes.
    func run(_ count: Int, seed: UInt64, peers: [IsolationPeerProcess] = []) throws {
        var threads: [Background<Void>] = []
        for peer in peers { try peer.start() }
        for (name, database) in databases {
            for role in SessionRole.all(on: database) {
                let script = TransactionScript(
                    on: .engineTests,
                    random: SeededRandom(seed: seed &+ UInt64(threads.count) &* 7919),
                    values: values
                )
                let session = IsolationSession(
                    role,
                    of: database,
                    named: "\(name).\(role.rawValue)",
                    recorder,
                    script,
                    errors,
                    endCount,
                    isShared: databases.count + peers.count > 1
                )
                threads.append(
                    Background {
                        for number in 0..<count {
                            script.begin(round: number / Self.transactionsPerRound)
                            session.run()
                        }
                    }
                )
            }
        }
        // Under load, a sanitizer can extend a run beyond the usual limit.
        for thread in threads { try thread.value(seconds: 120) }
        for peer in peers { recorder.add(try peer.history()) }
        try readEverything(rounds: count / Self.transactionsPerRound + 1)
    }

    /// The history so far.
    var history: History { recorder.history }

    /// Adds the history that another process recorded before the process was killed.
    func add(_ history: History) { recorder.add(history) }

    /// Reads all lists and registers from each database.
    func readEverything(rounds: Int) throws {
        for (name, database) in databases {
            let transaction = recorder.begin("last read", in: recorder.addSession("\(name).last"))
            try database.read { db in
                for round in 0..<rounds {
                    for object in TransactionScript.objects(ofRound: round) {
                        try script.table.read(object, in: db, transaction)
                    }
                }
            }
            transaction.end(.committed)
        }
    }

    private var script: TransactionScript {
        TransactionScript(on: .engineTests, random: SeededRandom(seed: 0), values: values)
    }
}
