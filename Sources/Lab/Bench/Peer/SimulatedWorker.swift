import LabClock
import BenchMessages
import Bus
import CBOR
import Messaging
import PeerLink
import ZeroMQ

/// A simulated scene worker: a link on real sockets that counts entries and scenes instead of storing them, and replies
/// to the host's requests at once.
@MainActor
final class SimulatedWorker: LinkDelegate {
    /// The epoch of the host to which it is attached; `nil` while it is not attached.
    private(set) var epoch: UInt64?
    /// The times when it attached, when its copy of the container was complete, and when it got its last scene.
    private(set) var readyAt: UInt64 = 0
    private(set) var completeAt: UInt64 = 0
    private(set) var sceneAt: UInt64 = 0
    /// The sessions whose scenes the host assigned in this epoch.
    private(set) var scenes: Set<String> = []
    /// The fencing tokens of its scenes, which it keeps while it has no link.
    private var held: [String: UInt64] = [:]
    /// How many of the assigned scenes had a state to restore.
    private(set) var restored = 0
    /// Called when the state has changed.
    var onChange: @MainActor () -> Void = {}
    /// Called when a change of an entry has arrived.
    var onEntry: @MainActor (ScaleEntry) -> Void = { _ in }

    private let link: Link
    /// Whether each entry is present, by the entry's number.
    private var isThere: [Bool]
    private var count = 0

    /// - Parameter entries: the number of entries in the complete container.
    init(_ configuration: LinkConfiguration, entries: Int) {
        link = Link(configuration)
        isThere = Array(repeating: false, count: entries)
        link.delegate = self
        link.scenes = self
    }

    private var countedEpoch: UInt64?

    var isComplete: Bool { epoch != nil && count == isThere.count }

    func start() { link.start() }
    func stop() { link.stop() }

    func link(_ link: Link, isReady welcome: Welcome) {
        epoch = welcome.epoch
        readyAt = MonotonicTime.nanoseconds
        // The host decides which scenes of an earlier epoch continue.
        scenes = []
        restored = 0
        onChange()
    }

    func link(_ link: Link, wasLost loss: LinkMachine.Loss) {
        epoch = nil
        onChange()
    }

    func link(_ link: Link, changed action: DependencyReplica.Action) {
        // Entries of an earlier epoch that are not set yet in this one may remain for a while. They are not counted.
        if link.replica.epoch != countedEpoch {
            countedEpoch = link.replica.epoch
            isThere = Array(repeating: false, count: isThere.count)
            count = 0
        }
        switch action {
        case .apply(let entries):
            for (key, value) in entries { note(key, isSet: value != nil) }
            // A measured change has exactly one entry.
            if entries.count == 1, let bytes = entries.first(where: { _ in true })?.value,
                let entry = try? CBORDecoder().decode(ScaleEntry.self, from: bytes), entry.round > 0
            {
                onEntry(entry)
            }
        case .synchronize: return
        }
        completeAt = MonotonicTime.nanoseconds
        onChange()
    }

    private func note(_ key: String, isSet: Bool) {
        guard let number = ScaleEntry.number(of: key), isThere.indices.contains(number), isThere[number] != isSet else {
            return
        }
        isThere[number] = isSet
        count += isSet ? 1 : -1
    }

    func link(_ link: Link, received frame: Frame) {
        switch frame.name {
        case SceneMessagesList.sceneConnect.name: connect(frame)
        case SceneMessagesList.sceneResume.name:
            guard held[frame.session] != nil else {
                return link.fail(frame, of: link.generation, with: SceneCommandError.unknownSession(frame.session))
            }
            held[frame.session] = frame.token
            sceneAt = MonotonicTime.nanoseconds
            scenes.insert(frame.session)
            restored += 1
            link.reply(to: frame, of: link.generation, with: NoReply())
        case SceneMessagesList.sceneDiscard.name:
            if let token = held[frame.session], token <= frame.token {
                held[frame.session] = nil
                scenes.remove(frame.session)
            }
            link.reply(to: frame, of: link.generation, with: NoReply())
        default:
            link.fail(frame, of: link.generation, with: MessageError(.unhandled, message: frame.name))
        }
        onChange()
    }

    /// Accepts a scene. A scene without a state gets one, as a real scene does when it shows its first page.
    private func connect(_ frame: Frame) {
        guard let message = try? frame.decodePayload(as: SceneMessagesList.sceneConnect.self) else {
            return link.fail(frame, of: link.generation, with: MessageError(.malformed, message: frame.name))
        }
        sceneAt = MonotonicTime.nanoseconds
        scenes.insert(message.session)
        held[message.session] = message.token
        link.reply(to: frame, of: link.generation, with: NoReply())
        if message.state != nil {
            restored += 1
            return
        }
        var post = Frame(.post)
        post.name = SceneReportMessagesList.sceneCheckpoint.name
        post.session = message.session
        post.token = message.token
        let state = UserActivity(activityType: "scenebus.bench", userInfo: ["session": .string(message.session)])
        // Encoding a checkpoint cannot fail.
        guard
            let state = try? CBORRaw(encoding: state),
            let bytes = try? post.encoded(
                payload: SceneReportMessagesList.sceneCheckpoint(session: message.session, state: state))
        else { return }
        link.post(bytes, kind: .post)
    }
}

extension SimulatedWorker: SceneHolder {
    var heldScenes: [HeldScene] { held.map { HeldScene(session: $0.key, token: $0.value) } }

    func leaseExpired() {}
    func leaseRenewed() {}
}
