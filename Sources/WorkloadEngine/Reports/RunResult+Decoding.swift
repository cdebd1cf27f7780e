import Foundation

/// The reason that data is not the result of a run.
package struct UnreadableResult: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem.
    package let description: String
}

extension RunResult {
    /// Decodes the JSON of a run.
    ///
    /// - Throws: ``UnreadableResult`` with the problem.
    package static func decode(_ data: Data) throws -> RunResult {
        struct Head: Decodable {
            var schema: String
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else {
            throw UnreadableResult(description: "it is not the JSON report of a run")
        }
        guard readableSchemas.contains(head.schema) else {
            throw UnreadableResult(
                description: "the format is '\(head.schema)', expected '\(schemaName)'"
            )
        }
        if let found = ImplausibleNumber(in: data) {
            throw UnreadableResult(
                description: "the number \(found.value) at \(found.path) exceeds the range of a "
                    + "result"
            )
        }
        do {
            return try JSONDecoder().decode(RunResult.self, from: data)
        } catch let error as DecodingError {
            throw UnreadableResult(description: explanation(of: error))
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .keyNotFound(let key, let found):
            return "'\(key.stringValue)' is missing at \(location(found.codingPath))"
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            context = found
        @unknown default: return "\(error)"
        }
        return "\(context.debugDescription) at \(location(context.codingPath))"
    }

    private static func location(_ path: [any CodingKey]) -> String {
        path.isEmpty
            ? "the top level"
            : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                .joined(separator: ".")
    }
}
