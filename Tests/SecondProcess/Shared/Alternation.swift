/// Values that are measured alternately with and without kept read transactions.
package struct Alternation<Value> {
    /// The values with `Configuration.keepsReadTransactions`.
    package private(set) var keeping: [Value] = []
    /// The values without `Configuration.keepsReadTransactions`.
    package private(set) var renewing: [Value] = []

    /// Measures both settings in each round.
    package init(rounds: Int, _ measure: (_ keepsReadTransactions: Bool) throws -> Value) rethrows {
        for round in 0..<rounds {
            for keepsReadTransactions in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                let value = try measure(keepsReadTransactions)
                if keepsReadTransactions { keeping.append(value) } else { renewing.append(value) }
            }
        }
    }
}
