import WorkloadEngine

/// The variables of a captured scenario, by name.
package struct VariableRegistry {
    struct Entry: Equatable {
        var name: String
        var variable: Variable
        var comment: String
    }

    private(set) var entries: [Entry] = []

    /// Returns the name of the variable with the given definition, adding the variable if
    /// necessary.
    ///
    /// - Parameters:
    ///   - base: The preferred name.
    ///   - variable: The definition.
    ///   - comment: An explanation of the choice.
    ///   - used: Names that must not be reused, because one access needs different values.
    /// - Returns: The name of the variable.
    mutating func name(
        _ base: String,
        variable: Variable,
        comment: String,
        excluding used: Set<String> = []
    ) -> String {
        let base = Self.identifier(base)
        var number = 1
        while true {
            let name = number == 1 ? base : "\(base)_\(number)"
            if let entry = entries.first(where: { $0.name == name }) {
                if entry.variable == variable, !used.contains(name) { return name }
            } else if !used.contains(name) {
                entries.append(Entry(name: name, variable: variable, comment: comment))
                return name
            }
            number += 1
        }
    }

    /// Converts a string to a valid name of an SQL parameter: ASCII letters, digits, and `_`.
    ///
    /// YAML limits keys to 1,024 characters.
    package static func identifier(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(200) {
            let isValid =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
                || ("0"..."9").contains(scalar)
            result.unicodeScalars.append(isValid ? scalar : "_")
        }
        return result.first?.isLetter == true ? result : "v_" + result
    }
}
