#if Console
    import Bus
    import CBOR
    import ConsoleModel
    import ConsolePages
    import Messaging
    import Monotonic
    import SceneContent

    extension Console {
        /// A form was not read.
        func refuse(_ problem: BodyProblem, of head: RequestHead, from visit: FormVisit) -> ConsoleAnswer {
            leave(visit)
            switch problem {
            case .tooLarge: return refusal("The form is too large.", 413, head)
            case .lost: return busy("The form did not arrive in time.", 408, head)
            }
        }

        /// Does what a form asks for.
        func take(_ body: [UInt8], of head: RequestHead, from visit: FormVisit) async -> ConsoleAnswer {
            let form: FormValues
            do {
                // What is done then may wait for a scene that does not answer, and nobody else's form waits for that.
                defer { leave(visit) }
                guard head.isForm else { return refusal("A form is expected.", 415, head) }
                form = try await Self.read(body)
            } catch {
                return refusal(error.description, 400, head)
            }
            if let refusal = refusal(of: form, from: visit, head) { return refusal }
            switch visit.purpose {
            case .act(let scene):
                guard let posted = PostedAction(form: form.pairs) else {
                    return refusal("The form names no action.", 400, head)
                }
                let id = identifier(of: form, from: scene)
                return await act(for: visit.owner, in: scene.session, head) {
                    await perform(posted, as: id, in: scene, head)
                }
            case .fill(let scene):
                let posted = PostedFields(form: form.pairs)
                return await act(for: visit.owner, in: scene.session, head) { await fill(posted, in: scene, head) }
            case .open(let configuration):
                return await act(for: visit.owner, head) { await open(configuration, for: visit.browser, head) }
            case .close(let session):
                return await act(for: visit.owner, head) { await close(session, for: visit.browser, head) }
            case .logout: return logOut(visit.browser, isConfirmed: form["confirmed"] != nil, head)
            case .logIn: return await logIn(visit, with: form, head)
            }
        }

        /// Refuses a form that no page of its browser has posted, or whose browser may post none any more.
        private func refusal(of form: FormValues, from visit: FormVisit, _ head: RequestHead) -> ConsoleAnswer? {
            // Before a login there is no token.
            if case .logIn = visit.purpose { return nil }
            guard visit.browser.isFormToken(form["token"] ?? "") else {
                return refusal("The page is of an earlier login. Load it again.", 403, head)
            }
            // While the form arrived, its browser may have been logged out, or its screen's key revoked: whose act it is would not be known.
            guard walls[visit.browser.digest] != nil || isLoggedIn(visit.browser.digest, at: now) else {
                return head.isOfWall ? message(.noKey, 403, head) : notLoggedIn(.notLoggedIn, head)
            }
            return nil
        }

        /// Does what may wait for the host, unless too much does so already. A scene that does not answer stops what is done in it, and
        /// nothing elsewhere.
        /// - Parameter session: the session whose scene it waits for; `nil` for none.
        private func act(
            for owner: PlaceOwner, in session: String? = nil, _ head: RequestHead,
            _ act: @MainActor () async -> ConsoleAnswer
        ) async -> ConsoleAnswer {
            if let session, sceneActs.take(session) != nil {
                return busy("This scene has much to do. Try again.", 503, head)
            }
            defer { if let session { sceneActs.leave(session) } }
            switch acts.take(owner) {
            case .own: return busy("You do too much at once. Try again.", 429, head)
            case .all: return busy("The console is busy. Try again.", 503, head)
            case nil: break
            }
            defer { acts.leave(owner) }
            return await act()
        }

        /// Reads a form beside the main actor: one can have a megabyte.
        @concurrent private nonisolated static func read(
            _ body: [UInt8]
        ) async throws(FormValues.Problem) -> FormValues {
            try FormValues(body)
        }

        private func leave(_ visit: FormVisit) {
            if case .logIn = visit.purpose {
                passwordForms.leave(visit.owner)
            } else {
                forms.leave(visit.owner)
            }
        }

        /// - Parameter isConfirmed: whether the reader knows that the browser's own sessions are not found again.
        private func logOut(_ browser: ConsoleToken, isConfirmed: Bool, _ head: RequestHead) -> ConsoleAnswer {
            let sessions = own.sessions(of: browser.digest)
            if !sessions.isEmpty, !isConfirmed, !head.wantsJSON {
                let page = LeavePage(
                    sessions.map { .init($0.id, configuration: $0.configuration) },
                    rest: Quantity.seconds(settings.own.restSeconds).text)
                return .page(page.html(in: frame(browser)))
            }
            logins.logOut(browser.digest)
            watching.end(streamsOf: browser.digest, "You have logged out.")
            save()
            // The next reader of this browser does not see what was typed.
            return notLoggedIn(.loggedOut, head).with("Set-Cookie", cookie.taking)
                .with("Clear-Site-Data", "\"storage\"")
        }

        /// Passes on what was typed and not sent yet.
        private func fill(_ posted: PostedFields, in visit: SceneVisit, _ head: RequestHead) async -> ConsoleAnswer {
            guard visit.view.access == .use else { return refusal("You may look, but not act.", 403, head) }
            return await withScene(visit, head) { await fill(posted, in: visit, on: $0) }
        }

        private func fill(
            _ posted: PostedFields, in visit: SceneVisit, on channel: SceneChannel
        ) async -> ConsoleAnswer {
            guard let layer = await watching.first(of: channel)?.picture.layers.top, layer.key == posted.layer else {
                if case .failed(let reason) = channel.ended { return .json(.refused(reason: reason), status: 409) }
                return .json(.unanswered(reason: "The screen has changed meanwhile."), status: 503)
            }
            let fields = posted.typed(in: layer)
            do {
                if !fields.isEmpty {
                    try await chain(actingFor: visit.user).hostSceneFill(
                        session: visit.session, layer: layer.key, fields: fields)
                }
            } catch {
                let reason = error.words
                return Self.passes(error)
                    ? .json(.unanswered(reason: reason), status: 503) : .json(.refused(reason: reason), status: 409)
            }
            return .json(.accepted, status: 200)
        }

        /// Whether an error passes by itself, so that the same may be asked again later.
        private static func passes(_ error: any Error) -> Bool {
            if let error = error as? MessageError {
                return [.timeout, .overloaded, .draining, .peerLost].contains(error.code)
            }
            let code = (error as? RemoteError)?.sceneCommandCode
            return code.map { [.notConnected, .suspended, .overloaded, .staleToken].contains($0) } ?? false
        }

        /// What identifies an act, in each life of the console: a form that is posted again is the same act, and one that says anything else
        /// is another. A page that does not identify its forms posts a new one each time.
        private func identifier(of form: FormValues, from visit: SceneVisit) -> MessageID {
            guard let posted = form["identifier"], !posted.isEmpty else { return .new() }
            let texts = form.pairs.filter { $0.name != "token" }.sorted { $0.name < $1.name }
                .flatMap { [$0.name, $0.value] }
            let digits = visit.reader.identifier(of: [visit.session] + texts)
            guard let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.dropFirst(16), radix: 16)
            else {
                return .new()
            }
            return MessageID(high: high, low: low)
        }

        /// How long the host may take to perform an action. The page's script waits a little longer.
        private static let actTime = Duration.seconds(25)
        private static let tookTooLong =
            "This took too long, and may have been done in part. Look at the screen before you try again."

        private func perform(
            _ posted: PostedAction, as id: MessageID, in visit: SceneVisit, _ head: RequestHead
        ) async -> ConsoleAnswer {
            guard visit.view.access == .use else { return refusal("You may look, but not act.", 403, head) }
            return await withScene(visit, head) { await perform(posted, as: id, in: visit, on: $0, head) }
        }

        private func perform(
            _ posted: PostedAction, as id: MessageID, in visit: SceneVisit, on channel: SceneChannel,
            _ head: RequestHead
        ) async -> ConsoleAnswer {
            // Without a layer, nothing is known of the screen yet, so nothing can be said of an act in it.
            guard let newest = await watching.first(of: channel), let layer = newest.picture.layers.top else {
                switch channel.ended {
                case .closed: return message(.notFound, 404, head)
                // Posted again, it would come to the same. An earlier copy may have been performed.
                case .failed(let reason): return message(.notShown(reason), 503, head)
                case nil: return busy("The scene cannot be reached now. Try again.", 503, head)
                }
            }
            let accepted: ConsoleAnswer =
                head.wantsJSON ? .json(.accepted, status: 200) : .redirect(to: visit.view.address.path)
            func refused(_ reason: String, isKnown: Bool = true) async -> ConsoleAnswer {
                guard !head.wantsJSON else {
                    return .json(isKnown ? .refused(reason: reason) : .unsure(reason: reason), status: 409)
                }
                let shown = channel.newest ?? newest
                let page = ScenePage(
                    address: visit.view.address, picture: shown.picture, access: visit.view.access,
                    revision: shown.revision, company: company(of: channel, for: visit), notice: reason,
                    typed: posted.fields(of: layer, isWhole: true).plain,
                    // Whoever presses again what may have been done means the same act.
                    identifier: isKnown ? Self.newIdentifier : posted.identifier)
                let frame = frame(visit)
                return await .drawn { .page(page.html(in: frame), status: 409) }
            }
            let start = clock.now()
            func failed(_ error: any Error) async -> ConsoleAnswer {
                let lost = error as? MessageError
                // Only whoever has waited for the whole time knows nothing. Earlier, the host says that the act was ended for its time.
                let isUnknown = lost?.code == .draining || lost?.code == .timeout && clock.now() - start >= Self.actTime
                if isUnknown, head.wantsJSON { return busy(error.words, 503, head) }
                let wasEnded = (error as? RemoteError)?.type == "\(CancellationError.self)"
                if wasEnded || lost?.code == .timeout && lost?.mayHaveBeenHandled == true {
                    return await refused(Self.tookTooLong, isKnown: false)
                }
                let isKnown = lost?.mayHaveBeenHandled != true || lost?.outdated != nil
                return await refused(error.words, isKnown: isKnown)
            }
            // What was typed for one screen must not go to another one.
            guard posted.layer == nil || posted.layer == layer.key else {
                do {
                    // The screen may have changed because this was done already. With no layer, the host does nothing anew.
                    try await chain(actingFor: visit.user).within(Self.actTime).identified(by: id).hostScenePerform(
                        session: visit.session, layer: "", action: posted.action, fields: [:])
                    return accepted
                } catch let error as MessageError {
                    return await failed(error)
                } catch {
                    return await refused("The screen has changed meanwhile. Look at it, and try again.")
                }
            }
            if let action = layer.action(named: posted.action), !action.confirmation.isEmpty, !posted.isConfirmed {
                guard !head.wantsJSON else { return await refused(action.confirmation) }
                let page = ConfirmationPage(
                    address: visit.view.address, action: action, posted: posted, layer: layer)
                let frame = frame(visit)
                return await .drawn { .page(page.html(in: frame)) }
            }
            let before = channel.newest?.revision
            do {
                let (plain, secrets) = posted.fields(of: layer, isWhole: !head.wantsJSON)
                try await chain(actingFor: visit.user).within(Self.actTime).identified(by: id).hostScenePerform(
                    session: visit.session, layer: layer.key, action: posted.action,
                    fields: ActionFields(plain, secrets: secrets.mapValues { Secret($0) }))
            } catch {
                return await failed(error)
            }
            // A page without a script is loaded anew, and shows what the action has changed.
            if !head.wantsJSON { await watching.change(of: channel, after: before) }
            return accepted
        }

        /// What a page posts with its forms: see ``ScenePage/identifier``.
        static var newIdentifier: String { MessageID.new().description }
    }

    extension ContentLayer {
        /// The action of a name, with what the user is asked before.
        fileprivate func action(named name: String) -> ActionBlock? {
            if let back, back.name == name { return back }
            for case (_, .action(let action)) in blocks where action.name == name { return action }
            return nil
        }
    }
#endif
