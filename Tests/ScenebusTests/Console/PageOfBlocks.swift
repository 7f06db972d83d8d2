// A build without the trait has no console.
#if Console
    /// A suite whose tests use the page of a scene of blocks: how its parts are found there.
    protocol PageOfBlocks {}

    extension PageOfBlocks {
        /// The selector of a field.
        func field(_ name: String) -> String { "[name='field.\(name)']" }
        /// The selector of an action's button that is seen; a form may begin with an unseen one, for Enter.
        func button(_ name: String) -> String { "button[value='\(name)']:not(.default)" }
        /// A script that tells whether the scene's facts show a text.
        func shows(_ text: String) -> String { "document.querySelector('.facts').innerText.includes('\(text)')" }
    }
#endif
