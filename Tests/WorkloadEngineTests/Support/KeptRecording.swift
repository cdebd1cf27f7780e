import Foundation

@testable import WorkloadEngine

/// A run recorded with version 0.1.0.
///
/// The run used a pool with two readers on a Linux machine with two processors.
/// Do not record it again. A change that makes the tests of this recording fail also makes
/// users' existing files unreadable.
enum KeptRecording {
    /// Returns the JSON of the recording.
    static func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        )
    }

    /// Returns the decoded result.
    static func result() throws -> RunResult {
        try RunResult.decode(data(), file: "small-load.json")
    }
}
