import Foundation

/// The length of the attacks: short in `./test`, full in `./test --faults` and `--power`.
enum Length {
    static let isFull = ProcessInfo.processInfo.environment["POOLGAUGE_FAULTS"] != nil

    /// Prints the size of an attack for `docs/Reliability.md` if the attacks have their full
    /// length.
    static func report(_ text: String) {
        if isFull { print("attack: \(text)") }
    }
}
