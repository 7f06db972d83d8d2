import Bus
import ChaosHistory
import Glibc
import Messaging

/// Records during a run what the checker must know about the host and the machine.
@MainActor
struct ChaosObserver {
    let client: ChaosClient
    let log: ChaosLog
    let sampler: ProcessorSampler
    let host: ProcessPlace
    /// The places of all processes but the host.
    let others: [ProcessPlace]

    /// Records the attached processes periodically, until the task is cancelled.
    func recordLinks() async {
        while !Task.isCancelled {
            if let links = await links() { log.write(.attached(pids: links.sorted())) }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Records periodically how long processes waited for a processor, until the task is cancelled.
    func recordWaits() async {
        while !Task.isCancelled {
            let others = others.compactMap(\.pid) + [getpid()]
            log.write(.waited(nanoseconds: sampler.sample(host: host.pid, others: others)))
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// The processes that are attached; `nil` when the host does not answer.
    func links() async -> Set<Int32>? {
        guard let links = await client.control({ try await $0.hostLinks() }) else { return nil }
        return Set(links.map(\.pid))
    }
}
