import TerminalUI

extension DashboardModel {
    mutating func travel(_ command: DashboardCommand) -> [DashboardAction] {
        switch command {
        case .pause: frozen = frozen == nil ? history : nil
        case .stepBack: step(by: -1)
        case .stepForward: step(by: 1)
        case .seek:
            if shown.latest != nil { overlay = .prompt(PromptState(purpose: .seek)) }
        case .zoomIn: window = max(window - 1, 0)
        case .zoomOut: window = min(window + 1, Self.windows.count - 1)
        default: break
        }
        return []
    }

    private mutating func step(by samples: Int) {
        if frozen == nil { frozen = history }
        frozen?.step(by: samples)
    }

    /// Displays the sample nearest to the time that the user typed.
    ///
    /// - Returns: An error description, or `nil` if the text is valid.
    mutating func seek(_ text: String) -> String? {
        let trimmed = text.filter { $0 != " " }
        guard !trimmed.isEmpty else { return nil }
        guard let time = RunTime.seconds(of: trimmed, now: shown.newestTime) else {
            return "'\(text)' is not a time; enter 12.5, 1:05 or -10 (before the newest sample)"
        }
        go(to: time)
        return nil
    }

    mutating func go(to time: Double) {
        if frozen == nil { frozen = history }
        frozen?.show(time: time)
    }
}

enum RunTime {
    /// Parses a time that the user typed, such as `12.5`, `12.5s`, `1:05`, `1:02:03`, or `-10`
    /// (relative to `now`).
    ///
    /// - Returns: The time in seconds, or `nil` if the text is invalid.
    static func seconds(of text: String, now: Double) -> Double? {
        var rest = Substring(text)
        let isBefore = rest.first == "-" || rest.first == "−"
        if isBefore { rest = rest.dropFirst() }
        if rest.last == "s" { rest = rest.dropLast() }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number.isFinite, number >= 0 else { return nil }
            seconds = seconds * 60 + number
        }
        return isBefore ? now - seconds : seconds
    }
}
