// Behavior of all pages: color theme and current section.

const THEME = "geceval-theme";

/** Follow the system's theme until the user chooses one; remember the choice if possible. */
function startTheme() {
  const toggle = byId("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => document.documentElement.dataset.theme;
  const isDark = () => (chosen() ?? (prefersDark.matches ? "dark" : "light")) === "dark";
  const label = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", `${toggle.textContent} theme`);
  };
  try {
    const stored = localStorage.getItem(THEME);
    if (stored === "dark" || stored === "light") document.documentElement.dataset.theme = stored;
  } catch {
    // Some browsers block storage for local files.
  }
  toggle.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    label();
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // As above.
    }
  });
  prefersDark.addEventListener("change", label);
  label();
  toggle.hidden = false;
}

/** Highlight the current section in the navigation bar. */
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
      revealInBar(current ? links.get(current) : links.values().next().value);
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const section of document.querySelectorAll("main > section[id]")) {
    observer.observe(section);
  }
}

/**
 * Scroll a link of the bar into view; `scrollIntoView` would scroll the page too.
 * @param {Element | undefined} link
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
  startTheme();
  startTips();
  enhanceTables();
  window.addEventListener("beforeprint", () => {
    printHeadings();
    splitWideTables();
  });
  window.addEventListener("afterprint", () => {
    joinTables();
    restoreHeadings();
  });
  followSections();
}
