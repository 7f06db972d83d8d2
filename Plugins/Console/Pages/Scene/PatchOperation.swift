/// A change of a page. The script does it; keys are as pages have them.
enum PatchOperation: Hashable, Sendable {
    /// The line that says how the session is.
    case state(String)
    /// The title of the window.
    case title(String)
    /// All layers.
    case main(String)
    /// The bar of a layer.
    case bar(layer: PageKey, String)
    /// The button of a layer that Enter presses.
    case defaultButton(layer: PageKey, String)
    /// A block in place of the one with its key.
    case block(layer: PageKey, key: PageKey, String)
    /// A row in place of the one with its key.
    case row(layer: PageKey, block: PageKey, key: PageKey, String)
    /// A new block behind another one, or before all.
    case insert(layer: PageKey, key: PageKey, after: PageKey?, String)
    case remove(layer: PageKey, key: PageKey)
    /// The order of all blocks of a layer.
    case order(layer: PageKey, [PageKey])

    /// Appends the operation as a JSON array that begins with its name.
    func append(to json: inout String) {
        func list(_ name: StaticString, _ texts: [String?]) {
            json += "[\"\(name)\""
            for text in texts {
                json += ","
                if let text { JSONText.append(text, to: &json) } else { json += "null" }
            }
            json += "]"
        }
        switch self {
        case .state(let markup): list("state", [markup])
        case .title(let text): list("title", [text])
        case .main(let markup): list("main", [markup])
        case .bar(let layer, let markup): list("bar", [layer.text, markup])
        case .defaultButton(let layer, let markup): list("default", [layer.text, markup])
        case .block(let layer, let key, let markup): list("block", [layer.text, key.text, markup])
        case .row(let layer, let block, let key, let markup): list("row", [layer.text, block.text, key.text, markup])
        case .insert(let layer, let key, let after, let markup):
            list("insert", [layer.text, key.text, after?.text, markup])
        case .remove(let layer, let key): list("remove", [layer.text, key.text])
        case .order(let layer, let keys): list("order", [layer.text] + keys.map(\.text))
        }
    }
}
