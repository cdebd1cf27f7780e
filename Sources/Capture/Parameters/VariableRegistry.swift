import WorkloadEngine

/// The variables of a captured scenario, by their names.
struct VariableRegistry {
    /// A variable.
    struct Entry: Equatable {
        var name: String
        /// Its mapping in YAML, without brackets.
        var yaml: String
        /// How it was chosen.
        var comment: String
    }

    private(set) var entries: [Entry] = []

    /// The name of a variable with this definition; a new one where there is none.
    ///
    /// - Parameters:
    ///   - base: The name, where no other variable has it.
    ///   - yaml: The definition.
    ///   - comment: How it was chosen.
    ///   - used: Names of variables that must not be shared, because one access needs another value.
    /// - Returns: The name.
    mutating func name(
        _ base: String,
        yaml: String,
        comment: String,
        excluding used: Set<String> = []
    ) -> String {
        let base = Self.identifier(base)
        var number = 1
        while true {
            let name = number == 1 ? base : "\(base)_\(number)"
            if let entry = entries.first(where: { $0.name == name }) {
                if entry.yaml == yaml, !used.contains(name) { return name }
            } else if !used.contains(name) {
                entries.append(Entry(name: name, yaml: yaml, comment: comment))
                return name
            }
            number += 1
        }
    }

    /// A name of ASCII letters, digits and `_`, as parameters of SQL need it.
    static func identifier(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isFine =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
                || ("0"..."9").contains(scalar)
            result.unicodeScalars.append(isFine ? scalar : "_")
        }
        return result.first?.isLetter == true ? result : "v_" + result
    }
}
