#if Console
    import ConsoleModel
    import ConsolePages

    /// The images of scenes, for those who may see the scenes.
    extension Console {
        func image(_ hash: String, of session: String, _ head: RequestHead) async -> ConsoleAnswer {
            switch await images.image(hash, of: session) {
            case .image(let image): .image(image.bytes, image.mediaType)
            case .missing: message(.notFound, 404, head)
            case .wrong(let reason): refusal(reason, 502, head)
            case .unavailable: refusal("The image cannot be loaded now. Load the page again.", 503, head)
            }
        }
    }
#endif
