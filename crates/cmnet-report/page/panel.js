"use strict";
// The facts beside the picture: evidence, what it cuts, the target, and tables of all that is shown.

/** Levels of other variables that are listed for a target. */
const MOST_INFLUENCES = 8;

/** Variables and edges that the tables list; more are found by showing a variable. */
const MOST_LISTED = 200;

class Panel {
  /**
   * @param {Network} network
   * @param {State} state
   */
  constructor(network, state) {
    this.network = network;
    this.state = state;
    /** @type {{group: HTMLElement, buttons: HTMLButtonElement[], bars: HTMLElement[], shares: HTMLElement[]}[]} */
    this.rows = [];
    this.listed = "";
    this.fillChoices();
    this.listen();
  }

  fillChoices() {
    const { variables } = this.network;
    const choices = variables.flatMap(({ name, levels }) =>
      levels.map((level) => element("option", { value: `${name} = ${level}` })),
    );
    byId("choices").replaceChildren(...choices);
    byId("names").replaceChildren(...variables.map(({ name }) => element("option", { value: name })));
    const targets = variables.map(({ label }, v) => element("option", { value: String(v) }, label));
    byId("target").append(...targets);
  }

  listen() {
    const { state, network } = this;
    const entry = /** @type {HTMLInputElement} */ (byId("entry"));
    byId("entry-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const found = parsed(network, entry.value);
      if (typeof found === "string") {
        byId("entry-problem").textContent = found;
        entry.setAttribute("aria-invalid", "true");
        return;
      }
      entry.value = "";
      if (state.given.get(found[0]) !== found[1]) state.toggle(...found);
    });
    entry.addEventListener("input", () => {
      byId("entry-problem").textContent = "";
      entry.removeAttribute("aria-invalid");
    });
    const target = /** @type {HTMLSelectElement} */ (byId("target"));
    target.addEventListener("change", () => state.aim(target.value === "" ? null : Number(target.value)));
    byId("undo").addEventListener("click", () => state.undo());
    byId("redo").addEventListener("click", () => state.redo());
    byId("clear").addEventListener("click", () => state.clear());
    byId("complete").addEventListener("click", () => {
      state.completion = !state.completion;
      state.changed();
    });
    const find = /** @type {HTMLInputElement} */ (byId("find"));
    byId("find-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const wanted = find.value.trim().toLowerCase();
      const names = network.variables.map(({ name }) => name.toLowerCase());
      const exact = names.indexOf(wanted);
      const v = exact >= 0 ? exact : names.findIndex((name) => wanted !== "" && name.includes(wanted));
      if (v >= 0) state.startFrom(v);
      byId("find-problem").textContent = v >= 0 ? "" : "No variable has this name.";
    });
  }

  /**
   * @param {Answer} answer
   * @param {{cut: number[], left: number[]}} remaining
   * @param {Map<number, {nats: number, givenAll: boolean} | null>} strengths
   */
  update(answer, remaining, strengths) {
    this.updateEvidence(answer);
    this.updateCuts(remaining.cut);
    this.updateCompletion();
    this.updateTarget();
    this.updateVariables(answer);
    this.updateEdges(remaining.cut, strengths);
  }

  /** @param {Answer} answer */
  updateEvidence(answer) {
    const { network, state } = this;
    const chips = [...state.given].map(([v, level]) => {
      const { label, labels } = network.variables[v];
      const chip = element("button", { type: "button", class: "chip" }, `${label} = ${labels[level]}`);
      chip.append(element("span", { "aria-hidden": "true" }, " ×"));
      chip.setAttribute("aria-label", `Take back ${label} = ${labels[level]}`);
      chip.addEventListener("click", () => state.toggle(v, level));
      return element("li", {}, chip);
    });
    byId("chips").replaceChildren(...chips);
    byId("no-evidence").hidden = chips.length > 0;
    const told = answer.logEvidence;
    byId("evidence-probability").textContent =
      chips.length === 0 || told === null ? "" : `Probability of this evidence: ${probability(told)}`;
    byId("problem").textContent = answer.problem ?? "";
    byId("undo").toggleAttribute("disabled", state.past.length === 0);
    byId("redo").toggleAttribute("disabled", state.future.length === 0);
    byId("clear").toggleAttribute("disabled", state.given.size === 0);
    byId("command").textContent = commandFor(network, state);
  }

  /** @param {number[]} cut */
  updateCuts(cut) {
    const { network, state } = this;
    const sentences = cut.map((index) => element("li", {}, ...breakable(network.whyCut(index, state.given))));
    byId("cuts").replaceChildren(...sentences);
    const none = network.edges.some(({ context }) => context !== null)
      ? "No edge is cut. Edges drawn with dashes have a context in which they are."
      : "This model has no contexts: no evidence cuts an edge.";
    byId("no-cuts").textContent = sentences.length === 0 ? none : "";
  }

  updateCompletion() {
    const { network, state } = this;
    byId("complete").setAttribute("aria-pressed", String(state.completion));
    byId("completion-section").hidden = network.tree === null;
    const list = byId("completion");
    if (!state.completion || network.tree === null) {
      list.replaceChildren();
      byId("completion-probability").textContent = "";
      return;
    }
    const best = network.tree.mostProbable(state.given);
    const items = (best?.levels ?? []).flatMap((level, v) => {
      if (state.given.has(v)) return [];
      const { label, labels } = network.variables[v];
      return [element("li", {}, `${label} = `, element("strong", {}, labels[level]))];
    });
    list.replaceChildren(...items);
    const evidence = network.answer(state.given).logEvidence ?? 0;
    byId("completion-probability").textContent =
      best === null ? "" : `Probability given the evidence: ${probability(best.logProbability - evidence)}`;
  }

  updateTarget() {
    const { network, state } = this;
    const target = /** @type {HTMLSelectElement} */ (byId("target"));
    target.value = state.target === null ? "" : String(state.target);
    byId("target-section").hidden = network.tree === null;
    const list = byId("influences");
    if (state.target === null) {
      list.replaceChildren();
      byId("target-note").textContent = "Choose a variable to see which evidence would change it most.";
      return;
    }
    const variable = network.variables[state.target];
    const now = network.answer(state.given).marginals[state.target];
    const found = network.influences(state.target, state.given).slice(0, MOST_INFLUENCES);
    byId("target-note").textContent =
      found.length > 0
        ? `What would change ${variable.label} most, if it were known. Press one to set it.`
        : `No other evidence would change ${variable.label}.`;
    const items = found.map(({ variable: v, level, shares }) => {
      const { label, labels } = network.variables[v];
      const most = shares.reduce(
        (best, share, k) =>
          Math.abs(share - (now?.[k] ?? 0)) > Math.abs(shares[best] - (now?.[best] ?? 0)) + 1e-12 ? k : best,
        0,
      );
      const button = element(
        "button",
        { type: "button", class: "influence" },
        element("span", {}, ...breakable(`${label} = ${labels[level]}`)),
        element(
          "span",
          { class: "effect" },
          `${variable.labels[most]}: ${percent(now?.[most] ?? 0)} → ${percent(shares[most])}`,
        ),
      );
      button.addEventListener("click", () => state.toggle(v, level));
      return element("li", {}, button);
    });
    list.replaceChildren(...items);
  }

  /** Makes the table of variables anew where what is shown has changed. */
  listVariables() {
    const { network, state } = this;
    const key = state.shown === null ? "all" : [...state.shown].join();
    if (key === this.listed) return;
    this.listed = key;
    this.rows = [];
    const listed = [...network.variables.keys()].filter((v) => state.isShown(v)).slice(0, MOST_LISTED);
    const rows = listed.map((v) => {
      const variable = network.variables[v];
      const levels = element("div", { class: "levels" });
      /** @type {HTMLButtonElement[]} */
      const buttons = [];
      /** @type {HTMLElement[]} */
      const bars = [];
      /** @type {HTMLElement[]} */
      const shares = [];
      variable.labels.forEach((label, level) => {
        const bar = element("span", { class: "bar" });
        const share = element("span", { class: "share" });
        const button = element(
          "button",
          { type: "button", class: "level", "aria-pressed": "false" },
          element("span", { class: "label" }, label),
          element("span", { class: "track", "aria-hidden": "true" }, bar),
          share,
        );
        button.addEventListener("click", () => state.toggle(v, level));
        levels.append(button);
        buttons.push(button);
        bars.push(bar);
        shares.push(share);
      });
      const row = element(
        "tr",
        { "data-variable": String(v) },
        element("th", { scope: "row" }, ...breakable(variable.label)),
        element("td", {}, levels),
      );
      this.rows[v] = { group: row, buttons, bars, shares };
      return row;
    });
    byId("variables").replaceChildren(...rows);
    const all = network.variables.length;
    byId("variables-count").textContent = listed.length < all ? ` (${listed.length} of ${all})` : "";
  }

  /** @param {Answer} answer */
  updateVariables(answer) {
    this.listVariables();
    this.rows.forEach(({ group, buttons, bars, shares }, v) => {
      const known = this.state.given.get(v);
      const found = answer.marginals[v];
      group.classList.toggle("known", known !== undefined);
      group.classList.toggle("target", this.state.target === v);
      buttons.forEach((button, level) => {
        button.setAttribute("aria-pressed", String(known === level));
        bars[level].style.width = `${(100 * (found?.[level] ?? 0)).toFixed(2)}%`;
        shares[level].textContent = found === null ? "–" : percent(found[level]);
      });
    });
  }

  /**
   * @param {number[]} cut
   * @param {Map<number, {nats: number, givenAll: boolean} | null>} strengths
   */
  updateEdges(cut, strengths) {
    const { network, state } = this;
    const isCut = new Set(cut);
    const shown = network.edges.flatMap(({ ends }, index) =>
      ends.every((v) => state.isShown(v)) ? [index] : [],
    );
    const order = (/** @type {number} */ index) => strengths.get(index)?.nats ?? -1;
    shown.sort((a, b) => order(b) - order(a) || a - b);
    const rows = shown.slice(0, MOST_LISTED).map((index) => {
      const { ends, context, implied, support } = network.edges[index];
      const found = strengths.get(index);
      const silent = ends.some((v) => state.given.has(v));
      let status = found ? found.nats.toFixed(4) + (found.givenAll ? "" : "*") : "–";
      if (isCut.has(index)) status = "cut";
      else if (silent) status = "known";
      const names = element(
        "th",
        { scope: "row" },
        ...breakable(ends.map((v) => network.variables[v].label).join(" – ")),
      );
      const told = context === null ? "" : `${context.sentence}${implied ? "; implied by other contexts" : ""}${surely(context)}`;
      const sure = support === null ? "" : `In ${percent(support)} of the resamples. `;
      if (told + sure !== "") names.append(element("p", {}, sure + told));
      return element(
        "tr",
        { "data-edge": String(index), class: isCut.has(index) ? "cut" : silent ? "silent" : "" },
        names,
        element("td", { class: "number" }, status),
      );
    });
    byId("edges").replaceChildren(...rows);
    const all = network.edges.length;
    byId("edges-count").textContent = rows.length < all ? ` (${rows.length} of ${all})` : "";
    byId("edges-star").hidden = ![...strengths.values()].some((found) => found && !found.givenAll);
  }
}

/**
 * A variable and a level as typed: `name = level`, names with equals signs too.
 * @param {Network} network
 * @param {string} text
 * @returns {[number, number] | string}
 */
function parsed(network, text) {
  const plain = (/** @type {string} */ word) => word.trim().toLowerCase();
  if (!text.includes("=")) return "Type a variable, an equals sign and a level.";
  let known = false;
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
    const [name, level] = [plain(text.slice(0, at)), plain(text.slice(at + 1))];
    const v = network.variables.findIndex((own) => plain(own.name) === name || plain(own.label) === name);
    if (v < 0) continue;
    known = true;
    const { levels, labels } = network.variables[v];
    const place = levels.findIndex((own, k) => plain(own) === level || plain(labels[k]) === level);
    if (place >= 0) return [v, place];
  }
  return known ? "The variable has no such level." : "No variable has this name.";
}

/**
 * The command that answers what the page shows.
 * @param {Network} network
 * @param {State} state
 */
function commandFor(network, state) {
  const quoted = (/** @type {string} */ text) =>
    /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const given = [...state.given].map(([v, level]) => {
    const { name, levels } = network.variables[v];
    return ` --given ${quoted(`${name}=${levels[level]}`)}`;
  });
  return `cmnet query ${quoted(network.record.file)}${given.join("")}`;
}
