// The changes of a scene, as they come in its stream.

function need(found) {
  if (!found) throw new Error("the page does not have what has changed");
  return found;
}
const childOf = (parent, name) => need([...parent.children].find((one) => key(one) === name));
const partOf = (name, part) => need(childOf(scene, name).querySelector(":scope > " + part));
const blocksOf = (name) => partOf(name, ".body > .blocks");
const parsed = (markup) => need(parse(markup).firstElementChild);

function replace(old, markup) {
  const next = parsed(markup);
  // A block of another type is another element.
  if (old.nodeName === next.nodeName && old.classList[1] === next.classList[1]) morph(old, next);
  else old.replaceWith(document.importNode(next, true));
}

const operations = {
  state: (markup) => replace(document.getElementById("state"), markup),
  title: (text) => {
    document.title = (text ? text + " · " : "") + root.dataset.application;
  },
  main: (markup) => {
    const next = parse(markup);
    // A host that has just started has no picture yet: the reader's place stays in the one that is here.
    if (next.querySelector(".layer") || !topLayer()) morphChildren(scene, next);
  },
  bar: (layer, markup) => replace(partOf(layer, ".bar"), markup),
  default: (layer, markup) => replace(partOf(layer, ".body > .default"), markup),
  block: (layer, name, markup) => replace(childOf(blocksOf(layer), name), markup),
  row: (layer, block, name, markup) => {
    const found = childOf(blocksOf(layer), block);
    replace(childOf(found.matches("[data-rows]") ? found : need(found.querySelector("[data-rows]")), name), markup);
  },
  insert: (layer, name, after, markup) => {
    const blocks = blocksOf(layer);
    blocks.insertBefore(
      document.importNode(parsed(markup), true),
      after === null ? blocks.firstChild : childOf(blocks, after).nextSibling,
    );
  },
  remove: (layer, name) => childOf(blocksOf(layer), name).remove(),
  order: (layer, ...names) => {
    const blocks = blocksOf(layer);
    const keyed = new Map([...blocks.children].map((one) => [key(one), one]));
    let cursor = blocks.firstChild;
    for (const name of names) cursor = place(need(keyed.get(name)), cursor);
  },
};

function apply(changes) {
  const focused = document.activeElement;
  const seen = seenAt(focused);
  if (focused && layerOf(focused)) focusOf.set(key(layerOf(focused)), focused);
  for (const [name, ...rest] of changes) need(operations[name])(...rest);
  forgetOthers();
  restoreDrafts();
  keepDrafts();
  keepSeen(focused, seen);
  follow(focused);
}

// Where its reader sees the field with the focus. Browsers do not always keep it there when what is above it comes and goes. At the
// very top the page stays as it is: what comes there is to be seen.
function seenAt(field) {
  if (!field || !isField(field) || !scene.contains(field)) return null;
  const scroller = field.closest(".sheet") || root;
  const { top, bottom } = field.getBoundingClientRect();
  return scroller.scrollTop > 0 && bottom > 0 && top < innerHeight ? { scroller, top } : null;
}

function keepSeen(field, seen) {
  const moved = seen && field.isConnected ? field.getBoundingClientRect().top - seen.top : 0;
  if (Math.abs(moved) >= 1) seen.scroller.scrollTop += moved;
}

// The reader's place in each layer: the focus goes to a sheet and comes back from it, and each screen keeps where it was
// scrolled to.

const focusOf = new Map();
const scrollOf = new Map();
let [topKey, bottomKey] = [undefined, undefined];
const topLayer = () => (scene && scene.lastElementChild && layerOf(scene.lastElementChild)) || null;

addEventListener("scroll", () => scrollOf.set(bottomKey, scrollY), { passive: true });

function follow(focused) {
  const layer = topLayer();
  const [top, bottom] = layer ? [key(layer), key(scene.firstElementChild)] : [null, null];
  const isFirst = topKey === undefined;
  const isLost = focused && focused !== document.body && !focused.isConnected;
  if (!isFirst && bottom !== bottomKey) scrollTo(0, scrollOf.get(bottom) || 0);
  const isSheet = layer && layer.matches(".sheet");
  if (layer && (!isFirst || isSheet) && (top !== topKey || isLost)) {
    const known = focusOf.get(top);
    // On a touch screen, the keyboard would cover the sheet that has just come.
    const field = isSheet && !matchMedia("(pointer: coarse)").matches && layer.querySelector(".field [name]");
    const goal = known && known.isConnected ? known : field || layer.querySelector("h1");
    goal.focus({ preventScroll: !isSheet });
  }
  [topKey, bottomKey] = [top, bottom];
  guardBack();
}

// The stream. It is closed while nobody sees the page, and begins again after the picture that the page has.

let revision = scene ? scene.dataset.revision : "";
let stream = null;
let attempts = 0;
let [retryTimer, silenceTimer, lossTimer] = [0, 0, 0];
let hasEnded = false;
let heardAt = 0;
// Whether the scene may have changed without this page: since its last stream, until it hears something on this one.
let isBehind = false;
// The console says every ten seconds that it is there.
const isHeard = () => Date.now() - heardAt < 12000;

function connect() {
  clearTimeout(retryTimer);
  if (stream || hasEnded || document.hidden) return;
  isBehind = heardAt > 0;
  stream = new EventSource(scene.dataset.events + "?known=" + encodeURIComponent(revision));
  listen();
  stream.onopen = isThere;
  stream.addEventListener("alive", heard);
  stream.addEventListener("patch", (event) => {
    try {
      apply(JSON.parse(event.data));
      revision = event.lastEventId;
      heard();
    } catch (error) {
      console.error(error);
      // A whole picture that cannot be drawn is one for a newer script.
      const isOutdated = isWall && revision === "";
      revision = ""; // The next picture comes whole.
      retry();
      if (isOutdated) reloadPage();
    }
  });
  stream.addEventListener("company", (event) => {
    heard();
    replace(document.getElementById("company"), JSON.parse(event.data));
  });
  stream.addEventListener("end", ({ data }) => (isWall ? restart() : end(JSON.parse(data))));
  stream.addEventListener("leave", ({ data }) => (isWall ? restart() : leave(JSON.parse(data))));
  stream.onerror = () => {
    const isRefused = stream.readyState === EventSource.CLOSED;
    retry();
    if (isRefused) findOut();
  };
}

function close() {
  for (const timer of [retryTimer, silenceTimer]) clearTimeout(timer);
  if (stream) stream.close();
  stream = null;
}

// The console is there. Whether there is another picture is what it says first.
function isThere() {
  heardAt = Date.now();
  checkDay();
  clearTimeout(lossTimer);
  lossTimer = 0;
  showLoss(null);
  listen();
}

function heard() {
  // A stream that ends before it says anything is asked for less and less often.
  attempts = 0;
  isThere();
  isBehind = false;
  release();
  tellLater();
  loadImages();
}

// The page says when it has not heard two signs of life, and connects again a little later.
function listen() {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(() => {
    lose(new Date(heardAt || Date.now()), 0);
    silenceTimer = setTimeout(retry, 14000);
  }, 21000);
}

function lose(since, delay) {
  if (!lossTimer) lossTimer = setTimeout(() => showLoss("Reconnecting", " since " + timeText(since) + " · what you see is older"), delay);
}

// Images that have not come are asked for again, less and less often: a page can be open for months.
const imageTries = new WeakMap();

function loadImages() {
  for (const image of scene.querySelectorAll("img")) {
    if (!image.complete || image.naturalWidth) continue;
    const { due, pause } = imageTries.get(image) || { due: 0, pause: 1000 };
    if (Date.now() < due) continue;
    imageTries.set(image, { due: Date.now() + pause, pause: Math.min(2 * pause, 600000) });
    image.setAttribute("src", image.getAttribute("src"));
  }
}

function retry() {
  close();
  isBehind = heardAt > 0;
  // A stream that is back at once is nothing to tell.
  lose(new Date(), 1000);
  // Many pages do not come back in the same moment.
  const delay = Math.min(10000, 500 * 2 ** attempts++);
  retryTimer = setTimeout(connect, delay * (0.5 + Math.random()));
}

// A stream that is refused may be one of a session that is closed, or of a login that has ended.
async function findOut() {
  try {
    const { status } = await fetch(location.pathname);
    if (isWall) {
      if (status === 403) takeDown();
      return;
    }
    if (status === 401) leave();
    if (status === 403) end("You may no longer see this scene");
    if (status === 404) end("This session has been closed");
  } catch {
    // The server is away: the page goes on trying.
  }
}

// The screen's key has been revoked. What it has shown is no longer for those who see it.
function takeDown() {
  forgetAll();
  scene.replaceChildren();
  revision = "";
  clearTimeout(lossTimer);
  showLoss("This screen is no longer allowed", "");
}

// Loads the page again once there is one, so that a wall never shows the browser's own error.
async function reloadPage() {
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(10000) });
    if (response.ok) location.reload();
    else if (overview) morph(overview, need(parse(await response.text()).querySelector("main")));
  } catch {
    // The server is away.
  }
}

// The session of a wall is closed, and it will have another one. Nobody sees there what the last one has typed.
function restart() {
  for (const field of typed.keys()) setContent(field, contentOfScene(field));
  forgetAll();
  retry();
}

// What was typed was for a session that is closed, or is not for the next reader.
function end(text) {
  hasEnded = true;
  close();
  forgetAll();
  clearTimeout(lossTimer);
  showLoss(text, "");
}

// The login has ended, so nothing of what the page shows is for whoever comes to it next.
function leave(text = "You are no longer logged in") {
  end(text);
  const parts = ["main", "#state", "#company", "#notice", ".top form", ".way"];
  for (const part of parts) document.querySelector(part)?.replaceChildren();
  document.querySelector("dialog[open]")?.close();
  document.title = root.dataset.application;
  const link = Object.assign(document.createElement("a"), { href: location.href, textContent: "Log in" });
  document.querySelector("#connection strong + span").append(" · ", link);
}

function showLoss(text, detail) {
  const line = document.getElementById("connection");
  root.toggleAttribute("data-lost", text !== null);
  line.querySelector("strong").textContent = text || "";
  line.querySelector("strong + span").textContent = text === null ? "" : detail;
}
