import SceneContent

/// Draws the parts of a scene's page. What it draws depends on the address and the access alone, apart from what only the
/// first page has: the token of its reader, and what was typed.
struct SceneDrawing {
    let address: SceneAddress
    let access: SceneAccess
    var token: String?
    /// What tells what is done with the page from what is done with others; see ``ScenePage/identifier``.
    var identifier = ""
    var typed: [String: String] = [:]
    /// Whether the page hangs on a wall, where nobody reads it who could do something about a scene that does not run.
    private let isWall: Bool

    init(address: SceneAddress, access: SceneAccess) {
        self.address = address
        self.access = access
        if case .scene = address { isWall = false } else { isWall = true }
    }

    func markup(_ draw: (inout HTMLWriter) -> Void) -> String {
        var writer = HTMLWriter()
        draw(&writer)
        return writer.markup
    }

    /// Writes the line that says how the session is. On a wall there is none while all is well: who passes by needs no word of it.
    func state(_ picture: ScenePicture, to writer: inout HTMLWriter) {
        writer.element(.div, .id(PageID("state")), .live(picture.isLive)) { writer in
            if !isWall || !picture.isLive { line(picture, to: &writer) }
            if let problem = picture.problem, !problem.isEmpty {
                writer.element(.p, .class("problem"), .role(.alert), .automaticDirection, text: problem)
            }
        }
    }

    private func line(_ picture: ScenePicture, to writer: inout HTMLWriter) {
        writer.element(.p, .class("state")) { writer in
            writer.element(.strong, .role(.status), .automaticDirection, text: picture.state)
            if let since = picture.since, !picture.isLive {
                writer.element(.span) { writer in
                    writer.text(" since ")
                    writer.quantity(.time(since))
                }
            }
            if !picture.isLive, picture.layers.top != nil {
                writer.element(.span, text: " · what you see is older")
            }
            if let advice = picture.advice, !isWall, !picture.isLive {
                writer.element(.span, .class("advice"), text: advice)
            }
        }
    }

    /// Writes all layers, from the bottom up.
    func main(_ layers: [ContentLayer], to writer: inout HTMLWriter) {
        for (index, layer) in layers.enumerated() {
            self.layer(layer, isSheet: index > 0, isTop: index == layers.count - 1, to: &writer)
        }
        if layers.isEmpty {
            writer.element(
                .p, .class("empty"), text: "The scene has not shown anything yet. What it shows will appear here.")
        }
    }

    private func layer(_ layer: ContentLayer, isSheet: Bool, isTop: Bool, to writer: inout HTMLWriter) {
        let key = PageKey(layer.key)
        writer.element(
            .section, .class(isSheet ? "layer sheet" : "layer"), .key(key), isSheet ? .role(.dialog) : nil,
            isSheet ? .modal : nil, isSheet ? .labelled(by: PageID("title", layer: key)) : nil,
            isTop ? nil : .inert
        ) { writer in
            bar(layer, to: &writer)
            form("body", of: layer.key, to: &writer) { writer in
                defaultButton(of: layer, to: &writer)
                writer.element(.div, .class("blocks"), .rows) { writer in
                    let place = LayerPlace(
                        key: key, address: address, access: access, typed: isTop ? typed : [:])
                    for (key, node) in layer.blockNodes where place.shows(node) {
                        writer.block(node, key: key, in: place)
                    }
                }
            }
        }
    }

    /// Writes the title of a layer, with the way back and the tabs.
    func bar(_ layer: ContentLayer, to writer: inout HTMLWriter) {
        let key = PageKey(layer.key)
        form("bar", of: layer.key, to: &writer) { writer in
            if let back = layer.back, access == .use {
                writer.element(
                    .button, .type(.submit), .class("back"), .back, .stays, .unvalidated, .name(.action),
                    .posted(back.name), .confirm(back.confirmation),
                    .disabled(back.unavailable != nil), .automaticDirection, text: back.label)
            }
            writer.element(
                .h1, .id(PageID("title", layer: key)), .focusableByScript, .automaticDirection, text: layer.title)
            let tabs = layer.tabs
            guard !tabs.isEmpty else { return }
            writer.element(.nav, .class("tabs")) { writer in
                for tab in tabs {
                    let label: (inout HTMLWriter) -> Void = { $0.isolated(tab.label) }
                    if access == .use {
                        writer.element(
                            .button, .key(PageKey(tab.action)), .type(.submit), .stays, .unvalidated, .name(.action),
                            .posted(tab.action), .current(tab.isSelected), content: label)
                    } else {
                        writer.element(
                            .span, .key(PageKey(tab.action)), .current(tab.isSelected), content: label)
                    }
                }
            }
        }
    }

    /// Writes the button that a browser presses when Enter is pressed in a field. Nobody sees it.
    func defaultButton(of layer: ContentLayer, to writer: inout HTMLWriter) {
        guard access == .use else { return }
        let action = layer.defaultAction
        writer.element(
            .button, .class("default"), .type(.submit), .name(.action), .posted(action?.name ?? ""),
            action.flatMap { .confirm($0.confirmation) }, .disabled(action == nil), .focusableByScript, .unread)
    }

    /// Writes a form, or what it holds for those who may not perform actions.
    private func form(
        _ name: StaticString, of layer: String, to writer: inout HTMLWriter, content: (inout HTMLWriter) -> Void
    ) {
        guard access == .use else {
            writer.element(.div, .class(name), content: content)
            return
        }
        writer.element(.form, .class(name), .post, .action(.page(address.act))) { writer in
            writer.void(.input, .type(.hidden), .name(.layer), .posted(layer))
            if let token {
                writer.void(.input, .type(.hidden), .name(.token), .value(token))
                writer.void(.input, .type(.hidden), .name(.identifier), .value(identifier))
            }
            content(&writer)
        }
    }
}
