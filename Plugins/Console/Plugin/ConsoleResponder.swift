#if Console
    import ConsoleMessages
    import ConsoleModel
    import Logging
    import Messaging
    import PluginKit

    /// Passes the messages of operators to the console.
    ///
    /// The host lets whoever may send the application's messages send these, too, also workers and plugins. So each is refused
    /// unless an operator has sent it. The host's audit does not have them, and the console's log says who has asked.
    @MainActor
    final class ConsoleResponder: PluginResponder, ConsoleMessages {
        private let console: Console

        init(_ console: Console) { self.console = console }

        func consoleLink() async throws -> String {
            let sender = try Self.sender()
            guard let link = console.makeLink() else { throw ConsoleNotReady() }
            console.logger.notice("a link to log in was given", metadata: ["by": "\(sender)"])
            return link
        }

        func consoleWall(
            configuration: String, name: String, url: String?, access: String?
        ) async throws -> String {
            let sender = try Self.sender()
            let wish = try access.map(ConsoleWalls.Access.init(named:))
            guard let address = try await console.addWall(name, showing: configuration, url: url, access: wish) else {
                throw ConsoleNotReady()
            }
            console.logger.notice("a screen on a wall was added", metadata: ["wall": "\(name)", "by": "\(sender)"])
            return address
        }

        func consoleWalls() async throws -> [ConsoleWall] {
            _ = try Self.sender()
            guard console.isReady else { throw ConsoleNotReady() }
            return console.walls.all.map {
                ConsoleWall(
                    name: $0.name, configuration: $0.configuration, session: $0.session, url: $0.url,
                    access: $0.access?.rawValue)
            }
        }

        func consoleRevokeWall(name: String) async throws {
            let sender = try Self.sender()
            guard console.isReady else { throw ConsoleNotReady() }
            guard try await console.revokeWall(name) else { throw UnknownWall(name: name) }
            console.logger.notice("a screen on a wall was revoked", metadata: ["wall": "\(name)", "by": "\(sender)"])
        }

        func consoleLogOutAll() async throws -> ConsoleLogOut {
            let sender = try Self.sender()
            guard console.isReady else { throw ConsoleNotReady() }
            let browsers = try await console.logOutAll(by: sender)
            return ConsoleLogOut(browsers: browsers, wallsThatStay: console.walls.all.count)
        }

        /// Returns who has sent the message that is being handled, for the log.
        /// - Throws: ``OperatorsOnly`` unless it is an operator, as the host attests it, for itself and in no session. What a scene or
        ///   a plugin sends because of an operator's message is the operator's act, but may be no wish of the operator's.
        private static func sender() throws -> String {
            let context = MessageContext.current
            guard let context, let actor = context.actor, actor.role == .operator, actor.user == nil,
                context.isSentByActor, context.session == nil
            else { throw OperatorsOnly(message: context?.message ?? "") }
            return "\(actor)" + (actor.key.map { ", with the key \($0)" } ?? "")
        }
    }

    /// The error of a message that only operators may send.
    struct OperatorsOnly: CodedError, CustomStringConvertible {
        let message: String
        let code = "unauthorized"
        var description: String {
            "'\(message)' is for operators only, and not for a scene, a worker, a plugin or a program's user: send it with "
                + "'scenebus request \(message)' and no --session, on the host's machine or with the key of an operator"
        }
    }

    /// The error of a name that no screen on a wall has.
    struct UnknownWall: CodedError, CustomStringConvertible {
        let name: String
        let code = "unknownWall"
        var description: String { "there is no wall '\(name.prefix(64))'; 'scenebus request consoleWalls' lists them" }
    }

    /// The error of what was done but cannot be kept in the file.
    struct NotKept: CodedError, CustomStringConvertible {
        let code = "notKept"
        let description: String

        /// - Parameters:
        ///   - what: what has become of the request.
        ///   - reason: why the file cannot be written.
        init(_ what: String, reason: String) {
            description =
                "\(what): the console cannot write its file (\(reason)); it tries again every few seconds, so make "
                + "the file writable"
        }
    }

    /// The error of a console that does not listen yet.
    struct ConsoleNotReady: CodedError, CustomStringConvertible {
        let code = "notReady"
        let description = "the console does not listen yet: try again"
    }
#endif
