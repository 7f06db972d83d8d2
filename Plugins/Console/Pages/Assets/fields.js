// The script of the console's pages, in five files that are sent as one. This one has the fields and the times.
"use strict";
const root = document.documentElement;
const scene = document.getElementById("scene");
// Nobody stands before a screen on a wall who would load it again, so its page never gives up.
const isWall = root.classList.contains("wall");

const key = (node) => (node.nodeType === 1 ? node.getAttribute("data-key") : null);
const layerOf = (node) => node.closest(".layer");

// Times are written for the reader's zone and language.

const timeFormat = (options) => new Intl.DateTimeFormat(undefined, options);
const timeOfDay = timeFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayOfYear = timeFormat({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const fullDate = timeFormat({ dateStyle: "medium", timeStyle: "short" });
const exactDate = timeFormat({ dateStyle: "full", timeStyle: "long" });

function timeText(date) {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return timeOfDay.format(date);
  return (date.getFullYear() === now.getFullYear() ? dayOfYear : fullDate).format(date);
}

// A time of today says no date, so all are written again on the next day.
let writtenOn = new Date().toDateString();

function checkDay() {
  const today = new Date().toDateString();
  if (today === writtenOn) return;
  writtenOn = today;
  writeTimes(document);
}

function writeTimes(parent) {
  for (const element of parent.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    if (isNaN(date)) continue;
    element.title = exactDate.format(date);
    element.textContent = timeText(date);
  }
}

// What a field has, and what the scene says that it has.

const isField = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node.nodeName) && node.type !== "hidden";
const content = (field) => (field.type === "checkbox" ? String(field.checked) : field.value);
const choice = (field, value) => [...field.options].find((option) => option.value === value);

function contentOfScene(field) {
  if (field.type === "checkbox") return String(field.defaultChecked);
  if (field.nodeName === "TEXTAREA") return field.defaultValue.replace(/\r\n?/g, "\n");
  if (field.nodeName !== "SELECT") return field.defaultValue;
  const option = [...field.options].find((option) => option.defaultSelected) || field.options[0];
  return option ? option.value : "";
}

function setContent(field, value) {
  if (field.type === "checkbox") field.checked = value === "true";
  else if (field.nodeName !== "SELECT" || choice(field, value)) field.value = value;
}

// A field is as the scene says, or it is here. Then it was typed into, and has null until that is sent, and after that its
// sending. Pictures leave it alone until the scene has stored what was sent. The next value that the scene says is newer, then,
// and the field is the scene's again.

const typed = new Map();
// When, what, which values of the scene are no newer than it, and whether it could not be told. The last field is its
// reader's also after the scene has stored it.
const typing = new WeakMap();
let lastTyped = null;

// Also of what the browser itself has entered.
const isTyped = (field) => typed.has(field) || content(field) !== contentOfScene(field);
// It goes with an action, and nowhere else.
const isPrivate = (field) => field.hasAttribute("data-private");
const fieldsOf = (sending) => [...typed.keys()].filter((field) => typed.get(field) === sending);

// The field is its reader's from now on.
function take(field) {
  const one = typing.get(field) || { known: new Set() };
  if (!typed.has(field)) one.isLost = false;
  typing.set(field, one);
  typed.set(field, null);
  know(field, contentOfScene(field));
}

// A scene that was lost may come back with one of the values before its last.
function know(field, value) {
  const { known } = typing.get(field);
  known.delete(value);
  known.add(value);
  if (known.size > 20) known.delete(known.values().next().value);
}

function type(field) {
  take(field);
  Object.assign(typing.get(field), { at: Date.now(), text: content(field) });
  lastTyped = field;
  keepDrafts();
}

function sendingOf(fields) {
  const sending = { isStored: false, isUsed: false };
  for (const field of fields) {
    if (!typed.has(field)) take(field);
    typed.set(field, sending);
    // It may arrive though no answer does.
    know(field, content(field));
  }
  return sending;
}

// What was sent was refused, or is lost: then somebody may write something newer before it is sent again.
function takeBack(sending, isLost) {
  for (const field of fieldsOf(sending)) {
    typed.set(field, null);
    if (isLost) lost(field);
  }
}

function lost(field) {
  typing.get(field).isLost = true;
}

// Whether the scene has a value that is newer than what was typed and could not be told.
function isOld(field) {
  if (typed.get(field) !== null) return false;
  const { isLost, known } = typing.get(field);
  const shown = contentOfScene(field);
  return isLost && !known.has(shown) && shown !== content(field);
}

// What was typed gives way to the scene's value, and the page says what it was.
function giveWay(field) {
  tellGone(field, "was changed meanwhile");
  typed.delete(field);
  setContent(field, contentOfScene(field));
  keepDrafts();
}

// The scene has seen the secrets and refused them. They do not stay for whoever comes to the page next.
function emptySecrets(sending) {
  for (const field of fieldsOf(sending)) {
    if (field.type !== "password") continue;
    typed.delete(field);
    setContent(field, "");
  }
}

function stored(sending) {
  sending.isStored = true;
  for (const field of fieldsOf(sending)) {
    typing.get(field).isLost = false;
    if (content(field) === contentOfScene(field)) typed.delete(field);
  }
  keepDrafts();
}

// An action has used what it sent: the fields are as the next picture says, or as the last one said if none comes.
function used(sending) {
  sending.isUsed = true;
  setTimeout(() => isHeard() && release(), 400);
}

function release() {
  for (const [field, sending] of typed) {
    if (!sending || !sending.isUsed) continue;
    typed.delete(field);
    setContent(field, contentOfScene(field));
  }
  keepDrafts();
}

// Whether the scene has the number that is typed, perhaps written another way.
function isSameNumber(field) {
  const text = content(field).trim().replace(",", ".");
  return field.inputMode === "decimal" && text !== "" && Number(text) === Number(contentOfScene(field));
}

// Whoever leaves a field sees its number as the scene writes it.
function settle(field) {
  if (!typed.get(field)?.isStored || !isSameNumber(field)) return;
  typed.delete(field);
  setContent(field, contentOfScene(field));
  keepDrafts();
}

// After a picture: the fields of other screens are gone, with what was typed there.
function forgetOthers() {
  for (const field of new Set([...typed.keys(), lastTyped])) {
    if (!field || field.isConnected) continue;
    const { at = 0, text } = typing.get(field) || {};
    // It is in the scene, or has gone with the action. A secret does that and nothing else.
    const isKept = typed.get(field) !== null || field.type === "password";
    if (!(isKept && isLeft(at)) && (typed.has(field) || text === content(field))) tellGone(field);
    typed.delete(field);
    if (field === lastTyped) lastTyped = null;
  }
}

// The reader's own action takes away what was typed before it: its picture comes before its answer, or soon after.
let [actedAt, actedUntil] = [0, 0];
const isLeft = (at) => Date.now() < actedUntil && at <= actedAt;

function acts() {
  [actedAt, actedUntil] = [Date.now(), Infinity];
}

function hasActed(isDone) {
  actedUntil = isDone ? Date.now() + 2000 : 0;
  if (isDone && lastTyped && typing.get(lastTyped).at <= actedAt) lastTyped = null;
}

// Says that the scene has taken a field away under its reader, or what it had, with the text, so that it is not lost. On a wall,
// it would stand there for everybody.
function tellGone(field, how = "is gone") {
  const text = content(field);
  if (isWall || !text.trim() || /^(checkbox|select-one)$/.test(field.type)) return;
  let gone = document.getElementById("gone");
  if (!gone) {
    gone = document.createElement("div");
    gone.id = "gone";
    gone.setAttribute("role", "status");
    const close = document.createElement("button");
    close.className = "plain";
    close.textContent = "Close";
    close.addEventListener("click", () => gone.remove());
    gone.append(close);
    document.body.append(gone);
  }
  const line = document.createElement("p");
  const label = field.closest(".field")?.querySelector("label")?.textContent.replace(/ \*$/, "");
  const name = label ? "The field “" + label + "”" : "This field";
  // Nobody may see a secret.
  const isSecret = field.type === "password";
  line.textContent = name + " " + how + (isSecret ? ", with what you typed." : "; what you typed: ");
  if (!isSecret) line.append(Object.assign(document.createElement("bdi"), { textContent: text }));
  gone.lastChild.before(line);
}

// What was typed is not for the next reader.
function forgetAll() {
  typed.clear();
  unsure.clear();
  lastTyped = null;
  document.getElementById("gone")?.remove();
  keepDrafts();
}

// What was typed is kept for a reload of the page in the same login, with the value in place of which it was typed: it never
// takes the place of a newer one.

const draftsOfLogin = "scenebus " + root.dataset.token;
const draftsName = draftsOfLogin + location.pathname;
const draftName = (field) => key(layerOf(field)) + " " + key(field);
let areRestored = false;

function keepDrafts() {
  if (!areRestored) return;
  const fields = [...typed.keys()].filter((field) => field.isConnected && !isPrivate(field) && !isOld(field));
  const drafts = fields.map((field) => [draftName(field), contentOfScene(field), content(field)]);
  try {
    if (drafts.length) sessionStorage.setItem(draftsName, JSON.stringify(drafts));
    else sessionStorage.removeItem(draftsName);
  } catch {
    // It is full, or the reader does not allow it.
  }
}

// Once, when there are fields. What was typed before the script ran is typed, too.
function restoreDrafts() {
  if (areRestored || !topLayer()) return;
  areRestored = true;
  let drafts = [];
  try {
    const others = Object.keys(sessionStorage).filter((name) => name.startsWith("scenebus ") && !name.startsWith(draftsOfLogin));
    for (const name of others) sessionStorage.removeItem(name);
    drafts = JSON.parse(sessionStorage.getItem(draftsName)) || [];
  } catch {
    // There are none.
  }
  for (const field of [...scene.querySelectorAll(".field [name]")].filter(isField)) {
    const draft = drafts.find(([name, base]) => name === draftName(field) && base === contentOfScene(field));
    if (draft && !isTyped(field)) setContent(field, draft[2]);
    if (isTyped(field)) take(field);
  }
  keepDrafts();
}
