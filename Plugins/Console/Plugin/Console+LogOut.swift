#if Console
    import ConsoleModel
    import Logging

    /// The end of logins that their browsers have not asked for.
    extension Console {
        /// Logs all browsers out. Screens on walls stay.
        /// - Parameter sender: who has asked for it, for the log.
        /// - Returns: how many browsers were logged in.
        /// - Throws: ``NotKept`` if they are logged out only until a restart.
        func logOutAll(by sender: String) async throws -> Int {
            let count = logins.logOutAll()
            for owner in streams.owners where walls[owner] == nil {
                watching.end(streamsOf: owner, "All have been logged out. Log in again.")
            }
            logger.notice(
                "all browsers have been logged out; screens on walls keep their keys",
                metadata: ["browsers": "\(count)", "by": "\(sender)"])
            if let problem = await saveNow() {
                throw NotKept(
                    "all are logged out, but logged in again if the console is restarted now", reason: problem)
            }
            return count
        }

        /// Logs all browsers out, and revokes the keys of all screens, because a program of another user has taken the port at which
        /// they look for the console. Browsers have sent it their cookies, and it could use them.
        func endLogins(ofTaken port: Int) async {
            let count = logins.logOutAll()
            let lost = walls.revokeAll()
            for wall in lost { own.close(wall.session) }
            logger.warning(
                """
                another user's program has the port of the last time, and browsers have sent their cookies to it: nobody is logged in \
                any more, and each screen on a wall needs a new key, with 'scenebus request consoleWall'
                """,
                metadata: [
                    "port": "\(port)", "browsers": "\(count)",
                    "walls": "\(lost.map { "\($0.name) (\($0.configuration))" }.joined(separator: ", "))",
                ])
            await saveNow()
        }
    }
#endif
