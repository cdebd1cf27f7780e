/// A distribution of texts from a template with `#` for a digit and `@` for a lowercase letter.
///
/// The distribution corresponds to sysbench's `sysbench.rand.string`
/// (<https://github.com/akopytov/sysbench>) with uniformly distributed characters.
package struct TemplateDistribution: Sendable, Equatable {
    private let template: [UInt8]

    /// Creates a distribution for a template.
    package init(_ template: String) { self.template = Array(template.utf8) }

    /// Draws the next text.
    package func next(using stream: inout RandomStream) -> String {
        String(unsafeUninitializedCapacity: template.count) { buffer in
            for (index, byte) in template.enumerated() {
                switch byte {
                case UInt8(ascii: "#"):
                    buffer[index] = UInt8(ascii: "0") + UInt8(stream.next(below: 10))
                case UInt8(ascii: "@"):
                    buffer[index] = UInt8(ascii: "a") + UInt8(stream.next(below: 26))
                default:
                    buffer[index] = byte
                }
            }
            return template.count
        }
    }
}
