public import Messaging
public import MachineModel

extension AppDependency {
    /// The machine that the figures are of.
    @Entry public var machineIdentity: MachineIdentity?
    @Entry public var cpu: CPUUsage?
    @Entry public var memory: MemoryUsage?
    @Entry public var load: LoadAverage?
    @Entry public var disks: [DiskUsage]?
    @Entry public var networks: [NetworkUsage]?
    /// The busiest processes, busiest first.
    @Entry public var processes: [ProcessUsage]?
    /// The alerts that nobody has acknowledged.
    @Entry public var alerts: [Alert]?
}

/// What others ask of the machine plugin.
@ResponderMessages
public protocol AlertMessages {
    /// Takes an alert from the list of open ones, in the name of whoever is logged in.
    /// - Returns: the alert, with who acknowledged it.
    func alertAcknowledge(id: String) async throws -> Alert
}

extension ResponderChain: AlertMessages {}
