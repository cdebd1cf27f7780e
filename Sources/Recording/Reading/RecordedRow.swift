/// A sample of a recording, without its payload.
package struct RecordedRow: Sendable, Equatable {
    package var id: Int64
    /// The index of the source in ``Recording/sources``.
    package var source: Int
    /// The time, in milliseconds since 1970.
    package var time: Int64
    /// The base sample of this sample's payload, or `nil` for a complete payload.
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
    /// The start and the end, in milliseconds since 1970.
    ///
    /// The end is `nil` if the recorder was killed or is still running.
    package var start: Int64
    package var end: Int64?
    package var endReason: String?
}

/// The arm, database, or agent of samples.
package struct RecordedSource: Sendable, Equatable {
    package var id: Int64
    package var session: Int64
    package var name: String
}

/// A message of a run.
package struct RecordedEvent: Sendable, Equatable {
    package var time: Int64
    package var severity: String
    package var message: String
}

/// A period without data.
package struct RecordedGap: Sendable, Equatable {
    package var source: String?
    package var start: Int64
    package var end: Int64
    package var reason: String
}
