import Access
import ZeroMQ
import Bus
import CoordinatorKit
import Hub
import Logging
import Messaging

/// Which peers are admitted.
extension HostLife: AdmissionAuthority {
    var rules: Admission.Rules {
        Admission.Rules(
            reservedMessages: ProtocolMessages.names, reservedEntries: [AppDependency.absentKey],
            claims: plugins?.claims ?? ManifestClaims(), maximumLinks: maximumLinks,
            howToAllowMore: "--maximum-links and the system's limit of open files (\(context.descriptorLimit) now)")
    }

    func registration(of hello: Hello, from identity: PeerIdentity) -> PeerRegistration? {
        plugins?.registration(of: hello, from: identity.process)
    }

    func access(of key: PublicKey) -> PeerAccess? { keys?.access(of: key) }

    func hides(_ entry: String) -> Bool {
        keys?.hides(entry, configuration: configuration(ofSession:)) ?? false
    }

    func wasReplaced(_ key: PublicKey) -> Bool { keys?.wasReplaced(key) ?? false }

    func refused(_ hello: Hello?, _ refusal: Refusal, from identity: PeerIdentity) {
        if refusal.code == .busy { sessions.refusedAsBusy() }
        guard let hello else { return }
        plugins?.refused(hello, refusal, from: identity.process)
        if let key = identity.key.flatMap({ access(of: $0) }) { audit.refused(hello, refusal, key: key.entry.name) }
    }

    /// The number of links that the limit of open files allows.
    ///
    /// Each peer takes two connections; the rest is for the host's own files, its plugins' pipes, and peers that are
    /// refused.
    private var maximumLinks: Int { configuration.maximumLinks ?? budget.maximumLinks }

    /// How the host divides its descriptors.
    var budget: DescriptorBudget {
        DescriptorBudget(limit: context.descriptorLimit, processes: plugins?.instances.count ?? 0)
    }
}

/// Peers that attach and detach.
extension HostLife: HubObserver {
    func attached(_ link: HubLink) {
        logger.info("attached", metadata: ["peer": "\(String(foreign: link.name))", "role": "\(link.hello.role)"])
        plugins?.attached(link)
        container.attached(link)
        sessions.attached(link)
    }

    func synchronized(_ link: HubLink) {
        if link.hello.role == .worker { sessions.synchronized(link) }
    }

    func detached(_ link: HubLink, _ departure: Departure) {
        log(departure, of: link)
        let wasAskedToEnd = plugins?.isAskedToEnd(link.name) ?? false
        plugins?.detached(link, departure)
        container.detached(link)
        sessions.detached(link, departure, wasAskedToEnd: wasAskedToEnd)
    }

    private func log(_ departure: Departure, of link: HubLink) {
        var metadata: Logger.Metadata = [
            "peer": "\(String(foreign: link.name))", "pid": "\(link.hello.pid)", "reason": "\(departure)",
        ]
        guard departure.isFault || departure == .gaveUpPlace else {
            return logger.info("detached", metadata: metadata)
        }
        // It may attach again at once, and be at fault again.
        guard let leftOut = faults.note("\(departure)", of: link.name, sharing: link.sharer, at: .now) else {
            return logger.debug("detached", metadata: metadata)
        }
        if leftOut > 0 { metadata["since the last line"] = "\(leftOut) more" }
        logger.log(level: departure.isFault ? .warning : .notice, "detached", metadata: metadata)
    }

    func refused(_ message: String, of link: HubLink, for user: String?, _ reason: String) {
        audit.refused(message, of: link, for: user, reason)
    }

    func quiet(_ links: Set<UInt64>) { sessions.quiet(links) }

    func heard(_ link: HubLink) { sessions.heard(link) }
}

/// Which frames the hub may route.
extension HostLife: HubRouting {
    func configuration(ofSession id: String) -> String? { sessions.table.sessions[id]?.record.configuration }

    func expectsHandler(of request: Frame) -> Bool { plugins?.expects(request) ?? false }

    func rejection(of frame: Frame, from link: HubLink) -> FrameRejection? {
        guard frame.kind == .request || frame.kind == .post else { return nil }
        // A request that a handler passes on keeps the session of its sender, but does not act for that session.
        let isPassedOn = frame.flags.contains(.passedOn) && frame.token == 0
        if link.hello.role == .worker, !frame.session.isEmpty, !isPassedOn,
            !sessions.table.mayAct(frame.session, token: frame.token, worker: link.id)
        {
            let detail = "session '\(frame.session)' is no longer run by this scene"
            return FrameRejection(
                "refused: stale fencing token",
                MessageError(.unauthorized, message: frame.name, detail: detail))
        }
        if link.hello.role != .worker, frame.kind == .post, frame.isOfProtocol {
            return FrameRejection("refused: report of no worker")
        }
        // Only the host sends these, and not to a service.
        if frame.isAddressed, ProtocolMessages.contains(String(frame.messageName)) {
            let detail = "it is a message of the protocol, not of a service"
            return FrameRejection(
                "refused: a message of the protocol's own",
                MessageError(.unhandled, message: frame.name, detail: detail))
        }
        let limit = ProtocolMessages.maximumHostRequest
        if frame.kind == .request, frame.payload.count > limit, ProtocolMessages.hostRequests.contains(frame.name) {
            let detail = "its payload has \(frame.payload.count) bytes; this request has at most \(limit)"
            return FrameRejection(
                "refused: request beyond measure", MessageError(.malformed, message: frame.name, detail: detail))
        }
        return nil
    }
}
