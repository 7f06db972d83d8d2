import AccountMessages
import CoordinatorKit
import MachineMessages
import MachineModel
import Messaging

/// Shows the machine's figures.
final class FiguresViewController: ControlRoomViewController {
    override init() {
        super.init()
        title = "Figures"
    }

    override var screen: Screen? {
        Screen("Overview") {
            Text(appDependency?.account.map { "Logged in as \($0.displayName)" } ?? "No user is logged in")
            if let machine = appDependency?.machineIdentity {
                Text("\(machine.hostName ?? "this machine"), \(machine.cores ?? 0) cores, \(machine.kernel ?? "")")
            }
            if let cpu = appDependency?.cpu { Meter("CPU", cpu.total, high: 0.9) }
            if let memory = appDependency?.memory {
                Meter(
                    "Memory", memory.fractionUsed, high: 0.9,
                    detail: "\(Quantity.size(memory.usedBytes).text) of \(Quantity.size(memory.totalBytes).text)")
            }
            for disk in appDependency?.disks ?? [] {
                Meter(
                    "Disk \(disk.mountPoint)", disk.fractionUsed, high: 0.9,
                    detail: "of \(Quantity.size(disk.totalBytes).text)")
            }
            if let load = appDependency?.load {
                Fact("Load, 1 minute", Self.decimal(load.oneMinute))
                Fact("Load, 5 minutes", Self.decimal(load.fiveMinutes))
                Fact("Load, 15 minutes", Self.decimal(load.fifteenMinutes))
            }
            for network in appDependency?.networks ?? [] {
                Fact("\(network.interface), in", .rate(network.receivedBytesPerSecond))
                Fact("\(network.interface), out", .rate(network.sentBytesPerSecond))
            }
        }
    }

    /// A number with two digits after the decimal point, also if they are zeros: a text that keeps its width does not jump.
    private static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "–" }
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
