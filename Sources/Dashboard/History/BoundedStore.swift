/// A store of the newest elements of a series, limited in number and total size.
struct BoundedStore<Element: Sendable>: Sendable {
    /// The limit on the total size, in bytes.
    var budget: Int {
        didSet { dropOldest() }
    }
    /// A closure that returns the approximate size of an element, in bytes.
    private let size: @Sendable (Element) -> Int
    private var elements: RingBuffer<Element?>
    /// The approximate total size, in bytes.
    private(set) var bytes = 0
    /// The index of the oldest stored element.
    private(set) var firstStoredIndex = 0

    init(capacity: Int, budget: Int, size: @escaping @Sendable (Element) -> Int) {
        self.budget = budget
        self.size = size
        elements = RingBuffer(capacity: capacity)
    }

    /// The element at an index, or `nil` if the element was removed to limit the total size.
    ///
    /// The index also counts elements that were removed for this reason.
    subscript(index: Int) -> Element? {
        elements.count > index && index >= 0 ? elements[index] : nil
    }

    /// Adds an element, and removes the oldest elements if the store exceeds a limit.
    mutating func append(_ element: Element) {
        if elements.count == elements.capacity {
            if let oldest = elements[0] { bytes -= size(oldest) }
            firstStoredIndex = max(0, firstStoredIndex - 1)
        }
        elements.append(element)
        bytes += size(element)
        dropOldest()
    }

    private mutating func dropOldest() {
        while bytes > budget, firstStoredIndex < elements.count - 1 {
            if let oldest = elements[firstStoredIndex] { bytes -= size(oldest) }
            elements[firstStoredIndex] = nil
            firstStoredIndex += 1
        }
    }

    mutating func removeAll() {
        elements.removeAll()
        bytes = 0
        firstStoredIndex = 0
    }
}
