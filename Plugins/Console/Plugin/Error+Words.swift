#if Console
    import Bus
    import Messaging

    extension Error {
        /// What pages say of it.
        var words: String { (self as? MessageError)?.outdated ?? String(foreign: self) }
    }

    extension MessageError {
        /// What to do if whoever was asked is of an earlier build, which does not know the request and so has done nothing; `nil` if the
        /// error says something else.
        var outdated: String? {
            guard code == .unhandled else { return nil }
            let pair: (old: String, new: String)
            if ProtocolMessages.isNamedAsOfHost(message), ProtocolMessages.contains(message), !mayHaveBeenHandled {
                pair = ("The host", "the console")
            } else if SceneMessagesList.messages.contains(where: { $0.name == message }) {
                // The host has passed on what it was asked.
                pair = ("The worker of this scene", "the host")
            } else {
                return nil
            }
            return """
                \(pair.old) is older than \(pair.new): it does not know '\(message)'. Build its program anew, and start it again.
                """
        }
    }
#endif
