import Foundation

@testable import WorkloadEngine

/// A real run that version 0.1.0 recorded, on a pool with 2 readers on Linux with 2 processors.
///
/// Do not record it again. A change that makes its tests fail also makes users' existing files
/// unreadable.
enum KeptRecording {
    /// Returns the recording's JSON.
    static func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        )
    }

    /// Returns the decoded result.
    static func result() throws -> RunResult {
        try WhatIf.decode(data(), file: "small-load.json")
    }
}
