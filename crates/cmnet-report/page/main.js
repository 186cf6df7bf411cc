"use strict";
// Puts the page together.

/** Milliseconds that strengths of edges may take at a time; the reader comes first. */
const SLICE = 30;

(() => {
  /** @type {PageRecord} */
  const record = JSON.parse(byId("model").textContent ?? "");
  const network = new Network(record);
  const state = new State(network);
  const embedded = window.parent !== window;
  document.documentElement.classList.toggle("embedded", embedded);

  const caption = byId("caption");
  const picture = new Picture(network, state, (text) => {
    caption.textContent = text;
  });
  const panel = new Panel(network, state);
  let turn = 0;

  function update() {
    const answer = network.answer(state.given);
    const remaining = network.remaining(state.given);
    /** @type {Map<number, {nats: number, givenAll: boolean} | null>} */
    const strengths = new Map();
    const wanted = remaining.left.filter((index) => network.edges[index].ends.every((v) => state.isShown(v)));
    const own = ++turn;
    const { tree } = network;
    const { propagation } = answer;
    const work = (/** @type {number} */ from) => {
      if (own !== turn || tree === null || propagation === null) return;
      const end = performance.now() + SLICE;
      let next = from;
      while (next < wanted.length && (next === from || performance.now() < end)) {
        const index = wanted[next++];
        strengths.set(index, strength(tree, propagation, network.edges[index].ends, remaining.neighbours));
      }
      if (next < wanted.length) setTimeout(work, 0, next);
      else if (from > 0) show();
    };
    const show = () => {
      picture.update(answer, strengths);
      panel.update(answer, remaining, strengths);
    };
    picture.draw();
    work(0);
    show();
    remember();
  }

  function remember() {
    const address = state.toAddress();
    if (address === location.hash || (address === "" && location.hash === "")) return;
    try {
      history.replaceState(null, "", address === "" ? location.pathname + location.search : address);
    } catch {
      // A page inside another has no address of its own.
    }
  }

  function tell() {
    byId("title").textContent = record.title;
    document.title = `${record.title} – cmnet`;
    byId("about").textContent = record.about;
    byId("version").textContent = `Written by cmnet ${record.version}. This page asks nothing of any server.`;
    const large = network.variables.length > MOST_DRAWN;
    byId("find-form").hidden = !large;
    byId("whole").hidden = !large;
    const notice = byId("notice");
    const { sampled } = record;
    if (!network.hasNumbers) {
      notice.textContent =
        "This model has no parameters, so there are no distributions: the page shows the structure, and what evidence " +
        `cuts. Estimate the parameters, then explore again: cmnet fit ${record.file} DATA -o FITTED`;
    } else if (sampled !== null) {
      const one = sampled.pairs === null ? "no evidence" : "no or one piece of evidence";
      notice.textContent =
        `Approximate: exact answers need ${sampled.tree}, too much for a page. Shares are those of ` +
        `${sampled.rows.toLocaleString("en")} rows drawn by the command from the model (seed ${sampled.seed}), for ${one}. ` +
        `${drawing(sampled)} Ask the command for more: it is shown under the evidence.`;
    }
    notice.hidden = notice.textContent === "";
    byId("observed-note").hidden = record.rows === null;
    byId("observed-note").textContent =
      record.rows === null ? "" : `The mark on a bar is the share in the table of ${record.rows.toLocaleString("en")} rows.`;
    byId("strength-key").hidden = network.tree === null;
  }

  /**
   * How far drawn rows are to be trusted.
   * @param {SampledRecord} sampled
   */
  function drawing({ rows, chains }) {
    const error = (/** @type {number} */ draws) => percent(0.5 / Math.sqrt(draws));
    if (chains === null) return `They are independent; the standard error of a share is at most ${error(rows)}.`;
    const worst = chains.r_hat === null ? "infinite" : chains.r_hat.toFixed(3);
    const said = `${chains.chains} chains of ${chains.sweeps.toLocaleString("en")} sweeps: largest split R-hat ${worst}, `;
    const effective = Math.floor(chains.effective);
    const draws = `at least ${effective.toLocaleString("en")} effective draws`;
    if (!chains.agrees) return `${said}${draws}. The chains do not agree: do not rely on these shares.`;
    return `${said}${draws}, so that the standard error of a share is at most ${error(effective)}. The chains agree.`;
  }

  /** @param {KeyboardEvent} event */
  function shortcut(event) {
    const typing = event.target instanceof HTMLInputElement;
    if (typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey) state.redo();
    else state.undo();
  }

  function listen() {
    byId("zoom-in").addEventListener("click", () => picture.zoom(1.25));
    byId("zoom-out").addEventListener("click", () => picture.zoom(0.8));
    byId("fit").addEventListener("click", () => picture.fit());
    byId("whole").addEventListener("click", () => {
      state.shown = null;
      state.changed();
    });
    const name = record.title.replace(/[^\w-]+/g, "_").slice(0, 60) || "network";
    byId("save-svg").addEventListener("click", () => saveSvg(picture, name));
    byId("save-png").addEventListener("click", () => savePng(picture, name));
    byId("theme").addEventListener("click", () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
      document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
    });
    document.addEventListener("keydown", shortcut);
    window.addEventListener("beforeprint", () => picture.fit());
    window.addEventListener("resize", () => {
      const before = picture.drawn;
      update();
      if (picture.drawn === before) picture.fit();
    });
    window.addEventListener("hashchange", () => {
      if (state.toAddress() === location.hash) return;
      state.past.push(state.given);
      state.fromAddress(location.hash);
      update();
    });
  }

  tell();
  state.fromAddress(location.hash);
  state.changed = update;
  update();
  listen();
  document.documentElement.dataset.ready = performance.now().toFixed(0);
  // For tests, and for readers who want every digit.
  Object.assign(window, { cmnet: { network, state, answer: () => network.answer(state.given), strength } });
})();
