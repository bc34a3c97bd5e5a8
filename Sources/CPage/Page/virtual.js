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
        this.revealed = null;
        // What the browser would have to lay out for, if it were asked.
        this.at = 0;
        this.viewHeight = scroller.clientHeight;
        this.space = DOM.h('div', { class: 'virtual-space', role: 'presentation' });
        this.rows = DOM.h('div', { class: 'virtual-rows', role: 'presentation' });
        this.space.append(this.rows);
        scroller.append(this.space);
        scroller.addEventListener('scroll', () => {
            if (this.at === scroller.scrollTop) return;
            this.revealed = null;
            this.at = scroller.scrollTop;
            this.draw();
        }, { passive: true });
        new ResizeObserver(() => {
            this.viewHeight = scroller.clientHeight;
            this.at = scroller.scrollTop;
            // What was scrolled to stays in view.
            if (this.revealed !== null && this.revealed < this.count) this.reveal(this.revealed);
            this.draw();
        }).observe(scroller);
    }

    /** The rows that fit, at least one. */
    get visibleCount() {
        return Math.max(1, Math.floor(this.viewHeight / this.rowHeight));
    }

    get height() {
        return Math.min(this.count * this.rowHeight, VirtualRows.tallest);
    }

    /** The pixels that can be scrolled, and the rows. */
    get range() {
        return [Math.max(1, this.height - this.viewHeight), Math.max(1, this.count - this.viewHeight / this.rowHeight)];
    }

    /** The first row in view, as a fraction of rows. */
    get top() {
        const [pixels, rows] = this.range;
        return (this.at / pixels) * rows;
    }

    set top(row) {
        const [pixels, rows] = this.range;
        const at = Math.round(Math.max(0, Math.min((row / rows) * pixels, this.height - this.viewHeight)));
        if (at === this.at) return;
        this.scroller.scrollTop = at;
        this.at = at;
    }

    /** Shows other rows, at the same place if it is still there. */
    set(count) {
        this.revealed = null;
        this.resize(count);
        this.draw();
    }

    /** The same without drawing. */
    resize(count) {
        if (count === this.count) return;
        this.count = count;
        this.space.style.height = `${this.height}px`;
        this.at = Math.max(0, Math.min(this.at, this.height - this.viewHeight));
    }

    draw() {
        const top = Math.max(0, this.top);
        const first = this.isWhole ? 0 : Math.max(0, Math.floor(top) - 3);
        const end = this.isWhole ? Math.min(this.count, 1500) : Math.min(this.count, Math.floor(top) + this.visibleCount + 5);
        const rows = [];
        for (let index = first; index < end; index += 1) rows.push(this.render(index));
        this.rows.replaceChildren(...rows);
        const at = this.at - (top - first) * this.rowHeight;
        this.rows.style.transform = this.isWhole ? '' : `translateY(${at}px)`;
        this.onDraw?.(first, end);
    }

    /** Scrolls as little as possible so that a row is in view; to the middle if it is far away. */
    reveal(index, margin = 2) {
        this.revealed = index;
        const top = this.top;
        const visible = this.viewHeight / this.rowHeight;
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
