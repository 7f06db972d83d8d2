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
addEventListener("focusout", ({ target }) => typed.get(target) === null && tell());
if (notice) notice.addEventListener("click", () => say(""));

addEventListener("submit", (event) => {
  if (!scene || !scene.contains(event.target) || !event.submitter) return;
  event.preventDefault();
  act(event.target, event.submitter);
});

// What was typed goes to the scene a moment later: others see it, and it is there when this browser is not. What did not arrive
// goes again when the page hears from the scene.

let telling = Promise.resolve();
let tellTimer = 0;

function tellSoon() {
  clearTimeout(tellTimer);
  tellTimer = setTimeout(tell, 250);
}

function tellLater() {
  if (!tellTimer && fieldsOf(null).length) tellSoon();
}

// Tells the scene what was typed, one message at a time. Before an action, this is all but what its form sends itself.
function tell(except) {
  clearTimeout(tellTimer);
  tellTimer = 0;
  return (telling = telling.then(() => tellAll(except)));
}

async function tellAll(except) {
  // An input method has not finished with its field, and a sheet stands before those of other layers.
  const isReady = (field) => field.isConnected && !isPrivate(field) && field !== composing && !field.closest("[inert]");
  // An action may empty the fields, and what is typed while it is on its way comes after it.
  const isWaiting = (form) => (except ? form === except : form.querySelector("[aria-busy]"));
  const ready = fieldsOf(null).filter((field) => isReady(field) && !isWaiting(field.form));
  ready.filter(isOld).forEach(giveWay);
  const fields = ready.filter((field) => typed.has(field));
  for (const form of new Set(fields.map((field) => field.form))) {
    const own = fields.filter((field) => field.form === form);
    const body = bodyOf(form, own);
    const sending = sendingOf(own);
    const answer = await post(form.getAttribute("action").replace(/act$/, "fill"), body);
    if (answer && answer.accepted) {
      stored(sending);
      continue;
    }
    takeBack(sending, true);
    // These do not pass by themselves.
    if (answer && [401, 403].includes(answer.status)) say(answer.reason);
  }
}

// What a form posts: what was typed. Its other fields are as the scene says.
function bodyOf(form, fields) {
  const body = new URLSearchParams();
  for (const { name, value } of form.querySelectorAll("input[type=hidden]")) body.set(name, value);
  for (const field of fields) body.set(field.name, field.type === "checkbox" && !field.checked ? "" : field.value);
  body.set("token", root.dataset.token);
  return body;
}

async function act(form, pressed) {
  if (pressed.hasAttribute("aria-busy")) return;
  const question = pressed.dataset.confirm;
  // Enter presses a button that nobody sees, for another one.
  const buttons = [...form.elements].filter((one) => one.type === "submit" && one.value === pressed.value);
  if (question && !(await ask(question, buttons[buttons.length - 1]))) return;
  for (const one of buttons) one.setAttribute("aria-busy", "true");
  acts();
  // What was typed before must not arrive after the action.
  await tell(form);
  const problem = await perform(form, pressed, question);
  for (const one of buttons) one.removeAttribute("aria-busy");
  hasActed(problem === null);
  if (problem) {
    say(problem.reason);
    guardBack();
  }
  tellLater();
}

// Returns why an action was not performed; null if it was performed.
async function perform(form, pressed, question) {
  const fields = [...form.elements].filter((field) => isField(field) && isTyped(field));
  const old = fields.filter(isOld);
  old.forEach(giveWay);
  // The reader wanted to send something else.
  if (old.length) return { reason: "This was not done: what you typed was changed meanwhile. Look at it, and try again." };
  const sending = sendingOf(fields);
  const body = bodyOf(form, fields);
  body.set("action", pressed.value);
  body.set("identifier", newIdentifier());
  if (question) body.set("confirmed", "1");
  say("");
  const problem = await send(form.getAttribute("action"), body);
  if (problem) {
    if (problem.isRefused) emptySecrets(sending);
    takeBack(sending, !problem.isRefused);
  } else if (pressed.hasAttribute("data-stays")) stored(sending);
  else used(sending);
  return problem;
}

// What tells an act from others, so that it is done once, however often it is posted.
const newIdentifier = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// How long an act is posted again, in milliseconds. The host knows it for longer.
const sendTime = 120000;

// Returns why an action was not performed, and whether it was refused; null if it was performed.
async function send(address, body) {
  const end = Date.now() + sendTime;
  for (let delay = 500; ; delay = Math.min(2 * delay, 10000)) {
    const answer = await post(address, body);
    if (answer && !answer.again) {
      say("");
      return answer.accepted ? null : { reason: answer.reason || "This was refused.", isRefused: true };
    }
    if (Date.now() > end) return { reason: "No answer came, so this may or may not have been done. What you typed is still here." };
    say("Still sending…");
    await new Promise((done) => setTimeout(done, delay));
  }
}

// Returns the answer to a form, with its status; null if none came.
async function post(address, body) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body,
      signal: AbortSignal.timeout(30000),
      // It arrives also if the page is left now. A browser does this for small forms only.
      keepalive: body.toString().length < 30000,
    });
    return { ...(await response.json()), status: response.status };
  } catch {
    return null;
  }
}

function ask(question, button) {
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  form.method = "dialog";
  const text = document.createElement("p");
  text.dir = "auto";
  text.textContent = question;
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
    if (!isGuarded) history.pushState({ layer: key(topLayer()) }, "");
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
  if (document.hidden) return;
  try {
    const response = await fetch(location.pathname + location.search, { signal: AbortSignal.timeout(10000) });
    if (response.status === 401) return void showLoss("You are no longer logged in", "");
    if (!response.ok) throw new Error(response.status);
    morph(overview, need(parse(await response.text()).querySelector("main")));
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
    await fetch(stayAddress, { method: "HEAD", signal: AbortSignal.timeout(30000) }).catch(() => {});
    stay();
  }, (15 + 15 * Math.random()) * 60000);
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
    tell();
    close();
  });
  addEventListener("pageshow", (event) => event.persisted && connect());
  addEventListener("online", connect);
}
