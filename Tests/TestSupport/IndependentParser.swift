import Foundation

/// Parsers from Python's standard library, which share no code with the program.
package enum IndependentParser {
    /// The elements, attributes, and scripts of an HTML document.
    package struct Page: Codable, Equatable, Sendable {
        /// The names of elements, sorted.
        package var tags: [String]
        /// The names of attributes, sorted.
        package var attributes: [String]
        /// The contents of `script` elements.
        package var scripts: [String]
    }

    package static let isAvailable =
        (try? run("import json, sys; json.dump([], sys.stdout)", "", as: [String].self)) != nil

    /// Parses CSV documents into rows of cells.
    package static func csv(_ documents: [String]) throws -> [[[String]]] {
        try run(
            """
            import csv, io, json, sys
            csv.field_size_limit(1 << 30)
            documents = json.load(sys.stdin)
            json.dump([list(csv.reader(io.StringIO(text, newline=''))) for text in documents], sys.stdout)
            """,
            documents,
            as: [[[String]]].self
        )
    }

    /// Returns the SHA-256 hashes of texts in Base64.
    package static func sha256(_ texts: [String]) throws -> [String] {
        try run(
            """
            import base64, hashlib, json, sys
            json.dump([base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                       for text in json.load(sys.stdin)], sys.stdout)
            """,
            texts,
            as: [String].self
        )
    }

    /// Parses HTML documents.
    package static func html(_ documents: [String]) throws -> [Page] {
        try run(
            """
            import json, sys
            from html.parser import HTMLParser

            class Page(HTMLParser):
                def __init__(self):
                    super().__init__()
                    self.tags, self.attributes, self.scripts = set(), set(), []

                def handle_starttag(self, tag, attributes):
                    self.tags.add(tag)
                    self.attributes.update(name for name, value in attributes)
                    if tag == 'script':
                        self.scripts.append('')

                def handle_data(self, data):
                    if self.lasttag == 'script' and self.cdata_elem:
                        self.scripts[-1] += data

            pages = []
            for text in json.load(sys.stdin):
                page = Page()
                page.feed(text)
                page.close()
                pages.append({'tags': sorted(page.tags), 'attributes': sorted(page.attributes),
                              'scripts': page.scripts})
            json.dump(pages, sys.stdout)
            """,
            documents,
            as: [Page].self
        )
    }

    /// Parses metrics in Prometheus's text format, and returns the labels of each sample
    /// (https://prometheus.io/docs/instrumenting/exposition_formats/).
    package static func metrics(_ documents: [String]) throws -> [[[String: String]]] {
        try run(
            """
            import json, re, sys
            sample = re.compile(
                r'[a-zA-Z_:][a-zA-Z0-9_:]*(\\{(?P<labels>.*)\\})? -?([0-9.e+-]+|[+-]?Inf|NaN)', re.S)
            label = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"(?:,|$)')
            escapes = {'\\\\\\\\': '\\\\', '\\\\"': '"', '\\\\n': '\\n'}
            documents = []
            for text in json.load(sys.stdin):
                samples = []
                for line in text.split('\\n'):
                    if not line or line.startswith('#'):
                        continue
                    match = sample.fullmatch(line)
                    assert match, line
                    rest, labels = match['labels'] or '', {}
                    while rest:
                        found = label.match(rest)
                        assert found, rest
                        labels[found[1]] = re.sub(
                            r'\\\\["\\\\n]', lambda escape: escapes[escape[0]], found[2])
                        rest = rest[found.end():]
                    samples.append(labels)
                documents.append(samples)
            json.dump(documents, sys.stdout)
            """,
            documents,
            as: [[[String: String]]].self
        )
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static func run<Output: Decodable>(
        _ script: String,
        _ input: some Encodable,
        as type: Output.Type
    ) throws -> Output {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("poolgauge-parser-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(input).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "python3 failed") }
        return try JSONDecoder().decode(Output.self, from: data)
    }
}
