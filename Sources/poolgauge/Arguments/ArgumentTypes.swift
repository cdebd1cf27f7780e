import ArgumentParser
import Scenarios
import TerminalUI

/// A duration with its unit, such as `30s`.
struct TimeArgument: ExpressibleByArgument {
    var duration: Duration

    /// The longest accepted duration.
    ///
    /// A longer duration is probably a typo.
    private static let longest = Duration.seconds(720 * 3600)

    /// Creates an argument, or returns `nil` for an invalid duration.
    ///
    /// To get an error with the reason, call ``parse(_:)``.
    init?(argument: String) {
        guard let duration = try? Quantity.duration(argument) else { return nil }
        self.duration = duration
    }

    static func parse(_ text: String) throws -> TimeArgument {
        let duration: Duration
        do { duration = try Quantity.duration(text) } catch {
            throw ValidationError(String(describing: error))
        }
        guard duration > .zero else {
            throw ValidationError("the time must be longer than 0, not '\(text)'")
        }
        guard duration <= longest else {
            throw ValidationError("'\(text)' is too long; the limit is 720h (thirty days)")
        }
        return TimeArgument(duration: duration)
    }

    private init(duration: Duration) {
        self.duration = duration
    }
}

/// A size in cells, such as `120x40`.
struct SizeArgument {
    var size: Size

    static func parse(_ text: String) throws -> SizeArgument {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...1000).contains(width), (1...1000).contains(height)
        else {
            throw ValidationError("'\(text)' is not a size in cells; use a value such as 120x40")
        }
        return SizeArgument(size: Size(width: width, height: height))
    }
}

/// Parsers for whole numbers, with error messages that state the valid values.
enum NumberArgument {
    static func seed(_ text: String) throws -> UInt64 {
        guard let seed = UInt64(text) else {
            throw ValidationError("the seed must be from 0 to \(UInt64.max), not '\(text)'")
        }
        return seed
    }

    static func readers(_ text: String) throws -> Int {
        guard let number = Int(text), (1...1000).contains(number) else {
            throw ValidationError("the number of readers must be from 1 to 1000, not '\(text)'")
        }
        return number
    }

    static func positive(_ text: String) throws -> Int {
        guard let number = Int(text), number >= 1 else {
            throw ValidationError("'\(text)' is not a whole number greater than 0")
        }
        return number
    }
}

/// A change to the scenario of the form `path=value`.
struct SettingArgument {
    var setting: Scenario.Setting

    static func parse(_ text: String) throws -> SettingArgument {
        do { return SettingArgument(setting: try Scenario.Setting(text)) } catch {
            throw ValidationError(error.description)
        }
    }
}

/// When to show progress on standard error.
enum ProgressMode: String, CaseIterable, ExpressibleByArgument {
    case auto
    case always
    case never
}

extension GlyphSet: ExpressibleByArgument {}
