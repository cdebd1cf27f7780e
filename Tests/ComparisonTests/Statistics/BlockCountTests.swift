import Comparison
import Testing

struct BlockCountTests {
    @Test func differencesOfOneSignHaveTheSmallestPValue() {
        for blocks in 1...12 {
            let test = WilcoxonSignedRank((1...blocks).map(Double.init))
            #expect(test.pValue == BlockCount.smallestPValue(blocks: blocks, tests: 1))
        }
        #expect(BlockCount.smallestPValue(blocks: 3, tests: 100) == 1)
    }

    @Test func tenBlocksSufficeForTwentyFiveTests() {
        #expect(BlockCount.suffices(10, tests: 25))
        #expect(!BlockCount.suffices(10, tests: 26))
        #expect(BlockCount.minimum(tests: 1) == 6)
        #expect(BlockCount.minimum(tests: 26) == 11)
    }
}
