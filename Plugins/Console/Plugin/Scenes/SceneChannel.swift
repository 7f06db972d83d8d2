#if Console
    import ConsoleModel
    import NIOCore

    /// The pictures of one scene, as its streams write them.
    typealias SceneChannel = PictureChannel<ByteBuffer>
#endif
