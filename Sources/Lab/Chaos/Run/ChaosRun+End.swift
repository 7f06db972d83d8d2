import Bus
import ChaosHistory
import Messaging
import NetworkLab

/// The end of a run: it waits for the recovery, looks at what is left, and ends all processes.
extension ChaosRun {
    /// After the last fault, waits until all processes are attached again, send nothing more, and have the latest
    /// values. Timeouts are ignored here, because the checker reports what is missing.
    func settle() async {
        say("all faults have ended; waiting for the recovery")
        try? await wait(for: "plugins, workers and clients") { await self.isComplete() }
        try? await wait(for: "silence") {
            await self.client.control { try await $0.chaosQuiet() } != nil
        }
        // Undrain all workers again, in case one was cut off when its drain ended.
        for place in workers {
            _ = await client.control { try await $0.hostDrain(worker: place.name, isDraining: false) }
        }
        await retryHeldSessions()
        try? await wait(for: "scenes of all sessions") { await self.sessionsWithoutScene() == 0 }
        try? await wait(for: "the end of all requests") {
            guard let links = await self.client.control({ try await $0.hostLinks() }) else { return false }
            // One request for each watched scene waits until the scene changes.
            return links.reduce(0) { $0 + $1.pendingRequests } <= self.watched.count
        }
        try? await wait(for: "the last values everywhere", within: .seconds(10)) { self.haveLastValues() }
        try? await wait(for: "the last pictures", within: .seconds(10)) { await self.haveLastPictures() }
        // After a cut, a side may notice only at TCP's next retransmission that the other has closed the connection.
        try? await wait(for: "the end of old connections") { self.hasClosedConnections() }
    }

    /// Retries sessions that are held because two faults ended workers that had them in hands, as an operator does.
    private func retryHeldSessions() async {
        let sessions = await client.control { try await $0.hostSessions() } ?? []
        for session in sessions where session.isHeld == true {
            say("session \(session.session) is held and retried: \(session.problem ?? "")")
            log.write(.retried(session: session.session))
            _ = await client.control { try await $0.hostRetrySession(session: session.session) }
        }
    }

    /// Whether no process has more open descriptors than allowed.
    private func hasClosedConnections() -> Bool {
        descriptors().values.allSatisfy { $0.after <= $0.before + Checker.Margins().descriptors }
    }

    /// The open descriptors of each place's process, at the beginning and now.
    private func descriptors() -> [String: FinalLook.DescriptorCount] {
        var descriptors: [String: FinalLook.DescriptorCount] = [:]
        for place in [host] + plugins + workers {
            guard let before = descriptorsBefore[place.name], let after = place.descriptors else { continue }
            descriptors[place.name] = .init(before: before, after: after)
        }
        return descriptors
    }

    /// Whether all observers have the same values as this process's copy of the container.
    private func haveLastValues() -> Bool {
        let expected = WatchedEntry.allCases.map { $0.value(in: client.container) }
        return (workers + clients).allSatisfy { place in
            guard let pid = place.pid else { return false }
            let seen = ChaosLog.lastSeen(by: place.name, pid: pid, in: "\(folder)/log")
            return WatchedEntry.allCases.map { seen[$0.rawValue] } == expected
        }
    }

    /// Whether all watched scenes run, and the clients are shown the same values as in this process's copy of the container, and
    /// what the sessions keep.
    private func haveLastPictures() async -> Bool {
        var expected: [String: Counter] = [:]
        for entry in WatchedEntry.allCases { expected[entry.rawValue] = entry.value(in: client.container) }
        var kept: [String: [String: String]] = [:]
        for session in watched { kept[session] = await client.kept(in: session) }
        return clients.allSatisfy { place in
            guard let pid = place.pid else { return false }
            let shown = ChaosLog.lastShown(to: place.name, pid: pid, in: "\(folder)/log")
            return watched.allSatisfy { session in
                guard let picture = shown[session] else { return false }
                return picture.isLive && picture.values == expected && (kept[session].map(picture.shows) ?? true)
            }
        }
    }

    func look() async -> FinalLook {
        var look = FinalLook(sessions: [:], observers: [], leftProcesses: [], descriptors: [:])
        for _ in 0..<10 {
            guard let placements = await client.look() else { continue }
            look.sessions = placements
            break
        }
        for session in look.sessions.keys {
            look.typed[session] = await client.kept(in: session).map { ChaosScreen.typed(in: $0) }
        }
        look.observers = (workers + clients).compactMap(\.pid)
        for place in places {
            place.notePeakMemory()
            look.memory[place.name] = place.peakMemory
        }
        look.descriptors = descriptors()
        return look
    }

    /// Ends all processes, each before those on which it depends.
    /// - Returns: the processes that did not end when asked to, or that still run.
    func end() async -> [String] {
        say("ending all processes")
        client.stop()
        var left: [String] = []
        for group in [clients, workers, plugins, [host]] {
            left += await withTaskGroup { tasks in
                for place in group {
                    let work: @MainActor @Sendable () async -> String? = {
                        await place.end() ? nil : "\(place.name), which did not end when asked to"
                    }
                    tasks.addTask(operation: work)
                }
                var names: [String] = []
                for await name in tasks { if let name { names.append(name) } }
                return names
            }
        }
        left += ((try? await lab.processes()) ?? []).map { "\($0)" }
        return left.sorted()
    }
}
