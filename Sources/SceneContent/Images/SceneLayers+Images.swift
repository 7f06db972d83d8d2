extension SceneLayers {
    /// The hashes of the images that the content names.
    package var imageHashes: Set<String> {
        var hashes: Set<String> = []
        for layer in layers {
            for block in (layer.node["blocks"]?.map ?? [:]).values where block["type"]?.text == ImageBlock.type {
                if let hash = block["hash"]?.text { hashes.insert(hash) }
            }
        }
        return hashes
    }
}
