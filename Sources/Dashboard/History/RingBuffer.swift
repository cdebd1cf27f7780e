/// A buffer of the newest elements of a series.
///
/// In a full buffer, each new element replaces the oldest element.
struct RingBuffer<Element: Sendable>: Sendable {
    let capacity: Int
    private var storage: [Element] = []
    private var start = 0

    /// Creates an empty buffer with a capacity of at least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { storage.count }

    var last: Element? { storage.isEmpty ? nil : self[count - 1] }

    /// The element at an index, counted from the oldest.
    subscript(index: Int) -> Element {
        get { storage[storageIndex(index)] }
        set { storage[storageIndex(index)] = newValue }
    }

    private func storageIndex(_ index: Int) -> Int {
        let position = start + index
        return position < storage.count ? position : position - storage.count
    }

    mutating func append(_ element: Element) {
        if storage.count < capacity {
            storage.append(element)
        } else {
            storage[start] = element
            start = start + 1 == capacity ? 0 : start + 1
        }
    }

    mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        start = 0
    }
}
