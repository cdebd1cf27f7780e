import ArgumentParser
import Foundation
import SQLiteWatch
import WorkloadEngine

/// A condition, such as `pin > 30s`, `log >= 1GiB`, or `writer.share > 50%`.
struct WatchConditionArgument {
    var condition: WatchCondition
    /// The condition, as entered by the user.
    var text: String

    static func parse(_ text: String) throws -> WatchConditionArgument {
        guard
            let comparison = WatchCondition.Comparison.allCases.first(where: {
                text.contains($0.rawValue)
            }),
            let range = text.range(of: comparison.rawValue)
        else {
            throw ValidationError("'\(text)' is not a condition; use, for example, 'pin > 30s'")
        }
        let name = trimmed(text[..<range.lowerBound])
        guard let metric = WatchCondition.Metric(rawValue: name == "wal" ? "log" : name) else {
            let names = WatchCondition.Metric.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("unknown metric '\(name)'; expected one of: \(names)")
        }
        let value = try value(trimmed(text[range.upperBound...]), unit: metric.unit)
        return WatchConditionArgument(
            condition: WatchCondition(metric, comparison, value),
            text: text
        )
    }

    /// Returns the conditions of a list, such as `busy, hold > 1s`.
    static func list(_ text: String) throws -> [WatchConditionArgument] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return try parts.map { part in
            let text = trimmed(part)
            guard text == WatchCondition.Metric.busy.rawValue else { return try parse(text) }
            return WatchConditionArgument(condition: WatchCondition(.busy, .more, 0), text: text)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }

    private static func value(_ text: String, unit: WatchCondition.Unit) throws -> Double {
        do {
            switch unit {
            case .seconds:
                let duration = try Quantity.duration(text).components
                return Double(duration.seconds) + Double(duration.attoseconds) / 1e18
            case .bytes: return try Quantity.bytes(text)
            case .share: return try Quantity.share(text)
            case .rate: return try Quantity.rate(text)
            case .count: break
            }
        } catch { throw ValidationError(String(describing: error)) }
        guard let number = UInt64(text) else {
            throw ValidationError("'\(text)' is not a whole number")
        }
        return Double(number)
    }
}
