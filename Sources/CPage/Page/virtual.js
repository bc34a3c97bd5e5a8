'use strict';

/**
 * Rows of one height, of which only those in view exist.
 *
 * `render(index)` returns the row's element. Browsers limit the height of an element, so a list that is longer scrolls
 * in proportion.
 */
class VirtualRows {
    static tallest = 8_000_000;

    constructor(scroller, { rowHeight, render, onDraw }) {
        Object.assign(this, { scroller, rowHeight, render, onDraw });
        this.count = 0;
        this.isWhole = false;
        this.space = DOM.h('div', { class: 'virtual-space', role: 'presentation' });
        this.rows = DOM.h('div', { class: 'virtual-rows', role: 'presentation' });
        this.space.append(this.rows);
        scroller.append(this.space);
        scroller.addEventListener('scroll', () => this.draw(), { passive: true });
        new ResizeObserver(() => this.draw()).observe(scroller);
    }

    /** The rows that fit, at least one. */
    get visibleCount() {
        return Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight));
    }

    get height() {
        return Math.min(this.count * this.rowHeight, VirtualRows.tallest);
    }

    /** The first row in view, as a fraction of rows. */
    get top() {
        const { scrollTop, clientHeight } = this.scroller;
        if (this.count * this.rowHeight <= VirtualRows.tallest) return scrollTop / this.rowHeight;
        const range = this.height - clientHeight;
        return (scrollTop / range) * (this.count - clientHeight / this.rowHeight);
    }

    set top(row) {
        const { clientHeight } = this.scroller;
        const isExact = this.count * this.rowHeight <= VirtualRows.tallest;
        this.scroller.scrollTop = isExact
            ? row * this.rowHeight
            : (row / (this.count - clientHeight / this.rowHeight)) * (this.height - clientHeight);
    }

    /** Shows other rows. Does not scroll. */
    set(count) {
        this.count = count;
        this.space.style.height = `${this.height}px`;
        this.draw();
    }

    draw() {
        const top = Math.max(0, this.top);
        const first = this.isWhole ? 0 : Math.max(0, Math.floor(top) - 4);
        const end = this.isWhole ? Math.min(this.count, 1500) : Math.min(this.count, Math.floor(top) + this.visibleCount + 6);
        const rows = [];
        for (let index = first; index < end; index += 1) rows.push(this.render(index));
        this.rows.replaceChildren(...rows);
        const isExact = this.count * this.rowHeight <= VirtualRows.tallest;
        const at = isExact ? first * this.rowHeight : this.scroller.scrollTop - (top - first) * this.rowHeight;
        this.rows.style.transform = this.isWhole ? '' : `translateY(${at}px)`;
        this.onDraw?.(first, end);
    }

    /** Scrolls as little as possible so that a row is in view; to the middle if it is far away. */
    reveal(index, margin = 2) {
        const top = this.top;
        const visible = this.scroller.clientHeight / this.rowHeight;
        const room = Math.min(margin, Math.max(0, (visible - 1) / 2));
        if (index >= top + room && index + 1 <= top + visible - room) return;
        const isFar = index < top - visible || index > top + 2 * visible;
        const wanted = isFar ? index - visible / 2 : index < top + room ? index - room : index + 1 + room - visible;
        this.top = Math.max(0, Math.min(wanted, this.count - visible));
    }

    /** Renders all rows, for print. */
    whole(isWhole) {
        this.isWhole = isWhole;
        this.draw();
    }
}
