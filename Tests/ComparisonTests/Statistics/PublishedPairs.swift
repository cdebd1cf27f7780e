import Foundation
import WorkloadEngine

/// Paired differences from examples in the literature.
enum PublishedPairs {
    /// The differences (before minus after) for nine patients, from Hollander and Wolfe, table 3.1.
    static let depression: [Double] = zip(
        [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
        [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    ).map { $0 - $1 }

    /// The example from Pratt, "Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures".
    static let pratt: [Double] = [0, 2, 3, 4, 6, 7, 8, 9, 11, 14, 15, 17, -18]
}

extension RandomStream {
    /// Returns a number from the standard normal distribution (Box–Muller transform).
    mutating func nextNormal() -> Double {
        (-2 * log1p(-nextUnit())).squareRoot() * sin(2 * .pi * nextUnit())
    }
}
