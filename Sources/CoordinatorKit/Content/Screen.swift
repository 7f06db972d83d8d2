public import Messaging
import SceneContent

/// What a view controller shows, as parts from top to bottom.
///
///     override var screen: Screen? {
///         Screen("Arrivals") {
///             Field("Search", $filter)
///             Table(arrivals, name: "guest") {
///                 Column("Guest") { $0.name }
///                 Column("Room") { $0.room }
///             } onSelect: { guest in
///                 self.chain.deskShow(page: .checkIn(guest.id))
///             }
///             Action("Close the desk", style: .destructive) { try await self.chain.deskClose() }
///         }
///     }
@MainActor
public struct Screen {
    /// The heading; empty for none.
    public var title: String
    var parts: ScreenParts
    /// What a tab bar controller lets the user choose between.
    var tabs: [ContentTab] = []
    /// The action of a navigation controller that leads to the screen before.
    var back: ActionBlock?

    /// Makes a screen.
    /// - Parameters:
    ///   - title: the heading; empty for none.
    ///   - parts: the parts from top to bottom.
    public init(_ title: String = "", @ScreenBuilder parts: () -> [any ScreenPart] = { [] }) {
        self.title = title
        self.parts = ScreenParts()
        for part in parts() { part.add(to: &self.parts) }
        self.parts.closeFacts()
    }

    /// Makes the screen of a plain content. Its actions are performed by ``ViewController/perform(action:fields:)``.
    public init(_ content: ScreenContent) {
        title = content.title
        parts = ScreenParts()
        for (key, block) in content.blocks { parts.add(block, key: key) }
    }

    /// The plain form, for surfaces that show no blocks and for tests. It is made when it is first read.
    public var plain: ScreenContent {
        ScreenContent(deferred: { [title, blocks = parts.blocks, back, tabs] in
            var content = ScreenContent(title: title, blocks: blocks.map { ContentBlock($0.node) })
            if let back { content.actions.append(ScreenContent.Action(name: back.name, label: back.label)) }
            for tab in tabs { content.actions.append(ScreenContent.Action(name: tab.action, label: tab.label)) }
            return content
        })
    }

    /// The screen as a layer of a scene.
    func layer(key: String) -> ContentLayer {
        ContentLayer(key: key, title: title, tabs: tabs, back: back, blocks: parts.blocks)
    }

    /// Adds the parts of another screen below the parts of this one.
    mutating func append(_ other: Screen) { parts.append(other.parts) }

    /// Whether an action of a part has this name.
    func handles(_ action: String) -> Bool { parts.handlers[action] != nil }

    /// Whether the screen has an action of this name, enabled or not. The plain form says the same, and takes longer.
    func lists(action name: String) -> Bool {
        leads(away: name) || parts.blocks.contains { $0.node.offers(action: name) }
    }

    /// Whether an action of this name can be performed now.
    func allows(action name: String) -> Bool {
        lists(action: name)
            && !parts.blocks.contains { $0.node.actionBlock.map { $0.name == name && $0.unavailable != nil } ?? false }
    }

    /// Whether an action is the one of a tab, or the way back.
    func leads(away action: String) -> Bool { back?.name == action || tabs.contains { $0.action == action } }

    /// Why an action cannot be performed; `nil` if that is not said.
    func reason(against action: String) -> String? {
        if let back, back.name == action { return back.unavailable }
        for (_, node) in parts.blocks {
            guard let block = node.actionBlock, block.name == action, let reason = block.unavailable else { continue }
            return reason
        }
        return nil
    }

    /// Stores the values of the fields, and runs an action.
    /// - Throws: ``ScreenActionError`` if no part has an action of this name, or a field cannot take its value; what the action
    ///   throws.
    func perform(_ action: String, fields: [String: String]) async throws {
        guard let handler = parts.handlers[action] else {
            throw ScreenActionError.unknownAction(action, available: plain.availableActions)
        }
        // A container may have waited before this, and the fields may have something newer by now.
        try store(fields.filter { SettledFields.values[$0.key] != $0.value }, before: action)
        try await handler(SubmittedFields(fields))
    }
}

/// Makes the parts of a screen from a block of code, in which `if`, `switch` and `for` can be used.
@MainActor
@resultBuilder
public enum ScreenBuilder {
    public static func buildExpression(_ part: any ScreenPart) -> [any ScreenPart] { [part] }
    public static func buildBlock(_ parts: [any ScreenPart]...) -> [any ScreenPart] { parts.flatMap { $0 } }
    public static func buildOptional(_ parts: [any ScreenPart]?) -> [any ScreenPart] { parts ?? [] }
    public static func buildEither(first parts: [any ScreenPart]) -> [any ScreenPart] { parts }
    public static func buildEither(second parts: [any ScreenPart]) -> [any ScreenPart] { parts }
    public static func buildArray(_ parts: [[any ScreenPart]]) -> [any ScreenPart] { parts.flatMap { $0 } }
}
