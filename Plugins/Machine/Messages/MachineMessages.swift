public import Messaging
public import MachineModel

extension AppDependency {
    /// The identity of the machine that the other entries describe.
    @Entry public var machineIdentity: MachineIdentity?
    @Entry public var cpu: CPUUsage?
    @Entry public var memory: MemoryUsage?
    @Entry public var load: LoadAverage?
    @Entry public var disks: [DiskUsage]?
    @Entry public var networks: [NetworkUsage]?
    /// The busiest processes, busiest first.
    @Entry public var processes: [ProcessUsage]?
    /// The active alerts that are not acknowledged.
    @Entry public var alerts: [Alert]?
}

/// The messages that the machine plugin handles.
@ResponderMessages
public protocol AlertMessages {
    /// Acknowledges an alert in the name of the user who is logged in, which removes it from the open alerts.
    /// - Returns: the acknowledged alert.
    func alertAcknowledge(id: String) async throws -> Alert
}

extension ResponderChain: AlertMessages {}
