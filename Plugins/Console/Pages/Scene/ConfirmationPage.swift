package import SceneContent

/// Asks whether an action is to be performed, in browsers that run no script. With a script the page asks itself, and posts
/// the parameter `confirmed`.
package struct ConfirmationPage: Sendable {
    package var address: SceneAddress
    /// The action, whose ``SceneContent/ActionBlock/confirmation`` is the question.
    package var action: ActionBlock
    /// What was posted. The page posts it once more, with `confirmed`.
    package var posted: PostedAction
    /// The layer of the action. What was typed into its secret fields is not posted again: it would stand in the page.
    package var layer: ContentLayer

    package init(address: SceneAddress, action: ActionBlock, posted: PostedAction, layer: ContentLayer) {
        self.address = address
        self.action = action
        self.posted = posted
        self.layer = layer
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        frame.below(PageFrame.Step("Scene", address.path)).document(title: action.label, here: action.label) { writer in
            writer.element(.main, .class("message")) { writer in
                writer.element(.h1, .automaticDirection, text: action.label)
                writer.element(.p, .automaticDirection, text: action.confirmation)
                writer.element(.form, .class("actions"), .post, .action(.page(address.act))) { writer in
                    writer.void(.input, .type(.hidden), .name(.token), .value(frame.token))
                    writer.void(.input, .type(.hidden), .name(.identifier), .value(posted.identifier))
                    writer.void(.input, .type(.hidden), .name(.confirmed), .value("1"))
                    writer.void(.input, .type(.hidden), .name(.layer), .posted(layer.key))
                    for (name, field) in layer.fields.sorted(by: { $0.key < $1.key }) where field.kind != .secret {
                        guard let value = posted.fields.values[name] else { continue }
                        writer.void(.input, .type(.hidden), .name(.field(name)), .value(value))
                    }
                    writer.element(
                        .button, .type(.submit), action.style == .destructive ? .class("destructive") : .class("main"),
                        .name(.action), .posted(action.name), .automaticDirection, text: action.label)
                    writer.element(.a, .class("button"), .href(.page(address.path)), text: "Cancel")
                }
            }
        }
    }
}
