enum RunTime {
    /// Parses a time that the user typed, such as `12.5`, `12.5s`, `1:05`, `1:02:03`, or `-10`
    /// (relative to `now`).
    ///
    /// - Returns: The time in seconds, or `nil` if the text is invalid.
    static func seconds(of text: String, now: Double) -> Double? {
        var remaining = Substring(text)
        let isRelative = remaining.first == "-" || remaining.first == "−"
        if isRelative { remaining = remaining.dropFirst() }
        if remaining.last == "s" { remaining = remaining.dropLast() }
        let parts = remaining.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number.isFinite, number >= 0 else { return nil }
            seconds = seconds * 60 + number
        }
        return isRelative ? now - seconds : seconds
    }
}
