/// The newest elements of a series: at most so many, and at most so many bytes together.
struct BoundedStore<Element: Sendable>: Sendable {
    /// The bytes that all elements together may occupy.
    var budget: Int {
        didSet { dropOldest() }
    }
    /// About how many bytes an element occupies.
    private let size: @Sendable (Element) -> Int
    private var elements: RingBuffer<Element?>
    /// About how many bytes the elements occupy.
    private(set) var bytes = 0
    /// The place of the oldest element that the budget did not drop.
    private(set) var firstKept = 0

    /// Creates an empty store.
    init(capacity: Int, budget: Int, size: @escaping @Sendable (Element) -> Int) {
        self.budget = budget
        self.size = size
        elements = RingBuffer(capacity: capacity)
    }

    /// An element by its place, the oldest at 0; nil for one that was dropped.
    subscript(place: Int) -> Element? {
        elements.count > place && place >= 0 ? elements[place] : nil
    }

    /// Adds an element, and drops the oldest for which there is no room.
    mutating func append(_ element: Element) {
        if elements.count == elements.capacity {
            if let oldest = elements[0] { bytes -= size(oldest) }
            firstKept = max(0, firstKept - 1)
        }
        elements.append(element)
        bytes += size(element)
        dropOldest()
    }

    private mutating func dropOldest() {
        while bytes > budget, firstKept < elements.count - 1 {
            if let oldest = elements[firstKept] { bytes -= size(oldest) }
            elements[firstKept] = nil
            firstKept += 1
        }
    }

    /// Removes all elements.
    mutating func removeAll() {
        elements.removeAll()
        bytes = 0
        firstKept = 0
    }
}
