import Findings
import SQLiteWatch

/// A table or index, and its share of the frames written in the last seconds.
struct WrittenTable: Sendable {
    /// The escaped name, or an empty string if the pages do not belong to a table or an index.
    var name: String
    var kind: WatchedTable.Kind
    /// The share of the frames, from 0 to 1.
    var share: Double
    var frames: UInt64

    /// The name or, without a name, the use of the pages.
    var title: String {
        guard name.isEmpty else { return name }
        return switch kind {
        case .unknown: "(unknown)"
        case .schema: "(header, schema)"
        case .free: "(free pages)"
        case .pointerMap: "(pointer map)"
        case .table, .index: "(unnamed)"
        }
    }
}

extension WatchHistory {
    /// The tables and indexes written in the last seconds, most frames first.
    ///
    /// A single report covers only a fraction of a second, which is too short for a comparison of
    /// tables.
    var tables: [WrittenTable] {
        var frames: [TableKey: UInt64] = [:]
        var total = 0.0
        visitReports(last: Self.shareSeconds) { report in
            for table in report.tables {
                let key = TableKey(kind: table.kind, name: table.name)
                // A damaged recording can contain arbitrary numbers.
                let (sum, overflow) = frames[key, default: 0].addingReportingOverflow(table.frames)
                frames[key] = overflow ? .max : sum
                total += Double(table.frames)
            }
        }
        guard total > 0 else { return [] }
        return frames.map { key, count in
            WrittenTable(
                name: key.name,
                kind: key.kind,
                share: Double(count) / total,
                frames: count
            )
        }.sorted { ($0.frames, $1.name) > ($1.frames, $0.name) }
    }

    private struct TableKey: Hashable {
        var kind: WatchedTable.Kind
        var name: String
    }
}
