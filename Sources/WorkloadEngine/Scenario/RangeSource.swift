/// The dataset variable that provides another variable's range.
///
/// The range depends on the dataset's scale.
enum RangeSource: Sendable, Equatable {
    case same(as: String)
    /// The integers that follow the variable's range.
    case after(String)

    func range(among builtIns: [String: Variable]) -> ClosedRange<Int64>? {
        switch self {
        case .same(let name):
            builtIns[name].map { $0.minimum...$0.maximum }
        case .after(let name):
            builtIns[name].map { min($0.maximum + 1, Variable.largest)...Variable.largest }
        }
    }
}
