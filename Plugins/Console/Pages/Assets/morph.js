// The morph makes an element like another one. Elements with a key are found by it wherever they are among their siblings, so
// that focus, caret, selection, scrolling and what was typed stay with them.

// An input method is at work in this field: until it has finished, the field is left alone.
let composing = null;
let composingNext = null;

addEventListener("compositionstart", (event) => {
  composing = event.target;
});
addEventListener("compositionend", () => {
  const [field, next] = [composing, composingNext];
  composing = composingNext = null;
  if (field && next && field.isConnected) morph(field, next);
  tellLater();
});

// What the script itself has set.
const isOwn = (name) => name === "aria-busy";

function morph(element, next) {
  if (element === composing) {
    composingNext = next;
    return;
  }
  const [had, before] = isField(element) ? [content(element), contentOfScene(element)] : [];
  for (const { name } of [...element.attributes]) {
    if (!next.hasAttribute(name) && !isOwn(name)) element.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  if (element.nodeName !== "TEXTAREA") morphChildren(element, next);
  else if (element.defaultValue !== next.defaultValue) element.defaultValue = next.defaultValue;
  if (!isField(element)) return;
  const shown = contentOfScene(element);
  const sending = typed.get(element);
  if (sending && shown !== before) {
    const isSame = shown === had || isSameNumber(element);
    // The scene has it, though the answer has not come yet.
    if (!sending.isStored) sending.isStored = isSame;
    // The scene writes 1.50 as 1.5, which does not get in the way of whoever types on.
    else if (shown === had || !isSame || element !== document.activeElement) typed.delete(element);
  }
  const wanted = typed.has(element) ? had : shown;
  if (content(element) !== wanted) setContent(element, wanted);
}

function morphChildren(parent, next) {
  const keyed = new Map();
  for (const one of parent.children) if (key(one) !== null) keyed.set(key(one), one);
  const wantedKeys = new Set([...next.children].map(key));
  const isGone = (node) => node && key(node) !== null && !wantedKeys.has(key(node));
  let cursor = parent.firstChild;
  for (const wanted of [...next.childNodes]) {
    while (isGone(cursor)) cursor = removed(cursor);
    const name = key(wanted);
    let match = name === null ? nextLike(wanted, cursor) : keyed.get(name);
    keyed.delete(name);
    if (match && match.nodeName !== wanted.nodeName) {
      const after = removed(match);
      if (match === cursor) cursor = after;
      match = null;
    }
    if (!match) {
      parent.insertBefore(document.importNode(wanted, true), cursor);
      continue;
    }
    cursor = place(match, cursor);
    if (match.nodeType === 1) morph(match, wanted);
    else if (match.nodeValue !== wanted.nodeValue) match.nodeValue = wanted.nodeValue;
  }
  while (cursor) cursor = removed(cursor);
}

function removed(node) {
  const after = node.nextSibling;
  node.remove();
  return after;
}

// Looks ahead for a node without a key, so that one does not become its neighbour.
function nextLike(wanted, from) {
  const kind = (node) => (node.nodeType === 1 ? node.getAttribute("class") : null);
  for (let node = from; node; node = node.nextSibling) {
    if (node.nodeName === wanted.nodeName && key(node) === null && kind(node) === kind(wanted)) return node;
  }
  return null;
}

// Places a node before the cursor, and returns the new cursor.
function place(node, cursor) {
  if (node === cursor) return node.nextSibling;
  if (!node.contains(document.activeElement)) {
    move(node, cursor);
    return cursor;
  }
  // What has the focus stays where it is. Those before it go behind, until their turn comes.
  while (cursor !== node) {
    const passed = cursor;
    cursor = cursor.nextSibling;
    move(passed, null);
  }
  return node.nextSibling;
}

function move(node, before) {
  const parent = node.parentNode;
  if (parent.moveBefore && parent.isConnected) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

const policy = window.trustedTypes ? trustedTypes.createPolicy("scenebus", { createHTML: (text) => text }) : null;

function parse(markup) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(markup) : markup;
  writeTimes(template.content);
  return template.content;
}
