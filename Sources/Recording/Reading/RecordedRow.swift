/// A sample of a recording, without its payload.
package struct RecordedRow: Sendable, Equatable {
    package var id: Int64
    /// The index of the source in ``Recording/sources``.
    package var source: Int
    /// The time, in milliseconds since 1970.
    package var time: Int64
    /// The identifier of the base sample of this sample's payload, or `nil` for a complete payload.
    var base: Int64?
    package var facts: RecordedFacts
}

/// A session of a recording.
package struct RecordedSession: Sendable, Equatable {
    package var id: Int64
    package var kind: RecordedKind
    package var tool: String
    package var title: String
    package var scenario: String?
    package var environment: String?
    /// The start, in milliseconds since 1970.
    package var start: Int64
    /// The end, in milliseconds since 1970, or `nil` if the recorder was killed or is still
    /// running.
    package var end: Int64?
    package var endReason: String?
}

/// The source of samples, which is an arm, a database, or an agent.
package struct RecordedSource: Sendable, Equatable {
    package var id: Int64
    package var session: Int64
    package var name: String
}

/// An event that a run reported, or for which an ``EpisodeRecorder`` recorded.
package struct RecordedEvent: Sendable, Equatable {
    /// The severity of an event for which an ``EpisodeRecorder`` recorded.
    static let trigger = "trigger"

    /// The time, in milliseconds since 1970.
    package var time: Int64
    package var severity: String
    package var message: String

    init(time: Int64, severity: String, _ message: String) {
        self.time = time
        self.severity = severity
        self.message = message
    }
}

/// A period without data.
package struct RecordedGap: Sendable, Equatable {
    /// The name of the source without data, or `nil` for all sources.
    package var source: String?
    /// The start, in milliseconds since 1970.
    package var start: Int64
    /// The end, in milliseconds since 1970.
    package var end: Int64
    package var reason: String
}
