import Testing

@testable import poolgauge

struct DisplayInboxTests {
    @Test func aDisplayThatTakesEverythingLosesNothing() {
        var inbox = DisplayInbox<Int>(capacity: 3)
        var taken: [Int] = []
        for number in 0..<20 {
            inbox.append(number)
            if number % 5 == 4 { taken += inbox.take() }
        }
        #expect(taken == Array(0..<20))
        #expect(inbox.take().isEmpty)
    }

    @Test func aStoppedDisplayKeepsTheNewest() {
        var inbox = DisplayInbox<Int>(capacity: 3)
        for number in 0..<1_000 {
            inbox.append(number)
            #expect(inbox.elements.count <= 6)
        }
        #expect(inbox.elements.suffix(3) == [997, 998, 999])
        #expect(inbox.elements.count >= 3)
    }
}
