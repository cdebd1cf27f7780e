import Testing
import Text

struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1),
        ("abc", "axc", 1), ("kitten", "sitting", 3),
    ])
    func distanceCountsEdits(a: String, b: String, distance: Int) {
        #expect(NearestName.distance(Array(a), Array(b)) == distance)
        #expect(NearestName.distance(Array(b), Array(a)) == distance)
    }

    @Test func aTypoMatchesANameButAnotherWordDoesNot() {
        let names = ["readers", "journal", "at"]
        #expect(NearestName.of("raeders", among: names) == "readers")
        #expect(NearestName.of("Journal", among: names) == "journal")
        #expect(NearestName.of("a", among: names) == "at")
        #expect(NearestName.of("checkpoint", among: names) == nil)
        #expect(NearestName.of("%", among: ["B", "KiB"]) == nil)
    }
}
