import AccountMessages
import Messaging
import Glibc
import MachineMessages
import MachineModel
import PluginKit

/// Publishes the machine's figures, raises alerts, and handles acknowledgements.
@MainActor
final class MachineResponder: PluginResponder, AlertMessages {
    private let interval: Duration
    private let reader = ProcReader()
    private var sampler: MachineSampler
    private var engine: AlertEngine

    init(_ settings: MachineSettings) {
        interval = .seconds(settings.intervalSeconds)
        sampler = MachineSampler(topProcesses: settings.topProcesses)
        engine = AlertEngine(rules: settings.alerts)
    }

    /// Samples until the task is cancelled.
    func run() async throws {
        let clock = ContinuousClock()
        while !Task.isCancelled {
            let reader = reader
            // Reading /proc takes milliseconds, so it runs off the main loop.
            let raw = await Task.detached { reader.read() }.value
            let next = clock.now + interval
            publish(raw)
            try await clock.sleep(until: next)
        }
    }

    private func publish(_ raw: RawSample) {
        let now = seconds(of: CLOCK_MONOTONIC)
        let sample = sampler.sample(raw, at: now)
        guard let plugin else { return }
        _ = engine.evaluate(sample, at: now, timeOfDay: seconds(of: CLOCK_REALTIME))
        // A single assignment, so that all entries are published as one change.
        var container = plugin.appDependency
        container.machineIdentity = sample.identity
        container.cpu = sample.cpu
        container.memory = sample.memory
        container.load = sample.load
        container.disks = sample.disks
        container.networks = sample.networks
        container.processes = sample.processes
        container.alerts = engine.openAlerts
        plugin.appDependency = container
    }

    func alertAcknowledge(id: String) async throws -> Alert {
        guard let session = MessageContext.current?.session,
            let account = plugin?.appDependency(of: session).account
        else { throw AcknowledgeRefused.loginRequired }
        let alert: Alert
        do {
            alert = try engine.acknowledge(id, by: account.username, timeOfDay: seconds(of: CLOCK_REALTIME))
        } catch {
            throw AcknowledgeRefused(code: "refused", description: error.description)
        }
        plugin?.appDependency.alerts = engine.openAlerts
        return alert
    }

    private func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The reason why an alert was not acknowledged.
struct AcknowledgeRefused: CodedError, CustomStringConvertible {
    let code: String
    let description: String

    static let loginRequired = AcknowledgeRefused(code: "loginRequired", description: "log in to acknowledge an alert")
}
