import Testing

@testable import SQLiteEngine

struct RecencyListTests {
    @Test func theLeastRecentlyUsedPlaceComesFirst() {
        var list = RecencyList()
        #expect(list.leastRecent == nil)
        #expect((0..<3).map { _ in list.insert() } == [0, 1, 2])
        #expect(list.leastRecent == 0)
        list.use(0)
        #expect(list.leastRecent == 1)
        list.remove(1)
        #expect(list.leastRecent == 2)
        list.use(2)
        #expect(list.leastRecent == 0)
        #expect(list.insert() == 1)
        list.remove(0)
        list.remove(2)
        list.remove(1)
        #expect(list.leastRecent == nil)
    }

    @Test func theListAgreesWithALinearSearch() {
        var random = SeededRandom(seed: 13)
        var list = RecencyList()
        var places: [Int] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where places.count < 50:
                places.append(list.insert())
                #expect(Set(places).count == places.count)
            case 1 where !places.isEmpty:
                let place = places.remove(at: Int.random(in: places.indices, using: &random))
                list.remove(place)
            default:
                guard let index = places.indices.randomElement(using: &random) else { continue }
                let place = places.remove(at: index)
                places.append(place)
                list.use(place)
            }
            #expect(list.leastRecent == places.first)
        }
    }
}
