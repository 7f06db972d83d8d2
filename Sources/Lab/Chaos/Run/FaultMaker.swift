import Bus
import ChaosHistory
import Messaging
import Foundation
import NetworkLab

/// Injects the faults of a plan, and ends them.
@MainActor
final class FaultMaker {
    let run: ChaosRun
    /// Whether the host's disk is full.
    var isDiskFull = false

    init(_ run: ChaosRun) {
        self.run = run
    }

    /// Injects all faults. Returns when the last one has ended and the time is over.
    func make(_ plan: FaultPlan, for length: Duration) async {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for step in plan.steps {
                let work: @MainActor @Sendable () async -> Void = {
                    try? await Task.sleep(until: start + step.at)
                    await self.make(step)
                }
                group.addTask(operation: work)
            }
        }
        try? await Task.sleep(until: start + length)
    }

    private func make(_ step: FaultPlan.Step) async {
        do {
            switch step.kind {
            case .killWorker: await kill(run.workers[step.target], step)
            case .killPlugin: await kill(run.plugins[step.target], step)
            case .killHost: await kill(run.host, step)
            case .killRack: await killRack(step)
            case .stopWorker: await stop(run.workers[step.target], step)
            case .stopPlugin: await stop(run.plugins[step.target], step)
            case .stopHost: await stop(run.host, step)
            case .hangWorker: await hang(run.workers[step.target], step)
            case .hangPlugin: await hangWarden(step)
            case .cutLink: try await cutLink(step)
            case .cutOneWay: try await cutOneWay(step)
            case .cutRack: try await cutRack(step)
            case .cutBus: try await cutFlow(step, port: ChaosRun.port)
            case .cutPublisher: try await cutFlow(step, port: ChaosRun.port + 1)
            case .loss: try await lose(step)
            case .delay: try await delay(step)
            case .deafSubscriber:
                await accompany(step, ["deaf", "--publisher", "tcp://\(run.address):\(ChaosRun.port + 1)"])
            case .readsNothing: await accompany(step, ["glutton", "--host", "tcp://\(run.address):\(ChaosRun.port)"])
            case .garbage:
                await accompany(
                    step,
                    [
                        "garbage", "--seed", "\(step.number)", "--address", run.address, "--port", "\(ChaosRun.port)",
                        "--path", "\(run.runtime)/bus", "--path", "\(run.runtime)/pub",
                    ])
            case .fullDisk: try await fillDisk(step)
            case .powerCut: await cutPower(step)
            case .secondHost: await startSecondHost(step)
            case .clockJump: try await jumpClock(step)
            case .drainWorker: await drain(run.workers[step.target], step)
            case .crashScene: await crashScene(step)
            case .greedyPeer:
                await accompany(
                    step,
                    [
                        "greedy", "--greed", step.greed.rawValue, "--host", "tcp://\(run.address):\(ChaosRun.port)",
                        "--publisher", "tcp://\(run.address):\(ChaosRun.port + 1)",
                    ], step.greed.rawValue)
            case .unreadLog: await stopReadingLog(step)
            case .silentConnections: await connectSilently(step)
            case .removeStore: await removeStore(step)
            case .stubbornPlugin: await endLeader(step)
            case .revokeKey: try await revokeKey(run.workers[step.target], step)
            case .rotateKey: await rotateKey(run.workers[step.target], step)
            case .rotateHostKey: try await rotateHostKey(step)
            }
        } catch {
            run.say("fault \(step.number) (\(step.kind.title)) could not be injected: \(error)")
        }
    }

    func begin(
        _ step: FaultPlan.Step, pids: [Int32] = [], machines: [NetworkLab.Machine] = [], sparesNew: Bool = false,
        _ what: String = ""
    ) {
        func seconds(_ time: Duration) -> String {
            time.formatted(.units(allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1)))
        }
        let place = what.isEmpty ? "" : ": \(what)"
        run.say("  \(seconds(step.at)) \(step.kind.title)\(place), for \(seconds(step.length))")
        run.log.write(
            .fault(
                FaultRecord(
                    number: step.number, kind: step.kind, pids: pids, machines: machines.map(\.number),
                    sparesNew: sparesNew)))
    }

    func mended(_ step: FaultPlan.Step) { run.log.write(.mended(number: step.number)) }

    func last(_ step: FaultPlan.Step) async { try? await Task.sleep(for: step.length) }
}
