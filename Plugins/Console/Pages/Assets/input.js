// What the reader does: actions, keys, and the way back.

const notice = document.getElementById("notice");
const say = (text) => {
  if (notice) notice.textContent = text;
};

addEventListener("input", ({ target }) => {
  if (!scene || !scene.contains(target) || !isField(target)) return;
  type(target);
  tellSoon();
});
addEventListener("focusout", ({ target }) => (typed.get(target) === null ? tell() : settle(target)));
if (notice) notice.addEventListener("click", () => say(""));

addEventListener("submit", (event) => {
  if (!scene || !scene.contains(event.target) || !event.submitter) return;
  event.preventDefault();
  act(event.target, event.submitter);
});

function ask(question, button) {
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  form.method = "dialog";
  const text = document.createElement("p");
  text.dir = "auto";
  text.textContent = question;
  text.id = "question";
  dialog.setAttribute("aria-labelledby", text.id);
  const choices = ["", "yes"].map((value) => {
    const choice = document.createElement("button");
    choice.value = value;
    choice.dir = "auto";
    choice.textContent = value ? button.textContent || "Yes" : "Cancel";
    choice.className = value ? button.className : "plain";
    return choice;
  });
  form.append(text, ...choices);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue === "yes");
    });
  });
}

const press = (button) => button.form.requestSubmit(button);

function backButton() {
  const layer = topLayer();
  return layer && layer.querySelector("[data-back]:not(:disabled)");
}

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const layer = topLayer();
  if (!layer || !layer.matches(".sheet")) return;
  const dismiss = [...layer.querySelectorAll(".action button:enabled")].find((button) => button.value === "dismiss");
  const button = backButton() || dismiss;
  if (button) press(button);
});

// One level up: the scene's way back, where it has one, and the page above this one.
addEventListener("keydown", (event) => {
  if (event.key !== "ArrowUp" || !event.altKey || event.isComposing || isField(event.target) || document.querySelector("dialog[open]")) return;
  const [back, up] = [backButton(), document.querySelector("[data-up]")];
  if (!back && !up) return;
  event.preventDefault();
  if (back) press(back);
  else up.click();
});

// The browser's way back is the scene's, where it has one: an entry of the history of this page stands before it.

let isLeaving = false;

function guardBack() {
  const isGuarded = history.state && history.state.layer;
  if (backButton()) {
    if (isGuarded) return;
    // On the way from one entry of the same page to the other, the browser leaves the page where its reader has scrolled it to.
    history.scrollRestoration = "manual";
    history.pushState({ layer: key(topLayer()) }, "");
  } else if (isGuarded && !isLeaving) {
    isLeaving = true;
    history.back();
  }
}

addEventListener("popstate", () => {
  if (isLeaving) {
    isLeaving = false;
    if (backButton()) guardBack();
    return;
  }
  const button = backButton();
  if (history.state && history.state.layer) guardBack();
  else if (button) press(button);
});

// A page of the application, and a message on a wall, is loaded again from time to time, while somebody sees it.

const overview = document.querySelector("main[data-reload]");

async function reload() {
  if (document.hidden || hasEnded) return;
  try {
    const response = await fetch(location.pathname + location.search, { signal: AbortSignal.timeout(10000) });
    if (response.status === 401) return leave();
    if (!response.ok) throw new Error(response.status);
    const text = await response.text();
    if (hasEnded) return;
    morph(overview, need(parse(text).querySelector("main")));
    showLoss(null);
  } catch {
    if (!root.hasAttribute("data-lost")) showLoss("Reconnecting", " since " + timeText(new Date()) + " · what you see is older");
  }
}

// A page in the background has no stream. It says from time to time that it is still open, so that neither its login nor the
// session that it shows ends for want of use.

const stayAddress = scene ? scene.dataset.events.replace(/events$/, "stay") : "/stay";
let stayTimer = 0;

function stay() {
  clearTimeout(stayTimer);
  if (!document.hidden || hasEnded) return;
  // Pages that were left in the same moment do not all come in one.
  stayTimer = setTimeout(async () => {
    const answer = await fetch(stayAddress, { method: "HEAD", signal: AbortSignal.timeout(30000) }).catch(() => null);
    if (answer && answer.status === 401) leave();
    stay();
  }, (15 + 15 * Math.random()) * 60000);
}

// Whoever has another login in this browser by now does not see what a page of the last one shows.
if ((scene || overview) && root.dataset.token && !isWall) {
  const logins = new BroadcastChannel("scenebus");
  logins.addEventListener("message", ({ data }) => data !== root.dataset.token && leave());
  logins.postMessage(root.dataset.token);
}

writeTimes(document);
// A screen on a wall has no login that could end.
if ((scene || overview) && !isWall) {
  document.addEventListener("visibilitychange", stay);
  stay();
}
if (overview) {
  setInterval(isWall ? reloadPage : reload, 5000);
  // A page in the background asks for nothing, and is new as soon as somebody sees it.
  if (!isWall) document.addEventListener("visibilitychange", reload);
}
if (scene) {
  restoreDrafts();
  tellLater();
  follow(null);
  connect();
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : connect()));
  addEventListener("pagehide", () => {
    // There is no time to wait for the answer to an earlier one.
    tellAll();
    close();
    // Who loads this page again, or comes back to it, finds it where it was.
    history.scrollRestoration = "auto";
  });
  addEventListener("pageshow", (event) => event.persisted && connect());
  addEventListener("online", connect);
}
