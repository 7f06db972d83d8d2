public import SceneContent

/// A part of a screen, such as ``Text`` or ``Action``.
///
/// A type of your own can be a part: it adds blocks to the screen.
@MainActor
public protocol ScreenPart {
    /// Adds the part's blocks to a screen, and what its actions do.
    func add(to parts: inout ScreenParts)
}

/// The blocks of a screen, and what its actions do.
@MainActor
public struct ScreenParts {
    /// What an action does, with the values of the screen's fields.
    public typealias Handler = @MainActor (SubmittedFields) async throws -> Void

    private(set) var blocks: [(key: String, node: ContentNode)] = []
    private(set) var handlers: [String: Handler] = [:]
    /// The images of the blocks by their hashes, from which surfaces fetch their bytes.
    private(set) var images: [String: ImageData] = [:]
    /// Store the values of fields as they are typed, and before an action runs.
    private(set) var stores: [String: @MainActor (String) throws -> Void] = [:]
    private var keys: Set<String> = []
    private var rowNames: Set<String> = []
    private var fieldNames: Set<String> = []
    /// How many blocks of each type there are.
    private var counts: [String: Int] = [:]
    /// The facts at the end, to which others are added, with the place of their block.
    private var openFacts: (place: Int, facts: [FactsBlock.Fact], keys: Set<String>)?

    init() {}

    /// Adds a block.
    /// - Parameter key: what tells it from the other blocks of the screen, so that a surface knows it again when others come
    ///   and go; `nil` for its type and its place among the blocks of this type.
    public mutating func add<Block: TypedBlock>(_ block: Block, key: String? = nil) {
        let next = nextKey(of: Block.type)
        add(block.node, key: key ?? next)
    }

    /// Adds an image, or a text that says why it is not shown.
    public mutating func add(_ image: ImageData, alternative: String, key: String? = nil) {
        let next = nextKey(of: ImageBlock.type)
        let key = key ?? next
        if let block = ImageBlock(image, alternative: alternative) {
            images[image.hash] = image
            add(block.node, key: key)
        } else {
            add(TextBlock(ImageBlock.problem(of: image, alternative: alternative) ?? "", level: .error).node, key: key)
        }
    }

    private mutating func nextKey(of type: String) -> String {
        counts[type, default: 0] += 1
        return "\(type).\(counts[type, default: 1] - 1)"
    }

    mutating func add(_ node: ContentNode, key: String) {
        closeFacts()
        blocks.append((unused(key), node))
    }

    /// Adds a fact to the block of facts at the end, or to a new one. The block is written when all its facts are there.
    mutating func add(fact label: String, _ value: ContentValue) {
        var open = openFacts ?? factsAtEnd ?? newFacts()
        let key = Self.unused(label, in: open.keys)
        open.keys.insert(key)
        open.facts.append(FactsBlock.Fact(key: key, label: label, value: value))
        openFacts = open
    }

    /// Writes the block of facts at the end, if facts have been added to it.
    mutating func closeFacts() {
        guard let open = openFacts else { return }
        openFacts = nil
        blocks[open.place].node = FactsBlock(open.facts).node
    }

    /// The facts of a whole block that has been added last.
    private var factsAtEnd: (place: Int, facts: [FactsBlock.Fact], keys: Set<String>)? {
        guard let last = blocks.last, last.node["type"]?.text == FactsBlock.type, let block = FactsBlock(last.node)
        else {
            return nil
        }
        return (blocks.count - 1, block.facts, Set(block.facts.map(\.key)))
    }

    private mutating func newFacts() -> (place: Int, facts: [FactsBlock.Fact], keys: Set<String>) {
        add(FactsBlock([]))
        return (blocks.count - 1, [], [])
    }

    /// Adds a field.
    /// - Parameter store: stores the value that the user has entered, before an action runs; `nil` if only actions read it. An
    ///   error says why it cannot be taken, and is what the action is refused with.
    public mutating func add(_ field: FieldBlock, store: (@MainActor (String) throws -> Void)? = nil) {
        var field = field
        field.name = Self.unused(field.name, in: fieldNames)
        fieldNames.insert(field.name)
        add(field, key: "field.\(field.name)")
        if let store { stores[field.name] = store }
    }

    /// Adds an action as a block of its own.
    public mutating func add(_ action: ActionBlock, handler: @escaping Handler) {
        var action = action
        action.name = Self.unused(action.name, in: Set(handlers.keys))
        add(action, key: "action.\(action.name)")
        handle(action.name, handler)
    }

    /// Says what is done when the rows of a block are selected.
    /// - Parameters:
    ///   - name: the name of the block of rows. One that another block has is made another one.
    ///   - keys: the rows' keys.
    ///   - selections: what is done for each row; `nil` if rows cannot be selected.
    /// - Returns: the rows' actions, by their keys.
    mutating func addRows(
        _ name: String, keys: [String], _ selections: [@MainActor () async throws -> Void]?
    ) -> [String: String] {
        guard let selections else { return [:] }
        // Also without rows: with the first one, no other block of rows must get another name.
        let name = Self.unused(name, in: rowNames)
        rowNames.insert(name)
        var actions: [String: String] = [:]
        for (key, select) in zip(keys, selections) {
            actions[key] = "\(name):\(key)"
            handle("\(name):\(key)") { _ in try await select() }
        }
        return actions
    }

    /// Says what an action does that a row or another block names.
    public mutating func handle(_ action: String, _ handler: @escaping Handler) {
        if handlers[action] == nil { handlers[action] = handler }
    }

    mutating func append(_ other: ScreenParts) {
        closeFacts()
        for (key, node) in other.blocks { add(node, key: key) }
        handlers.merge(other.handlers) { first, _ in first }
        stores.merge(other.stores) { first, _ in first }
        images.merge(other.images) { first, _ in first }
    }

    private mutating func unused(_ key: String) -> String {
        let key = Self.unused(key, in: keys)
        keys.insert(key)
        return key
    }

    private static func unused(_ key: String, in used: Set<String>) -> String {
        guard used.contains(key) else { return key }
        var number = 2
        while used.contains("\(key)-\(number)") { number += 1 }
        return "\(key)-\(number)"
    }

    /// The name of an action or a field that has only a label: its letters and digits in lower case, with hyphens between the
    /// words.
    static func name(for label: String) -> String {
        let words = label.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? "unnamed" : words.joined(separator: "-")
    }
}
