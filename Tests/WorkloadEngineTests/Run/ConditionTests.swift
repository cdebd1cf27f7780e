import Testing

@testable import Scenarios
@testable import WorkloadEngine

struct ConditionTests {
    @Test func conditionsCompareValuesLikeSQLite() throws {
        func holds(_ text: String, _ value: WorkloadValue) throws -> Bool {
            let condition = try Condition(parsing: text)
            guard case .value(let right) = condition.right else { return false }
            return condition.comparison.holds(value, right)
        }
        #expect(try holds(":x >= 100", .integer(100)))
        #expect(try !holds(":x > 100", .real(99.5)))
        #expect(try holds(":x < 'a'", .integer(7)), "numbers come before text")
        #expect(try holds(":x != 'a'", .text("b")))
        #expect(try !holds(":x = 1", .null))
        #expect(try !holds(":x != 1", .null))
        #expect(try holds(":x is null", .null))
        #expect(try !holds(":x is null", .integer(0)))
        #expect(try holds(":x is 1", .real(1)))
    }
}
