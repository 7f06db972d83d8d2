// What forms post: what was typed, and actions.

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

// Tells the scene what was typed, one message of a form at a time. Before an action, this is all but what its form sends itself.
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
  // There may be something newer in the scene.
  if (isBehind || (heardAt && !isHeard())) return ready.forEach(lost);
  ready.filter(isOld).forEach(giveWay);
  const fields = ready.filter((field) => typed.has(field));
  const forms = [...new Set(fields.map((field) => field.form))];
  await Promise.all(forms.map((form) => tellForm(form, fields.filter((field) => field.form === form))));
}

async function tellForm(form, fields) {
  const body = bodyOf(form, fields);
  const sending = sendingOf(fields);
  const answer = await post(form.getAttribute("action").replace(/act$/, "fill"), body);
  if (answer && answer.accepted) {
    stored(sending);
    sayRefusal("");
    return;
  }
  takeBack(sending, true);
  // Others pass by themselves.
  const lasts = answer && !answer.again && answer.status < 429;
  if (lasts && fields.some((field) => field.isConnected)) sayRefusal(answer.reason);
}

// Why the scene does not take what was typed. It is said once, however often the same is told again.
let refusal = "";

function sayRefusal(reason = "") {
  if (reason === refusal) return;
  if (reason || (notice && notice.textContent === refusal)) say(reason);
  refusal = reason;
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
  let body = bodyOf(form, fields);
  body.set("action", pressed.value);
  if (question) body.set("confirmed", "1");
  body.set("identifier", newIdentifier());
  const act = body.get("layer") + " " + pressed.value;
  // What was typed for it may be the scene's meanwhile, and is posted again all the same.
  if (unsure.has(act) && isSame(unsure.get(act), form, fields)) body = unsure.get(act);
  say("");
  const problem = await send(form.getAttribute("action"), body);
  if (problem && !problem.isRefused && !hasEnded) unsure.set(act, body);
  else unsure.delete(act);
  if (problem) {
    if (problem.isRefused) emptySecrets(sending);
    takeBack(sending, !problem.isRefused);
  } else if (pressed.hasAttribute("data-stays")) stored(sending);
  else used(sending);
  return problem;
}

// What was posted for acts that may have been done, by their layers and names. Whoever presses again means the same act.
const unsure = new Map();

// Whether the fields still have what was posted, and nothing else was typed.
function isSame(body, form, fields) {
  const has = (field) => body.get(field.name) === (field.type === "checkbox" && !field.checked ? "" : field.value);
  return fields.every(has) && [...form.elements].every((field) => !isField(field) || !body.has(field.name) || has(field));
}

// What tells an act from others, so that it is done once, however often it is posted.
const newIdentifier = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// How long an act is posted again, in milliseconds. The host knows it for longer.
const sendTime = 120000;

// Returns why an action was not performed, and whether it is known that it was not; null if it was performed.
async function send(address, body) {
  const end = Date.now() + sendTime;
  let isKnown = true;
  for (let delay = 500; ; delay = Math.min(2 * delay, 10000)) {
    const answer = await post(address, body);
    if (answer && !answer.again) {
      say("");
      if (answer.accepted) return null;
      const reason = answer.reason || "This was refused.";
      if (answer.unsure) return { reason: reason + " Look whether it was done. To do it again, load the page again." };
      // Only the scene knows what became of an act that was posted before.
      const isRefused = isKnown || answer.status === 409;
      return { reason: isRefused ? reason : reason + " It may have been done before. Press again to ask: it is done once.", isRefused };
    }
    isKnown = false;
    if (Date.now() > end) return { reason: "No answer came, so this may or may not have been done. Press again to ask: it is done once." };
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
    if (response.status === 401) leave();
    return { ...(await response.json()), status: response.status };
  } catch {
    return null;
  }
}
