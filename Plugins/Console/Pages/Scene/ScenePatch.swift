import SceneContent

/// What has to change in the page of a scene, as an event for its script.
///
/// It depends on the address, the pictures and the access alone, so that one is made for all pages that show the same
/// picture. A block that is as it was is neither read nor drawn.
package struct ScenePatch: Hashable, Sendable {
    /// The operations, in the order in which they are done.
    let operations: [PatchOperation]

    /// - Parameters:
    ///   - old: what the page shows; `nil` if that is not known, so that all is drawn anew.
    ///   - new: what it is to show.
    package init(address: SceneAddress, from old: ScenePicture?, to new: ScenePicture, access: SceneAccess) {
        let drawing = SceneDrawing(address: address, access: access)
        var operations: [PatchOperation] = []
        if old.map({ $0.hasOtherState(than: new) }) ?? true {
            operations.append(.state(drawing.markup { drawing.state(new, to: &$0) }))
        }
        if old?.layers != new.layers {
            let (before, after) = (old?.layers.layers, new.layers.layers)
            if before?.last?.title != after.last?.title { operations.append(.title(after.last?.title ?? "")) }
            if let before, !after.isEmpty, before.map(\.key) == after.map(\.key) {
                for (old, new) in zip(before, after) where old != new {
                    operations += LayerChanges(from: old, to: new, drawing).operations
                }
            } else {
                operations.append(.main(drawing.markup { drawing.main(after, to: &$0) }))
            }
        }
        self.operations = operations
    }

    /// Whether nothing has to change.
    package var isEmpty: Bool { operations.isEmpty }

    /// The operations as a JSON text without line feeds.
    package var json: String {
        var json = "["
        for (index, operation) in operations.enumerated() {
            if index > 0 { json += "," }
            operation.append(to: &json)
        }
        return json + "]"
    }

    /// The event, as it is written to an event stream.
    /// - Parameter revision: names the new picture; the page sends it as the parameter `known` when it connects again.
    package func event(revision: String) -> String {
        "event: patch\nid: \(HTMLText.line(revision))\ndata: \(json)\n\n"
    }
}

extension ScenePicture {
    /// Whether the line that says how the session is differs.
    fileprivate func hasOtherState(than other: ScenePicture) -> Bool {
        state != other.state || isLive != other.isLive || since != other.since || problem != other.problem
            || advice != other.advice || layers.layers.isEmpty != other.layers.layers.isEmpty
    }
}
