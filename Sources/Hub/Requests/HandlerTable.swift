import Bus

/// The peers that handle each message, and those that offer each service, in the order in which they attached.
@MainActor
struct HandlerTable {
    private var handlers: [String: [HubLink]] = [:]
    private var services: [String: [HubLink]] = [:]
    /// The peers that were looked up last for each name with an index. Comparing two names costs far less than computing
    /// a name's hash.
    private var last: [(name: String, links: [HubLink]?)?] = []

    mutating func add(_ link: HubLink) {
        last = []
        for name in Set(link.hello.handles) { handlers[name, default: []].append(link) }
        for name in Set(link.hello.services) { services[name, default: []].append(link) }
    }

    mutating func remove(_ link: HubLink) {
        last = []
        for name in link.hello.handles { Self.remove(link, of: name, from: &handlers) }
        for name in link.hello.services { Self.remove(link, of: name, from: &services) }
    }

    /// Returns the next peer that handles a message: the first that declared it, or the one above the peer that passes
    /// the message on.
    /// - Parameter link: the id of the link over which the message came; 0 for this process.
    mutating func next(for frame: Frame, from link: UInt64) -> HubLink? {
        if let service = frame.serviceName { return Self.first(of: services[String(service)]) { $0.id != link } }
        let isPassedOn = frame.flags.contains(.passedOn)
        // The ids of links grow: the peer above one has attached later.
        return Self.first(of: links(for: frame)) { isPassedOn ? $0.id > link : $0.id != link }
    }

    /// Returns the peers that declared a message.
    func all(for message: String) -> [HubLink] { handlers[message] ?? [] }

    /// Returns the peers that declared a frame's message.
    private mutating func links(for frame: Frame) -> [HubLink]? {
        if handlers.isEmpty { return nil }
        let place = frame.nameIndex.place
        if place < last.count, let last = last[place], last.name == frame.name { return last.links }
        let links = handlers[frame.name]
        if place >= last.count { last += Array(repeating: nil, count: place + 1 - last.count) }
        last[place] = (frame.name, links)
        return links
    }

    /// Returns the first of the links that can be reached; if there is none, the first, which may reconnect.
    private static func first(of links: [HubLink]?, where condition: (HubLink) -> Bool) -> HubLink? {
        guard let links else { return nil }
        return links.first { condition($0) && !$0.isGone } ?? links.first(where: condition)
    }

    private static func remove(_ link: HubLink, of name: String, from table: inout [String: [HubLink]]) {
        table[name]?.removeAll { $0 === link }
        if table[name]?.isEmpty == true { table[name] = nil }
    }
}
