// What pages do better with a script; all of them work without. What somebody types is kept in their tab alone, so that
// the browser's Back and Reload do not lose it, and no longer than until the question is over.
const body = document.body;
const main = document.getElementById("main");
const status = document.getElementById("live");
document.documentElement.classList.add("scripted");

// A page that answers a form (its faults, its review) would be fetched by sending that form again: Back and Reload end in
// a warning of the browser. Under its plain address it is the question, with what was typed.
history.replaceState(history.state, "", location.href);

// --- times, in the reader's own zone and words --------------------------------------------------------------------

const localise = (root) => {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });
  for (const time of root.querySelectorAll("time[datetime]")) time.title = format.format(new Date(time.dateTime));
};

// --- what was typed -----------------------------------------------------------------------------------------------

// The pages are not to be kept by browsers (`no-store`), which then also forget what was typed into them. So a tab keeps
// it itself. What a form should not ask for, such as a password, is not kept.
const draft = `elicitkit:${location.pathname}`;

const kept = () => {
  try {
    return JSON.parse(sessionStorage.getItem(draft)) ?? {};
  } catch {
    return {}; // A browser may keep nothing at all.
  }
};

// A line becomes an area where several are pasted into it: of these a line would make one.
const grow = (input, text) => {
  const area = document.createElement("textarea");
  for (const { name, value } of input.attributes) if (!["type", "value", "data-grows"].includes(name)) area.setAttribute(name, value);
  area.rows = 2;
  area.value = text;
  input.replaceWith(area);
  return area;
};

let isOver = false;

const forget = () => {
  isOver = true;
  try {
    sessionStorage.removeItem(draft);
  } catch { /* Then nothing was kept. */ }
};

const isTicked = (control) => control.type === "checkbox" || control.type === "radio";

const typed = () => [...main.querySelectorAll("form.act [name]")].filter((control) =>
  control.matches("textarea, select, input:not([type=hidden])") && !control.closest(".field")?.querySelector(".warning"));

const keep = () => {
  if (isOver) return;
  const found = {};
  for (const control of typed()) {
    found[control.name] ??= [];
    if (!isTicked(control) || control.checked) found[control.name].push(control.value);
  }
  try {
    sessionStorage.setItem(draft, JSON.stringify({ ...kept(), ...found }));
  } catch { /* Then it is not kept. */ }
};

// A page that the server filled in says what stands in its fields; the reason of a refusal is never sent back.
const refill = () => {
  const values = kept();
  for (const control of typed()) {
    const texts = values[control.name];
    if (!Array.isArray(texts) || !(control.form.hasAttribute("data-new") || control.name === "note")) continue;
    if (isTicked(control)) control.checked = texts.includes(control.value);
    else if (control.matches("[data-grows]") && /\n/.test(texts[0] ?? "")) grow(control, texts[0]);
    else if (texts.length) control.value = texts[0];
  }
};

if (main.querySelector("[data-over]")) forget();
else refill();
main.addEventListener("input", keep);
main.addEventListener("change", keep);

// --- live updates -------------------------------------------------------------------------------------------------

const say = (words) => {
  const line = document.createElement("p");
  line.textContent = words;
  status.replaceChildren(line);
};

const load = async () => {
  const response = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await response.text(), "text/html");
};

const renewList = async (list) => {
  const page = await load();
  const fresh = page.getElementById("list");
  if (!fresh) return location.reload();
  const focused = document.activeElement?.closest(".question")?.id;
  document.title = page.title;
  body.dataset.state = page.body.dataset.state ?? "";
  list.replaceWith(document.adoptNode(fresh));
  localise(main);
  if (focused) (document.getElementById(focused)?.querySelector("a") ?? main).focus();
  say("The list has changed.");
};

// A question that is over says so above what was typed, which stays to be copied; its buttons do nothing any more.
const end = async () => {
  const page = await load();
  const verdict = page.getElementById("verdict");
  if (!verdict) return location.reload();
  for (const button of main.querySelectorAll("button")) button.disabled = true;
  main.querySelector("article")?.classList.add("over");
  main.querySelector("[data-until]")?.remove();
  document.title = page.title;
  const notice = document.adoptNode(verdict);
  notice.setAttribute("role", "alert");
  const next = page.querySelector("main .button");
  if (next) notice.append(document.adoptNode(next));
  main.prepend(notice);
  forget();
  notice.querySelector("h1").focus();
  notice.scrollIntoView({ block: "start" });
};

let source = null;
let isRenewing = false;

const told = async ({ data }) => {
  if (isRenewing || data === body.dataset.state) return;
  isRenewing = true;
  try {
    const list = document.getElementById("list");
    if (list) await renewList(list);
    else {
      await end();
      close();
      delete body.dataset.events;
    }
  } catch {
    close(); // The server is gone for now; what it says when it is back is compared again.
    setTimeout(listen, 2000);
  } finally {
    isRenewing = false;
  }
};

// A server that ends for a moment is back before anybody has to know.
const away = document.createElement("p");
away.className = "away";
away.textContent = "The inbox cannot be reached; trying again.";
let losing = 0;

const close = () => {
  source?.close();
  source = null;
  clearTimeout(losing);
  losing = 0;
};

const lose = () => {
  losing ||= setTimeout(() => status.append(away), 3000);
  if (source?.readyState !== EventSource.CLOSED) return; // The browser itself tries again.
  source = null;
  setTimeout(listen, 5000);
};

const find = () => {
  clearTimeout(losing);
  losing = 0;
  away.remove();
};

// Only a page that is looked at listens: a browser has six connections to a server, and a person many tabs.
const listen = () => {
  if (document.hidden || !body.dataset.events) return close();
  if (source) return;
  source = new EventSource(body.dataset.events);
  source.addEventListener("open", find);
  source.addEventListener("error", lose);
  source.addEventListener("state", told);
  source.addEventListener("state", () => { document.documentElement.dataset.live = "yes"; }, { once: true });
};

// --- forms --------------------------------------------------------------------------------------------------------

// The offset of this device at the date that was typed, until somebody chooses another.
const offset = (local) => {
  const minutes = -new Date(local).getTimezoneOffset();
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
};

for (const zone of document.querySelectorAll("select[data-zone-of]")) {
  const local = document.getElementById(zone.dataset.zoneOf);
  let isOurs = !zone.value || zone.value === offset(local.value);
  zone.addEventListener("change", () => { isOurs = false; });
  local.addEventListener("change", () => { if (isOurs && local.value) zone.value = offset(local.value); });
}

// Whole numbers go up and down, by buttons and by keys, as far as the bounds; all digits are kept.
const step = (input, by) => {
  const { least, most } = input.dataset;
  const typed = input.value.trim();
  if (!/^[+-]?\d{0,19}$/.test(typed)) return;
  let next = typed ? BigInt(typed) + by : least ? BigInt(least) : most && BigInt(most) < 0n ? BigInt(most) : 0n;
  if (most && next > BigInt(most)) next = BigInt(most);
  if (least && next < BigInt(least)) next = BigInt(least);
  input.value = String(next);
  input.dispatchEvent(new Event("input", { bubbles: true }));
};

for (const input of document.querySelectorAll("input[data-step]")) {
  const row = document.createElement("div");
  row.className = "stepper";
  const hasFocus = document.activeElement === input;
  input.replaceWith(row);
  row.append(input);
  if (hasFocus) input.focus();
  for (const [sign, word, by] of [["−", "less", -1n], ["+", "more", 1n]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.setAttribute("aria-label", `One ${word}: ${document.querySelector(`label[for="${input.id}"] .label`).textContent}`);
    button.addEventListener("click", () => step(input, by));
    row.append(button);
  }
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(input, by);
  });
}

for (const input of document.querySelectorAll("input[data-grows]")) {
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain").replace(/\r\n?/g, "\n").replace(/^\n+|\n+$/g, "") ?? "";
    if (!text.includes("\n")) return;
    event.preventDefault();
    const [before, behind] = [input.value.slice(0, input.selectionStart), input.value.slice(input.selectionEnd)];
    const area = grow(input, before + text + behind);
    area.focus();
    area.setSelectionRange(before.length + text.length, before.length + text.length);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// A long list of boxes is searched by typing; what is ticked stays in sight.
for (const list of document.querySelectorAll(".choices.many")) {
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Find one";
  search.setAttribute("aria-label", `Find one of: ${list.closest("fieldset").querySelector("legend .label").textContent}`);
  search.addEventListener("input", () => {
    const sought = search.value.trim().toLocaleLowerCase();
    for (const choice of list.querySelectorAll(".choice")) {
      const isSought = choice.textContent.toLocaleLowerCase().includes(sought);
      choice.hidden = !isSought && !choice.querySelector("input").checked;
    }
  });
  search.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  list.before(search);
}

// A second press is not a second answer.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
  });
}
// A page that comes back from a browser's memory: it can be used again, unless its question is over.
addEventListener("pageshow", async ({ persisted }) => {
  for (const form of document.forms) delete form.dataset.sent;
  if (!persisted) return;
  listen();
  try {
    if (body.dataset.events && (await load()).querySelector("[data-over]")) location.replace(location.pathname);
  } catch { /* The server is gone for now; what it says when it is back is compared anyway. */ }
});

localise(document);
document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", close);
listen();
