import Bus
public import Messaging
import Logging
import PeerLink

/// The entries of the container that a plugin sets.
extension Plugin {
    /// The host's container with this plugin's own entries. Setting an entry publishes it; the host passes it on if its
    /// value has changed.
    ///
    /// An entry that the plugin does not list in `provides` is not set: the plugin logs that and calls ``onRefused``. So it
    /// does with an entry that has a value for each session: read it with ``appDependency(of:)``, and set it with
    /// ``set(_:to:for:)``.
    public var appDependency: AppDependency {
        get {
            let newest = peer?.dependencies ?? AppDependency()
            let changed = newest.changedKeys(since: hosts)
            forgetRemoved(changed, in: newest)
            for key in changed where own.index(forKey: key) == nil {
                merged.setEntry(newest.entry(of: key), of: key)
            }
            hosts = newest
            return merged
        }
        set {
            let changed = newValue.changedKeys(since: appDependency)
            merged = newValue
            for key in changed {
                if let refusal = refusal(of: key) {
                    merged.setEntry(hosts.entry(of: key), of: key)
                    tell(refusal, logs: refusedKeys.insert(SessionEntryKey.name(in: key)).inserted)
                } else {
                    own.updateValue(newValue.entry(of: key), forKey: key)
                }
            }
            publish(changed.filter { refusal(of: $0) == nil })
        }
    }

    /// Sets an entry, or removes it with `nil`, as ``appDependency`` does, but throws an error when that is not
    /// possible.
    /// - Parameters:
    ///   - entry: the entry's key path, such as `\.account`.
    ///   - value: the new value; `nil` removes the entry.
    /// - Throws: ``EntryRefused`` when the plugin does not list the entry in `provides`, or the value cannot be encoded
    ///   or is too large for the bus.
    public func set<Value>(_ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?) throws {
        var container = appDependency
        container[keyPath: entry] = value
        try set(container)
    }

    /// Sets the entries in which a container differs from ``appDependency``.
    func set(_ container: AppDependency) throws {
        for key in container.changedKeys(since: appDependency) {
            if let refusal = refusal(of: key) { throw refusal }
            do {
                try DependencyPayload.check(container.entry(of: key)?.encoded(), key: key)
            } catch {
                throw EntryRefused(key: key, reason: "\(error)")
            }
        }
        appDependency = container
    }

    private func refusal(of key: String) -> EntryRefused? {
        let place = SessionEntryKey(key)
        if let place, place.session.isEmpty { return .needsSession(place.name) }
        guard !provided.contains(place?.name ?? key) else { return nil }
        return EntryRefused(
            key: key,
            reason: """
                this plugin does not provide it; add it to 'provides' in the plugin's code and, if a host starts the \
                plugin, in its plugin.json
                """)
    }

    func tell(_ refusal: EntryRefused, logs: Bool = true) {
        if logs { logger.error("\(String(foreign: refusal))") }
        onRefused?(refusal)
    }

    /// Publishes all provided entries when the plugin has attached: a restarted host has no entries of this plugin, and
    /// a host that outlived an earlier process of this plugin still has the entries of that process.
    func publishAll() {
        let life = peer?.link.welcome?.epoch
        publish(keysToSetAgain(isSameHost: hostLife != nil && hostLife == life))
        hostLife = life
    }

    private func publish(_ keys: [String]) {
        guard let peer, peer.link.isReady, !keys.isEmpty else { return }
        var changes: [String: [UInt8]?] = [:]
        for key in keys {
            do {
                let value = try own[key]??.encoded()
                try DependencyPayload.check(value, key: key)
                changes.updateValue(value, forKey: key)
            } catch {
                tell(EntryRefused(key: key, reason: "\(error)"))
            }
        }
        peer.link.publish(changes)
    }
}
