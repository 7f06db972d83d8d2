import SceneContent

/// The whole page of a scene, for the first load and for browsers that run no script.
///
/// Without a script, each action is a submit button of a form, and a page into which nothing can be typed loads itself
/// again from time to time.
package struct ScenePage: Sendable {
    package var address: SceneAddress
    package var picture: ScenePicture
    package var access: SceneAccess
    /// Names the picture, so that the stream of changes begins after it. It is sent back as the parameter `known`.
    package var revision: String
    /// Who else looks at the scene. A page on a wall does not say it: everybody reads that.
    package var company: PageCompany
    /// Why an action that a form has posted was not performed; `nil` if there was none, or it was.
    package var notice: String?
    /// What was typed into the fields of the top layer when that action was refused, by the fields' names. Secrets are left
    /// out when it is drawn.
    package var typed: [String: String]
    /// What the page's forms post, so that one that is posted twice is done once. A script takes another one for each act.
    package var identifier: String

    package init(
        address: SceneAddress, picture: ScenePicture, access: SceneAccess, revision: String,
        company: PageCompany = PageCompany(), notice: String? = nil, typed: [String: String] = [:],
        identifier: String = ""
    ) {
        self.address = address
        self.picture = picture
        self.access = access
        self.revision = revision
        self.company = company
        self.notice = notice
        self.typed = typed
        self.identifier = identifier
    }

    /// The document.
    package func html(in frame: PageFrame) -> String {
        var drawing = SceneDrawing(address: address, access: access)
        drawing.token = frame.token
        drawing.typed = typed
        drawing.identifier = identifier
        let layers = picture.layers.layers
        // Loading the page again would take away what was typed.
        let canReload = access == .view || layers.allSatisfy(\.fields.isEmpty)
        return frame.document(title: picture.layers.top?.title ?? "", here: "Scene", reload: canReload) { writer in
            drawing.state(picture, to: &writer)
            PageFrame.connection(to: &writer)
            if !frame.isWall { company.write(to: &writer) }
            writer.element(
                .main, .id(PageID("scene")), .events(address.events), .revision(revision)
            ) { writer in
                drawing.main(layers, to: &writer)
            }
            writer.element(.div, .id(PageID("notice")), .role(.alert), .automaticDirection, text: notice ?? "")
        }
    }
}
