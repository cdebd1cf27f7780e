import Foundation

extension RunResult {
    /// Decodes the JSON of a run.
    ///
    /// - Parameters:
    ///   - data: The contents of the file.
    ///   - file: The name of the file, for error messages.
    /// - Returns: The result.
    /// - Throws: ``WhatIfError`` with the file and the problem.
    package static func decode(_ data: Data, file: String) throws -> RunResult {
        struct Head: Decodable {
            var schema: String
        }
        let how = "create one with 'poolgauge run … --format json --output FILE' or '--record FILE'"
        guard let head = try? JSONDecoder().decode(Head.self, from: data) else {
            throw WhatIfError(
                .unreadable,
                "\(file): this is neither the JSON report nor the recording of a run; \(how)"
            )
        }
        guard head.schema == RunResult.schemaName else {
            throw WhatIfError(
                .unreadable,
                "\(file): the format is '\(head.schema)', expected '\(RunResult.schemaName)'; \(how)"
            )
        }
        if let found = ImplausibleNumber(in: data) {
            throw WhatIfError(
                .unreadable,
                "\(file): the number \(found.value) at \(found.path) exceeds the range of a result"
            )
        }
        do {
            return try JSONDecoder().decode(RunResult.self, from: data)
        } catch let error as DecodingError {
            throw WhatIfError(.unreadable, "\(file): \(explanation(of: error))")
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
