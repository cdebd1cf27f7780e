import Foundation

@testable import WorkloadEngine

/// A real run that version 0.1.0 recorded: a pool of 2 readers on Linux with 2 processors.
///
/// Do not record it again: a change that makes its tests fail makes users' existing files
/// unreadable.
enum KeptRecording {
    /// The bytes of its JSON.
    static func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        )
    }

    /// The decoded result.
    static func result() throws -> RunResult {
        try WhatIf.decode(data(), file: "small-load.json")
    }
}
