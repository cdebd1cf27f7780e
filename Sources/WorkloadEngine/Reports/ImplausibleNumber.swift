import Foundation

/// A number in JSON that no run can produce.
///
/// Reports and simulations add counts and times. If each number is within the limit, no sum
/// overflows.
struct ImplausibleNumber {
    /// The number as text.
    var value: String
    /// The path of the number, such as `runs.[0].duration`.
    var path: String

    /// The limit for counts, bytes, and nanoseconds.
    ///
    /// In nanoseconds, the limit is more than eleven days.
    private static let limit = 1e15
    /// The keys of numbers that can have any value.
    private static let unlimited: Set = ["seed"]

    /// Finds the first implausible number in JSON data, or returns `nil` if there is none.
    init?(in data: Data) {
        guard let json = try? JSONSerialization.jsonObject(with: data),
            let found = Self.find(in: json, [])
        else { return nil }
        self = found
    }

    private init(_ value: String, _ path: [String]) {
        self.value = value
        self.path = path.joined(separator: ".")
    }

    private static func find(in json: Any, _ path: [String]) -> ImplausibleNumber? {
        switch json {
        case let object as [String: Any]:
            for (key, value) in object.sorted(by: { $0.key < $1.key })
            where !unlimited.contains(key) {
                if let found = find(in: value, path + [key]) { return found }
            }
        case let list as [Any]:
            for (index, value) in list.enumerated() {
                if let found = find(in: value, path + ["[\(index)]"]) { return found }
            }
        case let number as NSNumber where number.doubleValue.magnitude > limit:
            return ImplausibleNumber("\(number)", path)
        default: break
        }
        return nil
    }
}
