import Telemetry

/// The first message for each client and error code.
///
/// Any thread can use this object. Its memory use is limited by the number of clients and error
/// codes.
final class ErrorMessages: Sendable {
    /// The maximum length of a message, in characters, before it is shortened.
    private static let limit = 300

    private let messages = Lock<[String: [String: String]]>([:])

    func add(_ error: any Error, code: String, client: String) {
        messages.withLock { messages in
            guard messages[client]?[code] == nil else { return }
            // Messages quote SQL, which can contain line breaks and other control characters.
            let text = String(describing: error)
                .split { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
                .joined(separator: " ")
            guard text != code, !text.isEmpty else { return }
            messages[client, default: [:]][code] =
                text.count > Self.limit ? text.prefix(Self.limit) + "…" : text
        }
    }

    func add(to clients: inout [String: ClientResult]) {
        let messages = messages.withLock { $0 }
        for (client, found) in messages {
            guard let errors = clients[client]?.errors else { continue }
            // Omit errors outside the measured phases, which are not counted.
            let counted = found.filter { errors[$0.key] != nil }
            if !counted.isEmpty { clients[client]?.errorMessages = counted }
        }
    }
}
