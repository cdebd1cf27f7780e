/// The Markdown reference of the scenario language, with one section for each mapping.
///
/// The reference, the decoder, and the schema use the same declarations.
package enum ScenarioReference {
    /// The Markdown text.
    package static let markdown: String = {
        var shapes: [MappingShape] = []
        collect(Language.scenario, shapes: &shapes)
        return shapes.map(section).joined(separator: "\n")
    }()

    private static func collect(_ shape: MappingShape, shapes: inout [MappingShape]) {
        guard !shapes.contains(where: { $0.name == shape.name }) else { return }
        shapes.append(shape)
        for key in shape.keys {
            for part in key.value.mappings { collect(part, shapes: &shapes) }
        }
    }

    private static func section(_ shape: MappingShape) -> String {
        let rows = shape.keys.map { key in
            let name = key.isRequired ? "**\(key.name)**" : key.name
            let text = key.description.replacing("|", with: "\\|")
            return "| \(name) | \(key.value.summary.replacing("|", with: "\\|")) | \(text) |\n"
        }
        return """
            ## \(shape.name)

            \(shape.description)

            | key | value | meaning |
            |---|---|---|
            \(rows.joined())
            """
    }
}

extension ValueShape {
    var mappings: [MappingShape] {
        switch self {
        case .mapping(let shape): [shape]
        case .list(let item), .named(let item), .byMetric(let item): item.mappings
        case .either(let shapes): shapes.flatMap(\.mappings)
        case .steps: [Language.step]
        default: []
        }
    }

    /// A phrase that describes the value, such as `time, such as 50ms`.
    var summary: String {
        switch self {
        case .text: "text"
        case .texts: "text, or a list of text values"
        case .sql: "SQL, or a list of statements"
        case .steps: "SQL, a [step](#step), or a list of both"
        case .words(let words): words.joined(separator: ", ")
        case .integer(let range):
            range.upperBound == Int64.max
                ? "integer, at least \(range.lowerBound)"
                : range.lowerBound == range.upperBound
                    ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        case .number: "number above 0"
        case .boolean: "true, false"
        case .duration(let range): "time\(range.summary.map { " " + $0 } ?? ""), such as 50ms"
        case .span(let range): "time\(range.summary.map { " " + $0 } ?? ""), or a share such as 40%"
        case .quantity(.rate): "rate, such as 200/s"
        case .quantity(.bytes): "size, such as 64MiB"
        case .quantity(.share): "share, such as 40%"
        case .quantity(.fixedPause): "fixed and a time longer than 0, such as fixed 1ms"
        case .scalar: "text, number, true, false, or null"
        case .mapping(let shape): "[\(shape.name)](#\(shape.name))"
        case .list(let item): "list of \(item.summary)"
        case .named(let item): "mapping from names to \(item.summary)"
        case .byMetric(let item): "mapping from metrics to \(item.summary)"
        case .either(let shapes): Self.alternatives(shapes)
        }
    }

    /// Returns text such as `text, a number, or a list of these`.
    private static func alternatives(_ shapes: [ValueShape]) -> String {
        let single = shapes.map(\.summary)
        let texts = shapes.map { shape in
            guard case .list(.either(let items)) = shape else { return shape.summary }
            let others = items.map(\.summary).filter { !single.contains($0) }
            return (["a list of these"] + others).joined(separator: " and ")
        }
        guard let last = texts.last, texts.count > 1 else { return texts.joined() }
        let rest = texts.dropLast()
        // A semicolon separates alternatives that contain commas.
        if texts.contains(where: { $0.contains(",") }) {
            return rest.joined(separator: "; ") + "; or " + last
        }
        return rest.joined(separator: ", ") + (texts.count > 2 ? ", or " : " or ") + last
    }
}
