#if Console
    import Bus
    import ConsoleModel
    import Glibc
    import Logging
    import PeerLink

    /// The file that keeps who is logged in while the console is restarted. Only its user may read it, and it holds digests.
    @MainActor
    final class LoginsFile {
        private let path: String?
        private let logger: Logger
        private let own: OwnSessions.Limits
        private var saved: KeptLogins?
        private var wanted: KeptLogins?
        private var saving: Task<Void, Never>?
        /// Why the file could not be written last; `nil` if it could.
        private var problem: PrivatePathError?

        /// - Parameters:
        ///   - path: the file; `nil` for one in the user's state folder, which each host's console has for itself.
        ///   - own: the limits of the sessions that the console opens.
        init(_ path: String?, own: OwnSessions.Limits, logger: Logger) {
            self.own = own
            self.logger = logger
            self.path = path ?? Self.standardPath
            if self.path == nil {
                logger.warning("this user has no state folder, so browsers have to log in again after a restart")
            }
        }

        private static var standardPath: String? {
            func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
            let host = environment("SCENEBUS_HOST") ?? HostDirectory().endpoint
            let name = String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
            return UserAccount.stateFolder(environment: environment).map { "\($0)/console/\(name)" }
        }

        /// Reads the file. One that cannot be read is put aside, and nobody is logged in then.
        /// - Throws: an error if it cannot be put aside either: a further write would be the end of what it holds.
        func read(at now: Double) throws(SettingsError) -> KeptLogins {
            let empty = KeptLogins(own: OwnSessions(limits: own))
            guard let path else { return empty }
            let reason: String
            do throws(PrivatePathError) {
                let text = try PrivateFile.read(path, maximumSize: KeptLogins.maximumSize)
                if KeptLogins.isKept(text) {
                    let kept = KeptLogins(text: text, ownLimits: own, at: now)
                    saved = kept
                    return kept
                }
                reason = "\(path) is not a file of this version of the console"
            } catch {
                guard error.code != .missing else { return empty }
                reason = error.description
            }
            let aside = "\(path).unreadable"
            do throws(PrivatePathError) {
                try PrivateFile.move(path, to: aside)
            } catch {
                throw SettingsError("the console's file cannot be read (\(reason)), nor put aside: \(error)")
            }
            logger.warning(
                "nobody is logged in and no wall has a key: the file cannot be read, and has been put aside",
                metadata: ["reason": "\(reason)", "file": "\(aside)"])
            return empty
        }

        /// Writes the file, unless it is as it should be. It is written beside the loop, because a busy disk takes its time.
        func save(_ kept: KeptLogins) {
            guard path != nil, kept != wanted ?? saved else { return }
            wanted = kept
            if saving == nil { saving = Task { await saveWanted() } }
        }

        /// Waits until what was to be saved is in the file, or cannot be written.
        /// - Returns: why it is not in the file; `nil` if it is, or if there is no file.
        func finish() async -> String? {
            await saving?.value
            return problem?.description
        }

        private func saveWanted() async {
            while let path, let kept = wanted {
                let result = await Task.detached { Self.write(kept.text, to: path) }.value
                // What could not be written is not in the file, so that the next beat tries again.
                if result == nil { saved = kept }
                if wanted == kept { wanted = nil }
                if let result, problem == nil {
                    logger.warning(
                        "until the file can be written, a restart forgets who has come, and lets in who was shut out",
                        metadata: ["reason": "\(result)"])
                } else if result == nil, problem != nil {
                    logger.notice("the file of who is logged in can be written again")
                }
                problem = result
            }
            saving = nil
        }

        private nonisolated static func write(_ text: String, to path: String) -> PrivatePathError? {
            do throws(PrivatePathError) {
                if let slash = path.lastIndex(of: "/") { try PrivateFolder.make(String(path[..<slash])) }
                try PrivateFile.write(text, to: path)
                return nil
            } catch {
                return error
            }
        }
    }
#endif
