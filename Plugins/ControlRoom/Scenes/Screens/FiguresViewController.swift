import CoordinatorKit
import AccountMessages
import Messaging
import MachineMessages
import MachineModel

/// Shows the machine's figures.
final class FiguresViewController: ControlRoomViewController {
    override init() {
        super.init()
        title = "Figures"
    }

    override var content: ScreenContent {
        let container = appDependency
        var texts: [String] = []
        texts.append(container?.account.map { "Logged in as \($0.displayName)" } ?? "No user is logged in")
        if let machine = container?.machineIdentity {
            texts.append("\(machine.hostName ?? "this machine"), \(machine.cores ?? 0) cores, \(machine.kernel ?? "")")
        }
        if let cpu = container?.cpu { texts.append("CPU: \(Format.percent(cpu.total))") }
        if let memory = container?.memory {
            texts.append(
                "Memory: \(Format.bytes(memory.usedBytes)) of \(Format.bytes(memory.totalBytes)), "
                    + Format.percent(memory.fractionUsed))
        }
        if let load = container?.load {
            texts.append(
                "Load: \(Format.decimal(load.oneMinute)) \(Format.decimal(load.fiveMinutes)) "
                    + Format.decimal(load.fifteenMinutes))
        }
        for disk in container?.disks ?? [] {
            texts.append(
                "Disk \(disk.mountPoint) \(Format.percent(disk.fractionUsed)) of \(Format.bytes(disk.totalBytes))")
        }
        for network in container?.networks ?? [] {
            texts.append(
                "Network \(network.interface) in \(rate(network.receivedBytesPerSecond)), out \(rate(network.sentBytesPerSecond))"
            )
        }
        return ScreenContent(title: "Overview", texts: texts)
    }

    private func rate(_ bytes: Double?) -> String {
        bytes.map { "\(Format.bytes(UInt64(max($0, 0))))/s" } ?? "-"
    }
}
