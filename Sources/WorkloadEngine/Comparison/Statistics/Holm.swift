/// Holm's correction for multiple tests.
package enum Holm {
    /// Returns the adjusted p-values, in the given order.
    ///
    /// If every hypothesis with an adjusted p-value of at most α is rejected, the probability of
    /// any false alarm is at most α, even for dependent tests. The i-th smallest of m p-values is
    /// multiplied by m − i + 1, replaced by the preceding result if that is larger, and limited to
    /// 1 (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    /// Statistics 6, 1979). For adjusted p-values, see Wright, Biometrics 48, 1992.
    package static func adjusted(_ pValues: [Double]) -> [Double] {
        var adjusted = pValues
        var largest = 0.0
        let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
        for (rank, index) in order.enumerated() {
            largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
            adjusted[index] = largest
        }
        return adjusted
    }
}
