#if os(Linux)
import Foundation
import Glibc
import SQLiteWatch
import Telemetry

struct PlanClient {
    /// The path and arguments of a program that calls ``StatementPlanning/run()``.
    let command: [String]

    /// The time limit for a response, in nanoseconds.
    private static let responseTimeout: UInt64 = 1_000_000_000
    private static let responseLimit = 1 << 22

    /// Returns the response, or `nil` if the process fails or exceeds the time limit.
    func response(to request: PlanRequest) -> PlanResponse? {
        guard let text = try? JSONEncoder().encode(request) else { return nil }
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard ChildProcess.pipe(&input) else { return nil }
        guard ChildProcess.pipe(&output) else {
            for end in input { close(end) }
            return nil
        }
        defer { close(output[0]) }
        let child = ChildProcess.start(
            command,
            descriptors: [STDIN_FILENO: input[0], STDOUT_FILENO: output[1]]
        )
        close(input[0])
        close(output[1])
        guard let child else {
            close(input[1])
            return nil
        }
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        let isSent = DescriptorFile.write([UInt8](text), to: input[1])
        close(input[1])
        guard isSent else { return nil }
        var bytes: [UInt8] = []
        let deadline = monotonicNanoseconds() + Self.responseTimeout
        while bytes.count < Self.responseLimit {
            guard ChildProcess.waitForInput(output[0], until: deadline) else { return nil }
            let part = ProcFile.readOnce(output[0], limit: 1 << 16)
            if part.isEmpty { break }
            bytes += part
        }
        return try? JSONDecoder().decode(PlanResponse.self, from: Data(bytes))
    }
}
#endif
