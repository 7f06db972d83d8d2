import SceneContent
import Testing

@testable import ConsolePages

/// A page as the script has it, in the parts that operations change.
struct PageModel: Equatable {
    private struct Block: Equatable {
        let key: PageKey
        var markup: String
    }

    private struct Layer: Equatable {
        let key: PageKey
        var bar: String
        var defaultButton: String
        var blocks: [Block]
    }

    private var state: String
    private var title: String
    private var layers: [Layer]
    /// All layers as one, which they are after all of them were drawn.
    private var main: String

    /// Draws a picture as a whole.
    init(_ picture: ScenePicture, access: SceneAccess) {
        let drawing = SceneDrawing(address: .scene("s"), access: access)
        state = drawing.markup { drawing.state(picture, to: &$0) }
        title = picture.layers.top?.title ?? ""
        main = drawing.markup { drawing.main(picture.layers.layers, to: &$0) }
        layers = picture.layers.layers.map { layer in
            let place = LayerPlace(key: PageKey(layer.key), address: .scene("s"), access: access)
            return Layer(
                key: place.key, bar: drawing.markup { drawing.bar(layer, to: &$0) },
                defaultButton: drawing.markup { drawing.defaultButton(of: layer, to: &$0) },
                blocks: layer.blockNodes.filter { place.shows($0.node) }.map { key, node in
                    Block(key: PageKey(key), markup: drawing.markup { $0.block(node, key: key, in: place) })
                })
        }
    }

    /// Does what a patch says. What it draws as a whole must be what the new picture is.
    mutating func apply(_ patch: ScenePatch, drawnAnew: PageModel) throws {
        for operation in patch.operations {
            switch operation {
            case .state(let markup): state = markup
            case .title(let text): title = text
            case .main(let markup):
                #expect(markup == drawnAnew.main)
                layers = drawnAnew.layers
            case .bar(let key, let markup): layers[try layer(key)].bar = markup
            case .defaultButton(let key, let markup): layers[try layer(key)].defaultButton = markup
            case .block(let key, let block, let markup):
                let layer = try layer(key)
                layers[layer].blocks[try index(of: block, in: layer)].markup = markup
            case .row(let key, let block, let row, let markup):
                let layer = try layer(key)
                let index = try index(of: block, in: layer)
                layers[layer].blocks[index].markup = try layers[layer].blocks[index].markup.replacingRow(
                    row, by: markup)
            case .insert(let key, let block, let after, let markup):
                let layer = try layer(key)
                let index = try after.map { try self.index(of: $0, in: layer) + 1 } ?? 0
                layers[layer].blocks.insert(Block(key: block, markup: markup), at: index)
            case .remove(let key, let block):
                let layer = try layer(key)
                layers[layer].blocks.remove(at: try index(of: block, in: layer))
            case .order(let key, let keys):
                let layer = try layer(key)
                layers[layer].blocks = try keys.map { layers[layer].blocks[try index(of: $0, in: layer)] }
            }
        }
        // It is not kept up to date with what the operations change.
        main = drawnAnew.main
    }

    private func layer(_ key: PageKey) throws -> Int { try #require(layers.firstIndex { $0.key == key }) }

    private func index(of block: PageKey, in layer: Int) throws -> Int {
        try #require(layers[layer].blocks.firstIndex { $0.key == block })
    }
}

extension String {
    /// The markup of a block with another row in place of the one with its key. Rows hold no element of their own kind.
    fileprivate func replacingRow(_ key: PageKey, by markup: String) throws -> String {
        let tag = try #require(["tr", "li", "div"].first { markup.hasPrefix("<\($0) ") })
        let start = try #require(firstRange(of: "<\(tag) data-key=\"\(key.text)\"")).lowerBound
        let end = try #require(self[start...].firstRange(of: "</\(tag)>")).upperBound
        return replacingCharacters(in: start..<end, with: markup)
    }

    private func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        var changed = self
        changed.replaceSubrange(range, with: text)
        return changed
    }
}
