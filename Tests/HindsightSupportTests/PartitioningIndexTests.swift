import HindsightSupport
import Testing

@Suite struct PartitioningIndexTests {
    @Test(arguments: 0..<20) func `The index of each element in a sorted array is found`(count: Int) {
        let even = (0..<count).map { $0 * 2 }
        for number in -1...2 * count {
            #expect(even.partitioningIndex { $0 >= number } == even.firstIndex { $0 >= number } ?? even.endIndex)
        }
    }

    @Test func `The search starts at the beginning of a slice`() {
        #expect([9, 1, 2, 3, 0][1..<4].partitioningIndex { $0 > 1 } == 2)
    }
}
