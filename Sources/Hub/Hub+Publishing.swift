package import Bus
import ZeroMQ

/// Publishes changes of the container, and keeps to the peers' subscriptions.
extension Hub {
    /// Publishes a change to every peer.
    ///
    /// A change that some keys may not read is not published to peers with keys. They learn that there is one, and ask for what
    /// they may read of it.
    package func publish(_ change: DependencyChange) {
        head = change.revision
        // A beacon with a newer revision makes every peer request the change, each when it has read so far. A large
        // change therefore does not queue up for a peer that does not read.
        guard DependencyPayload.size(of: change.entries) <= Self.largestDelta else { return publishBeacon() }
        var frame = Frame(.delta)
        frame.epoch = epoch
        frame.previous = change.previous
        frame.revision = change.revision
        frame.payload = DependencyPayload.encode(change.entries)[...]
        let isHidden = keyedPublisher != nil && change.entries.contains { authority?.hides($0.key) ?? false }
        publish(frame, toKeyed: isHidden ? beacon : nil)
    }

    func publishBeacon() { publish(beacon) }

    private var beacon: Frame {
        var beacon = Frame(.beacon)
        beacon.epoch = epoch
        beacon.revision = head
        return beacon
    }

    /// - Parameter other: what peers with keys get in place of the frame; `nil` for the frame.
    private func publish(_ frame: Frame, toKeyed other: Frame? = nil) {
        // The sockets are not open yet. A snapshot will contain the change.
        guard let publisher else { return }
        let bytes = frame.encoded()
        if tap.isOn { tap.record(frame, size: bytes.count, from: TapRecord.host, to: TapRecord.everyone) }
        do {
            if try !publisher.send(bytes) { state.counters.add("dropped: publisher has no room") }
            if let keyedPublisher, try !keyedPublisher.send(other?.encoded() ?? bytes) {
                state.counters.add("dropped: publisher has no room")
            }
        } catch {
            state.counters.add("dropped: \(error.reason)")
        }
    }

    // MARK: - Entries of peers

    /// Answers a publish of a peer, if the peer asks for that.
    package func answer(_ publish: Frame, with answer: PublishAnswer, to link: HubLink) {
        guard publish.part != 0 else { return }
        var frame = Frame(.publish)
        frame.part = publish.part
        frame.revision = head
        guard let bytes = try? frame.encoded(payload: answer) else { return }
        if !sendEnd(bytes, .publish, to: link) { count("dropped: answer to a publish") }
    }

    /// Answers a publish of a peer that was not read.
    package func answer(_ publish: Frame, refusing reason: String, to link: HubLink) {
        var answer = PublishAnswer()
        answer.refuse([""], reason)
        self.answer(publish, with: answer, to: link)
    }

    // MARK: - Subscriptions

    /// Handles a subscription to what is published.
    /// - Parameter isToKeyed: whether it has arrived at the publisher for peers with keys. All whose keys may connect get what
    ///   is published there, which is never a record of the tap.
    func receivedSubscription(_ message: SocketMessage, isToKeyed: Bool) {
        // A connection to the keyed publisher that is already gone counts for nothing.
        guard let verb = message.bytes.first, verb <= 1, !isToKeyed || message.origin != nil else { return }
        let (topic, isOn) = (message.bytes.dropFirst(), verb == 1)
        if let origin = message.origin, let connection = origin.connection {
            gate?.subscribed(connection, to: topic, isOn: isOn)
            if let key = origin.key { gate?.attested(connection, key) }
        }
        if !isToKeyed { tap.subscriptionChanged(topic, isOn: isOn) }
        // A peer that subscribes to the beacons waits for one, which shows that published frames arrive from now on.
        guard isOn, topic.elementsEqual(Frame.topic(.beacon)) else { return }
        beacons.subscribed(among: links.count)
        beaconTimer.set(noLaterThan: beacons.due)
    }
}
