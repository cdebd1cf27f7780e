/// A binary heap with the smallest element first and equal elements in any order.
struct MinimumHeap<Element> {
    private var elements: [Element] = []
    private let isLess: (Element, Element) -> Bool

    init(_ isLess: @escaping (Element, Element) -> Bool) { self.isLess = isLess }

    var first: Element? { elements.first }
    var count: Int { elements.count }

    mutating func push(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isLess(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the elements that satisfy a condition, and returns them.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        let removed = elements.filter(condition)
        guard !removed.isEmpty else { return [] }
        let kept = elements.filter { !condition($0) }
        elements = []
        for element in kept { push(element) }
        return removed
    }

    mutating func pop() -> Element? {
        guard let smallest = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return smallest }
        elements[0] = last
        var parent = 0
        while true {
            var smallestIndex = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < elements.count && isLess(elements[child], elements[smallestIndex]) {
                smallestIndex = child
            }
            guard smallestIndex != parent else { return smallest }
            elements.swapAt(parent, smallestIndex)
            parent = smallestIndex
        }
    }
}
