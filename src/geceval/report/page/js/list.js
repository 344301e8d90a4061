// A virtualized list: only the visible rows are in the document.

/** Rows rendered above and below the viewport, so that fast scrolling shows no gaps. */
const SPARE = 6;

class WindowedList {
  /**
   * @param {HTMLElement} root the scrolling element, with role listbox
   * @param {number} height pixels of a row
   * @param {(item: number) => Node[]} content
   * @param {(item: number) => void} chosen called when a row is selected; must mark it
   */
  constructor(root, height, content, chosen) {
    this.root = root;
    this.height = height;
    this.content = content;
    this.chosen = chosen;
    /** @type {number[]} */
    this.items = [];
    this.position = -1;
    this.canvas = make("div", { class: "canvas", role: "presentation" });
    root.append(this.canvas);
    root.style.setProperty("--row", `${height}px`);
    let isWaiting = false;
    root.addEventListener("scroll", () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        this.draw();
      });
    });
    root.addEventListener("keydown", (event) => this.move(event));
    root.addEventListener("click", (event) => {
      const target =
        event.target instanceof Element ? event.target.closest("[data-position]") : null;
      if (target instanceof HTMLElement) this.choose(Number(target.dataset.position));
    });
    new ResizeObserver(() => this.draw()).observe(root);
  }

  /**
   * Replace the items and scroll to the top.
   * @param {number[]} items
   * @param {number} current the item to keep selected, if present
   */
  show(items, current) {
    this.items = items;
    this.position = items.indexOf(current);
    this.canvas.style.setProperty("height", `${items.length * this.height}px`);
    this.root.scrollTop = 0;
    this.reveal();
    this.draw();
  }

  /**
   * Mark an item as selected.
   * @param {number} item
   */
  mark(item) {
    this.position = this.items.indexOf(item);
    this.reveal();
    this.draw();
  }

  /** @param {number} position */
  choose(position) {
    if (position >= 0 && position < this.items.length) this.chosen(this.items[position]);
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.height) - 1);
    const last = this.items.length - 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowDown: this.position + 1,
      ArrowUp: this.position - 1,
      PageDown: this.position + page,
      PageUp: this.position - page,
      Home: 0,
      End: last,
    };
    if (!(event.key in targets) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.choose(Math.min(last, Math.max(0, targets[event.key])));
  }

  /** Scroll the selected row into view. */
  reveal() {
    if (this.position < 0) return;
    const top = this.position * this.height;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) {
      this.root.scrollTop = top + this.height - clientHeight;
    }
  }

  draw() {
    const { scrollTop, clientHeight } = this.root;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - SPARE);
    const end = Math.min(
      this.items.length,
      Math.ceil((scrollTop + clientHeight) / this.height) + SPARE,
    );
    const rows = this.items.slice(first, end).map((item, offset) => {
      const position = first + offset;
      const row = make(
        "div",
        {
          class: "row",
          role: "option",
          id: `row-${position}`,
          "data-position": position,
          "aria-selected": String(position === this.position),
          "aria-posinset": position + 1,
          "aria-setsize": this.items.length,
        },
        ...this.content(item),
      );
      row.style.setProperty("transform", `translateY(${position * this.height}px)`);
      return row;
    });
    this.canvas.replaceChildren(...rows);
    const isDrawn = this.position >= first && this.position < end;
    if (isDrawn) this.root.setAttribute("aria-activedescendant", `row-${this.position}`);
    else this.root.removeAttribute("aria-activedescendant");
    this.root.dispatchEvent(new CustomEvent("drawn"));
  }
}
