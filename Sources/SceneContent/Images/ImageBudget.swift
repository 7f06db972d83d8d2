/// What the images of a content take, as its blocks say it.
struct ImageBudget {
    private var count = 0
    private var bytes = 0
    private var hashes: Set<String> = []

    /// Takes the image of a block.
    /// - Returns: why it is not shown; `nil` if it is, and for a block of another type.
    mutating func excess(of block: ContentNode) -> String? {
        guard block["type"]?.text == ImageBlock.type, let image = ImageBlock(block) else { return nil }
        do throws(ImageProblem) {
            try add(image)
            return nil
        } catch {
            return error.description
        }
    }

    private mutating func add(_ image: ImageBlock) throws(ImageProblem) {
        guard image.size <= ContentBounds.image else { throw .tooLarge(bytes: image.size) }
        guard image.width <= ContentBounds.pixels / image.height else {
            throw .tooManyPixels(width: image.width, height: image.height)
        }
        guard count < ContentBounds.images else { throw .tooMany }
        // The same image is fetched once, however often it is shown.
        let added = hashes.contains(image.hash) ? 0 : image.size
        guard bytes + added <= ContentBounds.imageBytes else { throw .tooLargeTogether }
        hashes.insert(image.hash)
        count += 1
        bytes += added
    }
}
