extension DatasetBuilder {
    /// The number of records that one statement inserts.
    ///
    /// These records have 550 values. Older SQLite versions limit the number of a statement's
    /// parameters to 999 by default (https://sqlite.org/limits.html).
    private static let recordsPerStatement = 50
    /// The number of records in one transaction, about 5 MB.
    private static let recordsPerTransaction = 5000

    static func buildYCSB(
        records: Int,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        try run(YCSBDataset.schema, in: target)
        var stream = RandomStream(seed: seed, stream: "dataset")
        var text = TextDistribution(length: YCSBDataset.fieldLength)
        for first in stride(from: 0, to: records, by: recordsPerTransaction) {
            let end = min(first + recordsPerTransaction, records)
            try target.perform(.write, as: client) { session in
                for number in stride(from: first, to: end, by: recordsPerStatement) {
                    let batch = number..<min(number + recordsPerStatement, end)
                    var values: [WorkloadValue] = []
                    values.reserveCapacity(batch.count * (YCSBDataset.fieldCount + 1))
                    for record in batch {
                        values.append(.text(YCSBDataset.key(Int64(record))))
                        for _ in 0..<YCSBDataset.fieldCount {
                            values.append(.text(text.next(using: &stream)))
                        }
                    }
                    try session.run(insertRecords(batch.count), values)
                }
            }
            try progress(Double(end) / Double(records))
        }
    }

    private static func insertRecords(_ count: Int) -> String {
        let row = "(?" + String(repeating: ", ?", count: YCSBDataset.fieldCount) + ")"
        let rows = Array(repeating: row, count: count).joined(separator: ", ")
        return "INSERT INTO usertable (\(YCSBDataset.columns)) VALUES \(rows)"
    }
}
