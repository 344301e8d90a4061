// What every page does: colors, and where in the page people are.

const THEME = "geceval-theme";

/** Light or dark: as the system has it, until people choose; the choice is kept if it can be. */
function chooseColors() {
  const toggle = byId("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => document.documentElement.dataset.theme;
  const isDark = () => (chosen() ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const label = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", `${toggle.textContent} colors`);
  };
  try {
    const kept = localStorage.getItem(THEME);
    if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  } catch {
    // Some browsers keep nothing for pages from disk.
  }
  toggle.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    label();
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // Likewise.
    }
  });
  prefersDark.addEventListener("change", label);
  label();
  toggle.hidden = false;
}

/** Mark the section that is being read in the bar. */
function followSections() {
  const links = new Map(
    [...document.querySelectorAll(".bar nav a")].map((link) => [
      link.getAttribute("href")?.slice(1),
      link,
    ]),
  );
  const visible = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target.id);
        else visible.delete(target.id);
      }
      const current = [...links.keys()].find((id) => visible.has(id));
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      revealInBar(current && links.get(current));
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const section of document.querySelectorAll("main > section[id]")) {
    observer.observe(section);
  }
}

/**
 * Scroll the bar alone, so that a link can be seen; `scrollIntoView` would move the page too.
 * @param {Element | undefined | ""} link
 */
function revealInBar(link) {
  const list = document.querySelector(".bar nav");
  if (!link || !list) return;
  const [inner, outer] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) {
    list.scrollLeft += inner.left - outer.left - 16;
  }
}

function startPage() {
  chooseColors();
  enhanceTables();
  openForPrint();
  followSections();
}
