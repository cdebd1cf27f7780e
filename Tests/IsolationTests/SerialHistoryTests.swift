import Testing

@testable import Isolation

/// Tests histories that a serializable database can produce.
@Suite(.timeLimit(.minutes(5)))
struct SerialHistoryTests {
    @Test func aThousandSerialHistoriesHaveNoAnomaly() {
        for seed in 0..<1000 as Range<UInt64> {
            let history = SerialHistory(
                seed: seed,
                sessions: 2 + Int(seed % 6),
                transactions: 10 + Int(seed % 90),
                keys: 1 + Int64(seed % 5)
            ).history
            let anomalies = IsolationCheck().anomalies(of: history)
            #expect(anomalies.isEmpty, "seed \(seed)")
            if !anomalies.isEmpty { return }
        }
    }

    @Test func aHundredThousandOperationsAreCheckedQuickly() {
        let serial = SerialHistory(seed: 1, sessions: 16, transactions: 50_000, keys: 20)
        let clock = ContinuousClock()
        var count = 0
        let time = clock.measure {
            count = IsolationCheck().anomalies(of: serial.history).count
        }
        let operations = serial.history.transactions.reduce(0) { $0 + $1.operations.count }
        #expect(operations >= 100_000)
        #expect(count == 0)
        // The check takes about two seconds in a debug build. The limit only rules out quadratic
        // time.
        #expect(time < .seconds(60), "\(operations) operations took \(time)")
    }

    @Test func aLargeHistoryWithManyAnomaliesIsCheckedQuickly() {
        var history = SerialHistory(seed: 2, sessions: 16, transactions: 50_000, keys: 20).history
        // Every tenth transaction misses the last element of the first nonempty list that it reads.
        for index in history.transactions.indices where index.isMultiple(of: 10) {
            let place = history.transactions[index].operations.firstIndex { operation in
                if case .readList(_, let elements) = operation { !elements.isEmpty } else { false }
            }
            guard let place,
                case .readList(let key, let elements) = history.transactions[index].operations[
                    place
                ]
            else { continue }
            history.transactions[index].operations[place] =
                .readList(key, elements: elements.dropLast())
        }
        let clock = ContinuousClock()
        var kinds: Set<AnomalyKind> = []
        let time = clock.measure {
            kinds = Set(IsolationCheck().anomalies(of: history).map(\.kind))
        }
        #expect(kinds.isSuperset(of: [.staleRead, .nonMonotonicRead, .readSkew]), "\(kinds)")
        #expect(time < .seconds(60), "it took \(time)")
    }
}
