/// What a page is to those who do not see it.
extension Browser {
    /// Returns what a reader of the screen has to call by a name: the names of all controls and pictures of the page, by their roles.
    func names() async throws -> [String: [String]] {
        let tree = try await command(
            "goog/cdp/execute", ["cmd": "Accessibility.getFullAXTree", "params": [String: String]()])
        let nodes = (tree as? [String: Any])?["nodes"] as? [[String: Any]] ?? []
        var names: [String: [String]] = [:]
        for node in nodes where node["ignored"] as? Bool != true {
            func value(of field: String) -> String { (node[field] as? [String: Any])?["value"] as? String ?? "" }
            let role = value(of: "role")
            if Self.named.contains(role) { names[role, default: []].append(value(of: "name")) }
        }
        return names
    }

    /// Returns the roles of those that have no name, with the names of others of the role.
    func nameless() async throws -> [String: [String]] {
        try await names().filter { $0.value.contains { $0.allSatisfy(\.isWhitespace) } }
    }

    /// The roles, as the browser calls them: those of fields for days and times are its own.
    private static let named: Set<String> = [
        "button", "link", "textbox", "searchbox", "combobox", "checkbox", "Date", "InputTime", "image", "meter",
        "dialog",
    ]
}
