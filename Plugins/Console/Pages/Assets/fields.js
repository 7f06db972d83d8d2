// The script of the console's pages, in four files that are sent as one. This one has the fields and the times.
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
  if (field.nodeName !== "SELECT") return field.defaultValue;
  const option = [...field.options].find((option) => option.defaultSelected) || field.options[0];
  return option ? option.value : "";
}

function setContent(field, value) {
  if (field.type === "checkbox") field.checked = value === "true";
  else if (field.nodeName !== "SELECT" || choice(field, value)) field.value = value;
}

const isEdited = (field) => content(field) !== contentOfScene(field);

// What was typed is kept for a reload of the page, until an action was accepted. Secrets are not.

const draftName = (field) => ["scenebus", location.pathname, key(layerOf(field)), key(field)].join(" ");

function drafts(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null; // It is full, or the reader does not allow it.
  }
}

function keepDraft(field) {
  if (!scene || key(field) === null || field.type === "password") return;
  const name = draftName(field);
  drafts((store) => (isEdited(field) ? store.setItem(name, content(field)) : store.removeItem(name)));
}

function restoreDrafts(parent) {
  for (const field of parent.querySelectorAll(".layer [data-key][name]")) {
    if (!isField(field) || field.type === "password" || isEdited(field)) continue;
    const draft = drafts((store) => store.getItem(draftName(field)));
    if (draft !== null) setContent(field, draft);
  }
}

// With an accepted action the fields are the scene's: its next picture says what they have. If none comes, they return to what
// the last one said. What was typed after the action was sent stays.

let sent = [];

function release() {
  for (const [field, value] of sent) if (content(field) === value) setContent(field, contentOfScene(field));
  sent = [];
}

function accept(fields) {
  for (const [field, value] of fields) {
    if (field.isConnected && content(field) === value) drafts((store) => store.removeItem(draftName(field)));
  }
  sent = sent.concat(fields);
  setTimeout(release, 400);
}
