/// Holm's correction for several tests at once.
package enum Holm {
    /// The adjusted p-values, in the order given.
    ///
    /// Rejecting every hypothesis whose adjusted value is at most α keeps the chance of even one
    /// false alarm at most α, whatever the tests have to do with each other. The i-th smallest of m
    /// values is multiplied by m − i + 1, never below its predecessor, never above 1 (Holm, "A
    /// Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics
    /// 6, 1979; as adjusted values: Wright, Biometrics 48, 1992).
    package static func adjusted(_ pValues: [Double]) -> [Double] {
        var adjusted = pValues
        var largest = 0.0
        let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
        for (place, index) in order.enumerated() {
            largest = max(largest, min(1, pValues[index] * Double(pValues.count - place)))
            adjusted[index] = largest
        }
        return adjusted
    }
}
