import Bus
import Glibc
import Hub

/// What the supervisor knows and learns of the plugins' links.
extension PluginSupervisor {
    /// Returns the registration for a hello with the name of a plugin.
    /// - Parameter process: the process that has connected. What the hello says of its process does not count: any user
    ///   of the machine could say the same over TCP.
    func registration(of hello: Hello, from process: Int32?) -> PeerRegistration? {
        guard let instance = instance(named: hello.peer) else { return nil }
        let manifest = instance.manifest
        return PeerRegistration(
            process: instance.pid.map { .running(pid: $0, saidHello: Self.isPart(process, of: $0)) } ?? .starting,
            handles: manifest.handles, provides: manifest.provides, services: manifest.services, scenes: manifest.scenes
        )
    }

    /// Returns whether a process is a plugin's, or one that the plugin itself has started, such as a script's program,
    /// which belongs to the plugin's process group.
    private static func isPart(_ process: Int32?, of pid: Int32) -> Bool {
        guard let process else { return false }
        return process == pid || getpgid(process) == pid
    }

    /// Handles a refused hello. If it comes from a plugin's process, that process does not hang.
    func refused(_ hello: Hello, _ refusal: Refusal, from process: Int32?) {
        guard let instance = instance(named: hello.peer), let pid = instance.pid, Self.isPart(process, of: pid) else {
            return
        }
        instance.life.refused(refusal.reason, at: .now)
    }

    /// Whether a plugin that handles a request, or offers its service, is expected to attach.
    func expects(_ request: Frame) -> Bool {
        let service = request.serviceName.map(String.init)
        return instances.contains { instance in
            instance.life.isExpected
                && (service.map(instance.manifest.services.contains)
                    ?? instance.manifest.handles.contains(request.name))
        }
    }

    /// The plugin that handles a message, as its manifest says, and is not attached.
    func absentHandler(of message: String) -> String? {
        instances.first { $0.life.state != .attached && $0.manifest.handles.contains(message) }?.manifest.id
    }

    /// Whether a plugin's process was told to end.
    func isAskedToEnd(_ name: String) -> Bool { instance(named: name)?.life.state == .ending }

    func attached(_ link: HubLink) {
        instance(named: link.name)?.life.attached()
    }

    func detached(_ link: HubLink, _ departure: Departure) {
        guard let instance = instance(named: link.name) else { return }
        instance.life.detached(departure.description, saidGoodbye: departure == .goodbye, at: .now)
    }
}
