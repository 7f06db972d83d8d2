package import SceneContent

/// Texts that are more than texts where a surface does not take care, in every block.
package enum HostileTexts {
    /// What takes the place of a page's title, where it is not escaped.
    package static let title = "</title><script>alert(1)</script>"

    package static let all = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "</textarea><script>alert(1)</script>", title, "<!--", "]]>", "&lt;script&gt;",
        "\u{202E}gpj.exe", "\u{2066}\u{2067}", "a\u{0}b\u{1B}[2J\u{9B}31m\u{7F}", "line\nline\r\nline\u{2028}line",
        "data: x\n\nevent: end\ndata: \"x\"", "https://x/\" onclick=\"alert(1)", "style=\"position:fixed\"",
        "%3Cscript%3E%",
        String(repeating: "<", count: 200), "",
        String(
            String.UnicodeScalarView([0xFFFE, 0xFDD0, 0xFFF9, 0xE0001].compactMap { Unicode.Scalar($0 as UInt32) })),
    ]

    /// All blocks but images, actions and fields, with a text wherever there is one.
    package static func blocks(with text: String) -> [any TypedBlock] {
        let points = [ChartBlock.Point(0, -.greatestFiniteMagnitude), .init(1, .greatestFiniteMagnitude)]
        return [
            SectionBlock(text), TextBlock(text), TextBlock(text, level: .error, size: .large),
            FactsBlock([.init(key: text, label: text, value: .text(text))]),
            ListBlock(
                [.init(key: text, title: text, detail: text, badge: text, action: text, level: .note)],
                placeholder: text),
            ListBlock([], placeholder: text),
            TableBlock(
                [.init(text), .init(text, isTrailing: true)],
                rows: [.init(key: text, cells: [.text(text), .text(text)], action: text, levels: [.good, .error])],
                placeholder: text, total: 5),
            MeterBlock(text, share: 0.5, low: 0.7, high: 0.2, detail: text, shows: .value),
            ChartBlock(text, series: [.init(key: text, label: text, points: points)]),
            LinkBlock(text, address: text), LinkBlock(text, address: "https://example.org/?a=b&c='d'"),
        ]
    }

    /// Actions, one of which can be used.
    package static func actions(with text: String) -> [ActionBlock] {
        [
            ActionBlock(name: "a" + text, label: text, style: .destructive, confirmation: text),
            ActionBlock(name: "a" + text, label: text, unavailable: text),
        ]
    }

    /// Fields of all kinds.
    package static func fields(with text: String) -> [FieldBlock] {
        FieldBlock.Kind.allCases.map { kind in
            FieldBlock(
                name: "n" + text, label: text, kind: kind, value: text, choices: [.init(text, label: text)],
                hint: text, error: text, isRequired: true)
        }
    }
}
