import SQLText

/// A comparison of two operands in a statement, as its tokens show it.
///
/// Operands are columns, constants, parameters, and calls with one column. Other operands are
/// omitted. A schema decides what a name means.
struct SQLComparison {
    /// One side of a comparison.
    struct Operand: Equatable {
        /// The position of the operand in the statement, in bytes.
        var range: Range<Int>
        /// The text of the operand.
        var text: String
        /// The name of the column in the operand, or `nil` if there is none.
        var column: String?
        /// The column with its table or alias, such as `o.state`.
        var reference: String?
        /// Whether the operand is the column itself, without a call or another expression.
        var isPlain: Bool
        /// Whether the operand is a constant.
        var isConstant: Bool
    }

    var left: Operand
    var right: Operand

    /// The maximum number of comparisons in a statement.
    private static let limit = 20
    private static let operators: Set<String> = [
        "=", "==", "IS", "IN", ">", "<", ">=", "<=", "LIKE",
    ]

    /// Returns the comparisons in a statement.
    static func all(in sql: String) -> [SQLComparison] {
        let tokens = SQLToken.significant(in: sql)
        var found: [SQLComparison] = []
        for (index, token) in tokens.enumerated() where found.count < limit {
            guard operators.contains(token.keyword), index > 0, index + 1 < tokens.count,
                let left = operand(endingBefore: index, in: tokens, of: sql)
            else { continue }
            let right = operand(startingAt: index + 1, in: tokens, of: sql)
            found.append(
                SQLComparison(
                    left: left,
                    right: right
                        ?? Operand(
                            range: tokens[index + 1].range,
                            text: tokens[index + 1].text,
                            column: nil,
                            reference: nil,
                            isPlain: false,
                            isConstant: false
                        )
                )
            )
        }
        return found
    }

    /// Returns the constant that a column is compared with, or `nil` if it is compared with
    /// something else.
    func constant(comparedWith column: String) -> String? {
        for (one, other) in [(left, right), (right, left)] {
            if one.isPlain, other.isConstant, one.column?.lowercased() == column.lowercased() {
                return other.text
            }
        }
        return nil
    }

    /// Returns the statement with other text in place of an operand.
    static func replacing(_ operand: Operand, with text: String, in sql: String) -> String {
        let bytes = Array(sql.utf8)
        guard operand.range.upperBound <= bytes.count else { return sql }
        return String(
            decoding: bytes[..<operand.range.lowerBound] + Array(text.utf8)
                + bytes[operand.range.upperBound...],
            as: UTF8.self
        )
    }

    /// Returns the statement with prefixes in place of the parameters of LIKE and GLOB.
    static func withPrefixes(_ sql: String) -> String {
        let tokens = SQLToken.significant(in: sql)
        var changed = sql
        for index in tokens.indices.dropLast().reversed() {
            let pattern = ["LIKE": "'a%'", "GLOB": "'a*'"][tokens[index].keyword]
            guard let pattern, tokens[index + 1].kind == .variable else { continue }
            let next = index + 2 < tokens.count ? tokens[index + 2].keyword : ""
            // An index cannot be used if the pattern is an expression, or has an ESCAPE.
            guard next != "||", next != "ESCAPE" else { continue }
            let operand = Operand(
                range: tokens[index + 1].range,
                text: "",
                column: nil,
                reference: nil,
                isPlain: false,
                isConstant: true
            )
            changed = replacing(operand, with: pattern, in: changed)
        }
        return changed
    }

    // MARK: Operands

    private static func operand(
        endingBefore end: Int,
        in tokens: [SQLToken],
        of sql: String
    ) -> Operand? {
        let last = end - 1
        if tokens[last].isSymbol(")") {
            var depth = 0
            var start = last
            while start >= 0 {
                if tokens[start].isSymbol(")") { depth += 1 }
                if tokens[start].isSymbol("(") { depth -= 1 }
                if depth == 0 { break }
                start -= 1
            }
            guard start > 0, tokens[start - 1].kind == .word else { return nil }
            return call(tokens[(start - 1)...last], of: sql)
        }
        var start = last
        if tokens[last].isName, last >= 2, tokens[last - 1].isSymbol("."), tokens[last - 2].isName {
            start = last - 2
        }
        if start > 0, ["+", "||", "-", "*"].contains(tokens[start - 1].text) {
            return unary(tokens, start: start, last: last, sql: sql)
        }
        return simple(tokens[start...last], of: sql)
    }

    private static func operand(
        startingAt start: Int,
        in tokens: [SQLToken],
        of sql: String
    ) -> Operand? {
        if tokens[start].kind == .word, start + 1 < tokens.count, tokens[start + 1].isSymbol("(") {
            var depth = 0
            var end = start + 1
            while end < tokens.count {
                if tokens[end].isSymbol("(") { depth += 1 }
                if tokens[end].isSymbol(")") { depth -= 1 }
                if depth == 0 { break }
                end += 1
            }
            guard end < tokens.count else { return nil }
            return call(tokens[start...end], of: sql)
        }
        var end = start
        if tokens[start].isName, start + 2 < tokens.count, tokens[start + 1].isSymbol("."),
            tokens[start + 2].isName
        {
            end = start + 2
        }
        // Another operator follows, so the operand is an expression.
        if end + 1 < tokens.count, ["+", "||", "-", "*", "/"].contains(tokens[end + 1].text) {
            return nil
        }
        return simple(tokens[start...end], of: sql)
    }

    /// Returns the operand of a unary plus, which only prevents an index.
    private static func unary(
        _ tokens: [SQLToken],
        start: Int,
        last: Int,
        sql: String
    ) -> Operand? {
        guard tokens[start - 1].text == "+",
            start < 2 || !(tokens[start - 2].isName || tokens[start - 2].isSymbol(")"))
                || ["WHERE", "AND", "OR", "ON", "NOT"].contains(tokens[start - 2].keyword),
            var operand = simple(tokens[start...last], of: sql), operand.column != nil
        else { return nil }
        operand.range = tokens[start - 1].range.lowerBound..<operand.range.upperBound
        operand.text = "+" + operand.text
        operand.isPlain = false
        return operand
    }

    private static func simple(_ tokens: ArraySlice<SQLToken>, of sql: String) -> Operand? {
        guard let first = tokens.first, let last = tokens.last else { return nil }
        let range = first.range.lowerBound..<last.range.upperBound
        let isConstant = tokens.count == 1 && (first.kind == .string || first.kind == .number)
        guard isConstant || last.isName || first.kind == .variable else { return nil }
        let text = text(range, sql: sql)
        return Operand(
            range: range,
            text: text,
            column: last.isName ? last.name : nil,
            reference: last.isName ? text : nil,
            isPlain: true,
            isConstant: isConstant
        )
    }

    /// Returns a call or a CAST whose arguments contain exactly one column.
    private static func call(_ tokens: ArraySlice<SQLToken>, of sql: String) -> Operand? {
        guard let first = tokens.first, let last = tokens.last, tokens.count >= 4,
            !["IN", "VALUES", "EXISTS", "AND", "OR", "NOT", "WHERE", "ON"].contains(first.keyword)
        else { return nil }
        var inner = Array(tokens.dropFirst(2).dropLast())
        if first.keyword == "CAST" {
            guard let end = inner.firstIndex(where: { $0.keyword == "AS" }) else { return nil }
            inner = Array(inner[..<end])
        }
        var names: [Range<Int>] = []
        var index = 0
        while index < inner.count {
            defer { index += 1 }
            guard inner[index].isName, inner[index].kind != .string else { continue }
            // A nested call's name is not a column.
            if index + 1 < inner.count, inner[index + 1].isSymbol("(") { continue }
            var end = index
            if index + 2 < inner.count, inner[index + 1].isSymbol("."), inner[index + 2].isName {
                end = index + 2
            }
            names.append(index..<end + 1)
            index = end
        }
        guard names.count == 1, let name = names.first else { return nil }
        let range = first.range.lowerBound..<last.range.upperBound
        let column = inner[name.upperBound - 1]
        return Operand(
            range: range,
            text: text(range, sql: sql),
            column: column.name,
            reference: text(
                inner[name.lowerBound].range.lowerBound..<column.range.upperBound,
                sql: sql
            ),
            isPlain: false,
            isConstant: false
        )
    }

    private static func text(_ range: Range<Int>, sql: String) -> String {
        let bytes = sql.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
        let end = bytes.index(bytes.startIndex, offsetBy: range.upperBound)
        return String(bytes[start..<end]) ?? ""
    }
}
