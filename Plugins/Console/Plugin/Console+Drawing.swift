#if Console
    import ConsoleModel
    import ConsolePages

    extension Console {
        /// Draws the page that a browser asks for, beside the main actor: neither a large one nor many keep others waiting.
        func draw(
            for reader: ConsoleToken, _ head: RequestHead, _ answer: @escaping @Sendable () -> ConsoleAnswer
        ) async -> ConsoleAnswer {
            await withPlace(toDrawFor: reader, head) { await .drawn(answer) }
        }

        /// Takes a place for a page of which more than the drawing is much work.
        func withPlace(
            toDrawFor reader: ConsoleToken, _ head: RequestHead, _ answer: @MainActor () async -> ConsoleAnswer
        ) async -> ConsoleAnswer {
            let owner = owner(of: reader)
            switch drawings.take(owner) {
            case .own: return refusal("You ask for too many pages at once. Try again.", 429, head)
            case .all: return refusal("The console is busy. Try again.", 503, head)
            case nil: break
            }
            // The page is in memory until it is written.
            let place = AnswerPlace { Task { @MainActor in self.drawings.leave(owner) } }
            var page = await answer()
            page.place = place
            return page
        }
    }
#endif
