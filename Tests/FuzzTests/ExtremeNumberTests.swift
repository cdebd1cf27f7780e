import Foundation
import Testing

/// Replaces each number of a recording, a result, or an agent's response with an extreme number.
///
/// Random mutations rarely replace a certain number with a certain value. This test replaces every
/// number, so no number can cause an overflow on its own.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ExtremeNumberTests {
    /// The distance between two inputs that are read.
    ///
    /// `./test --faults` reads all inputs.
    private static let stride =
        ProcessInfo.processInfo.environment["POOLGAUGE_FAULTS"] != nil ? 1 : 31

    @Test(arguments: FuzzTarget.all.filter { !$0.extremeInputs.isEmpty }.map(\.name))
    func anyNumberMayBeExtreme(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = target.extremeInputs
        #expect(inputs.count > 500)
        for index in Swift.stride(from: 0, to: inputs.count, by: Self.stride) {
            do { try target.read(inputs[index]) } catch {
                Issue.record("\(name), input \(inputs[index]): \(error)")
            }
        }
    }
}
