import CoordinatorKit
import AccountMessages
import Messaging
import MachineMessages
import MachineModel

final class OverviewViewController: ControlRoomViewController {
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
        let items = (container?.processes ?? []).prefix(8).map { process in
            ScreenContent.Item(
                id: "\(process.pid)", title: process.name,
                detail: "\(process.cpuFraction.map(Format.percent) ?? "-")  \(Format.bytes(process.residentBytes))",
                action: "process:\(process.pid)")
        }
        return ScreenContent(
            title: "Overview", texts: texts, items: items,
            actions: [
                ScreenContent.Action(name: "alerts", label: "Alerts (\(container?.alerts?.count ?? 0))"),
                ScreenContent.Action(name: "settings", label: "Settings"),
            ] + (container?.account == nil ? [ScreenContent.Action(name: "login", label: "Log in")] : []))
    }

    private func rate(_ bytes: Double?) -> String {
        bytes.map { "\(Format.bytes(UInt64(max($0, 0))))/s" } ?? "-"
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "alerts": chain.globalDisplay(page: .alerts)
        case "settings": chain.globalDisplay(page: .settings)
        case "login": chain.globalDisplay(page: .login)
        default:
            guard action.hasPrefix("process:"), let pid = Int32(action.dropFirst("process:".count)) else {
                return try await super.perform(action: action, fields: fields)
            }
            chain.globalDisplay(page: .process(pid: pid))
        }
    }
}
