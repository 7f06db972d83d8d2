#if Console
    import ConsoleModel

    extension Console {
        /// Watches a scene until a request is answered.
        func withScene(
            _ visit: SceneVisit, _ head: RequestHead, _ answer: @MainActor (SceneChannel) async -> ConsoleAnswer
        ) async -> ConsoleAnswer {
            let owner = owner(of: visit.reader)
            switch visits.take(owner) {
            case .own: return busy("You ask for too many scenes at once. Try again.", 429, head)
            case .all: return busy("The console is busy. Try again.", 503, head)
            case nil: break
            }
            defer { visits.leave(owner) }
            guard let channel = watching.enter(visit.session) else { return tooManyScenes(head) }
            defer { watching.leave(channel) }
            return await answer(channel)
        }

        func tooManyScenes(_ head: RequestHead) -> ConsoleAnswer {
            busy("Too many scenes are watched. Try again later.", 503, head)
        }
    }
#endif
