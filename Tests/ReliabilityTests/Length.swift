import Foundation

/// The length of the attacks: short in `./test`, full in `./test --faults`.
enum Length {
    static let isFull = ProcessInfo.processInfo.environment["POOLGAUGE_FAULTS"] != nil

    /// Prints the size of an attack for `docs/Reliability.md`, in the full version.
    static func report(_ text: String) {
        if isFull { print("attack: \(text)") }
    }
}
