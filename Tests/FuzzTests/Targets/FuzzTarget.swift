/// Code that parses untrusted bytes.
///
/// No input may cause a trap, take longer than ``secondsPerInput``, or use more memory than
/// ``megabytes``.
struct FuzzTarget: Sendable {
    /// The time limit of an input, in seconds.
    static let secondsPerInput = 5
    /// The memory limit of the process, in MiB.
    static let megabytes = 1_024

    var name: String
    /// The maximum length of an input, in bytes.
    var maximumLength = 4_096
    /// Valid inputs, which are the basis for mutations.
    var seeds: [[UInt8]]
    /// Words that mutations insert into inputs.
    var words: [String] = []
    /// Inputs that each contain one extreme number, or an empty array if the target reads no JSON.
    var extremeInputs: [[UInt8]] = []
    /// A closure that reads an input and throws ``WrongResult`` if a result is wrong.
    var read: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] =
        [
            .scenario, .theme, .configuration, .result, .recording, .recordedRows, .textDelta,
            .sample, .report, .agentRequest, .agentAnswer, .headers, .pages, .helperMessages,
            .systemTexts, .traceRecords, .programFile, .routineTable, .statements, .migration,
            .keys,
        ]
}

/// A wrong result, such as an error without a message.
struct WrongResult: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

extension FuzzTarget {
    /// Calls `body`, and checks that the message of its error, if any, is not empty and contains
    /// `text`.
    static func expectMessage(with text: String = "", _ body: () throws -> Void) throws {
        do { try body() } catch let broken as WrongResult { throw broken } catch {
            let message = "\(error)"
            guard !message.isEmpty, text.isEmpty || message.contains(text) else {
                throw WrongResult(
                    "the error does not name the input: \(message.debugDescription)"
                )
            }
        }
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
