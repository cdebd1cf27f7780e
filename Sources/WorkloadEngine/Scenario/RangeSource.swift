/// A dataset's variable that provides the range of another variable.
///
/// The range depends on the dataset's scale.
enum RangeSource: Sendable, Equatable {
    /// The same range.
    case same(as: String)
    /// The integers that follow the range.
    case after(String)

    /// Returns the range if the dataset has the variable.
    func range(among builtIns: [String: Variable]) -> ClosedRange<Int64>? {
        switch self {
        case .same(let name):
            builtIns[name].map { $0.minimum...$0.maximum }
        case .after(let name):
            builtIns[name].map { min($0.maximum + 1, Variable.largest)...Variable.largest }
        }
    }
}
