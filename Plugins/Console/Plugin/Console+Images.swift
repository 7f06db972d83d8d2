#if Console
    import ConsoleModel
    import ConsolePages

    /// The images of scenes, for those who may see the scenes.
    extension Console {
        func image(_ hash: String, of visit: SceneVisit, _ head: RequestHead) async -> ConsoleAnswer {
            if let image = images.find(hash, of: visit.session) { return .image(image.bytes, image.mediaType) }
            // Whose page has just been loaded asks for what it shows.
            if watching.hasShown(image: hash, in: visit.session) { return await fetch(hash, of: visit, head) }
            return await withScene(visit, head) { channel in
                let newest = await watching.first(of: channel)
                if channel.hasShown(image: hash) { return await fetch(hash, of: visit, head) }
                // The scene's worker is not asked for hashes that somebody has made up.
                return newest == nil && channel.ended != .closed ? notNow(head) : message(.notFound, 404, head)
            }
        }

        private func fetch(_ hash: String, of visit: SceneVisit, _ head: RequestHead) async -> ConsoleAnswer {
            switch await images.image(hash, of: visit.session, for: visit.reader.digest) {
            case .image(let image): .image(image.bytes, image.mediaType)
            case .missing: message(.notFound, 404, head)
            case .wrong(let reason): refusal(reason, 502, head)
            case .unavailable: notNow(head)
            }
        }

        private func notNow(_ head: RequestHead) -> ConsoleAnswer {
            refusal("The image cannot be loaded now. Load the page again.", 503, head)
        }
    }
#endif
