import Bus

/// The peers that handle each message, and those that offer each service, in the order in which they attached.
@MainActor
struct HandlerTable {
    private var handlers: [String: [HubLink]] = [:]
    private var services: [String: [HubLink]] = [:]

    mutating func add(_ link: HubLink) {
        for name in Set(link.hello.handles) { handlers[name, default: []].append(link) }
        for name in Set(link.hello.services) { services[name, default: []].append(link) }
    }

    mutating func remove(_ link: HubLink) {
        for name in link.hello.handles { Self.remove(link, of: name, from: &handlers) }
        for name in link.hello.services { Self.remove(link, of: name, from: &services) }
    }

    /// Returns the next peer that handles a message: the first that declared it, or the one above the peer that passes
    /// the message on.
    /// - Parameter link: the id of the link over which the message came; 0 for this process.
    func next(for frame: Frame, from link: UInt64) -> HubLink? {
        if let service = frame.serviceName { return Self.first(of: services[String(service)]) { $0.id != link } }
        let isPassedOn = frame.flags.contains(.passedOn)
        return Self.first(of: handlers[frame.name]) { isPassedOn ? $0.id > link : $0.id != link }
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
