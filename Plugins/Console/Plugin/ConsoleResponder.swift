#if Console
    import ConsoleMessages
    import ConsoleModel
    import Messaging
    import PluginKit

    /// Passes the messages of operators to the console.
    @MainActor
    final class ConsoleResponder: PluginResponder, ConsoleMessages {
        private let console: Console

        init(_ console: Console) { self.console = console }

        func consoleLink() async throws -> String {
            guard let link = console.makeLink() else { throw ConsoleNotReady() }
            return link
        }

        func consoleWall(
            configuration: String, name: String, url: String?, access: String?
        ) async throws -> String {
            let wish = try access.map(ConsoleWalls.Access.init(named:))
            guard let address = try await console.addWall(name, showing: configuration, url: url, access: wish) else {
                throw ConsoleNotReady()
            }
            return address
        }

        func consoleWalls() async throws -> [ConsoleWall] {
            guard console.isReady else { throw ConsoleNotReady() }
            return console.walls.all.map {
                ConsoleWall(
                    name: $0.name, configuration: $0.configuration, session: $0.session, url: $0.url,
                    access: $0.access?.rawValue)
            }
        }

        func consoleRevokeWall(name: String) async throws {
            guard console.isReady else { throw ConsoleNotReady() }
            guard try await console.revokeWall(name) else { throw UnknownWall(name: name) }
        }

        func consoleLogOutAll() async throws -> ConsoleLogOut {
            guard console.isReady else { throw ConsoleNotReady() }
            let browsers = try await console.logOutAll()
            return ConsoleLogOut(browsers: browsers, wallsThatStay: console.walls.all.count)
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
