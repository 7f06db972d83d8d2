import Testing

/// The start tags of a markup, read as a browser reads them.
struct MarkupScan {
    struct Tag {
        let name: String
        let attributes: [String: String]
    }

    private(set) var tags: [Tag] = []
    /// What is between the tags, with its references as they are written.
    private(set) var text = ""

    init(_ markup: String) throws {
        var rest = Array(markup.utf8)[...]
        func prefix(upTo ends: [Character]) -> String {
            let ends = Set(ends.compactMap(\.asciiValue))
            let part = rest.prefix { !ends.contains($0) }
            rest = rest[part.endIndex...]
            return String(decoding: part, as: UTF8.self)
        }
        func skip(_ sign: Character) throws { try #require(rest.popFirst() == sign.asciiValue) }
        while true {
            text += prefix(upTo: ["<"])
            guard !rest.isEmpty else { break }
            try skip("<")
            let name = prefix(upTo: [" ", ">"])
            var attributes: [String: String] = [:]
            while rest.first == UInt8(ascii: " ") {
                try skip(" ")
                let attribute = prefix(upTo: ["=", " ", ">"])
                var value = ""
                if rest.first == UInt8(ascii: "=") {
                    try skip("=")
                    try skip("\"")
                    value = prefix(upTo: ["\""])
                    try skip("\"")
                }
                #expect(attributes.updateValue(value, forKey: attribute) == nil, "an attribute stands twice")
            }
            try skip(">")
            if !name.hasPrefix("/"), !name.hasPrefix("!") { tags.append(Tag(name: name, attributes: attributes)) }
        }
    }

    /// The tags of a name.
    func tags(_ name: String) -> [Tag] { tags.filter { $0.name == name } }

    /// Expects that nothing in a page runs a script of others, restyles it, or leads elsewhere but by a link of the web.
    func expectHarmless(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
        let scripts = tags("script").map { $0.attributes["src"]?.hasPrefix("/script.js?") ?? false }
        #expect(scripts.allSatisfy { $0 } && scripts.count <= 1, comment, sourceLocation: location)
        let refused: Set = [
            "style", "iframe", "frame", "object", "embed", "base", "image", "use", "foreignObject",
        ]
        for tag in tags {
            #expect(!refused.contains(tag.name), comment, sourceLocation: location)
            if tag.name == "img" {
                let isOfScene = tag.attributes["src"]?.contains(#/^/(scenes|wall)/[^/]*/images/[0-9a-f]{64}$/#) ?? false
                #expect(isOfScene && tag.attributes["alt"]?.isEmpty == false, comment, sourceLocation: location)
            }
            for (name, value) in tag.attributes {
                #expect(!name.hasPrefix("on") && name != "style" && name != "srcdoc", comment, sourceLocation: location)
                if name == "href" || name == "src" || name == "action" {
                    let leads = value.hasPrefix("/") || value.hasPrefix("https://") || value.hasPrefix("http://")
                    #expect(leads, comment, sourceLocation: location)
                }
                #expect(!value.contains("<") && !value.contains("'"), comment, sourceLocation: location)
            }
        }
        let isVisible = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0x00..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
        #expect(isVisible, comment, sourceLocation: location)
        #expect(!text.contains(">") && !text.contains("\""), comment, sourceLocation: location)
    }
}
