#if Console
    import ConsoleModel
    import Logging
    import Messaging
    import PluginKit

    /// The end of logins that their browsers have not asked for.
    extension Console {
        /// Logs all browsers out. Screens on walls stay.
        /// - Returns: how many browsers were logged in.
        /// - Throws: ``NotKept`` if they are logged out only until a restart.
        func logOutAll() async throws -> Int {
            let count = logins.logOutAll()
            for owner in streams.owners where walls[owner] == nil {
                watching.end(streamsOf: owner, "All have been logged out. Log in again.")
            }
            // The host keeps no audit of the messages of plugins.
            let actor = MessageContext.current?.actor
            let by = actor.map { "\($0)" + ($0.key.map { ", with the key \($0)" } ?? "") } ?? "?"
            plugin.logger.notice(
                "all browsers have been logged out; screens on walls keep their keys",
                metadata: ["browsers": "\(count)", "by": "\(by)"])
            if let problem = await saveNow() {
                throw NotKept(
                    "all are logged out, but logged in again if the console is restarted now", reason: problem)
            }
            return count
        }
    }
#endif
