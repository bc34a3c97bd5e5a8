/**
 * The state at the position, as a tree of which only the rows in view exist.
 *
 * What the action (or step, or everything since the mark) changed is marked and unfolded. What you unfold or fold stays
 * so while you step. Long arrays and objects are shown in parts of a hundred.
 */
class StateTree {
    static rowHeight = 24;
    static part = 100;
    /** Rows are indented up to this level. Below it, a number tells the level. */
    static deepestIndent = 14;
    /** At first, as many rows are unfolded as fit about a screen. */
    static firstRows = 56;
    /** The members of a removed value that are shown. */
    static mostRemoved = 500;

    constructor(app, panel) {
        this.app = app;
        const { h, icon } = DOM;
        this.where = h('span', { class: 'count' });
        this.changesButton = DOM.button({ class: 'pill', title: 'Show the next change  (n)' }, () => this.nextChange(1));
        this.only = DOM.button({ class: 'toggle', 'aria-pressed': 'false', title: 'Only what changed  (u)' }, () => this.toggleOnly(), 'Only changes');
        this.path = h('nav', { class: 'crumbs', 'aria-label': 'Selected path' });
        this.tree = h('div', {
            class: 'scroller tree', role: 'tree', tabindex: '0', id: 'state-tree', 'aria-label': 'State',
            on: { click: (event) => this.click(event), dblclick: (event) => this.doubleClick(event) },
        });
        Commands.listen(this.tree, this.keys);
        this.message = h('div', { class: 'empty', hidden: true });
        panel.append(
            h('div', { class: 'panel-head' }, h('h2', {}, 'State'), this.where, h('span', { class: 'grow' }), this.changesButton, this.only,
                Commands.button(app, 'fit', 'Fold all', 'e')),
            h('div', { class: 'tree-box' }, this.tree, this.message),
            h('div', { class: 'path-bar' }, icon('target'), this.path,
                Commands.button(app, 'pin', 'Pin this path to the timeline', 'p'),
                Commands.button(app, 'blame', 'Go to what set this value', 'b'),
                Commands.button(app, 'copy', 'Copy this value', 'c')),
        );
        this.virtual = new VirtualRows(this.tree, { rowHeight: StateTree.rowHeight, render: (index) => this.row(index), onDraw: () => this.showActive() });
        /** What you unfolded or folded, by pointer. */
        this.chosen = new Map();
        this.rows = [];
        this.marks = new Marks();
        this.isOnly = false;
        this.ids = new Map();
        this.nextID = 0;
    }

    // MARK: Rows

    /** Unfolds all of a small state; of others two levels, if they are short. */
    unfoldAtFirst(state) {
        let level = [['', state]];
        let rows = 1;
        const deepest = StateTree.isSmall(state) ? Infinity : 1;
        for (let depth = 0; level.length > 0 && depth <= deepest; depth += 1) {
            const next = [];
            for (const [pointer, value] of level) {
                if (!isContainer(value) || sizeOf(value) === 0) continue;
                const size = sizeOf(value);
                if (rows + size > StateTree.firstRows && pointer !== '') continue;
                rows += size;
                this.chosen.set(pointer, true);
                for (const [name, member] of StateTree.members(value)) next.push([StateTree.child(pointer, name), member]);
            }
            level = next;
        }
    }

    /** Whether a value has at most so many values inside. */
    static isSmall(state, most = StateTree.firstRows) {
        let left = most;
        const visit = (value) => {
            left -= 1;
            if (left > 0 && isContainer(value)) for (const [, member] of StateTree.members(value, 0, left)) visit(member);
        };
        visit(state);
        return left > 0;
    }

    static child(pointer, name) {
        return pointer + pointerOf([name]);
    }

    /** The key of a part of a long container. No pointer, so that it cannot be that of a member. */
    static partKey(pointer, part) {
        return `part ${part} ${pointer}`;
    }

    static isPointer(text) {
        return text === '' || text?.startsWith('/') === true;
    }

    static *members(value, from = 0, to = Infinity) {
        if (Array.isArray(value)) {
            for (let at = from; at < Math.min(value.length, to); at += 1) yield [String(at), value[at]];
        } else {
            let at = 0;
            for (const entry of value) {
                if (at >= to) return;
                if (at >= from) yield entry;
                at += 1;
            }
        }
    }

    isOpen(pointer) {
        return this.chosen.get(pointer) ?? (this.marks.inside.has(pointer) && this.unfolded.has(pointer));
    }

    /** Makes the rows that are unfolded. */
    flatten() {
        this.rows = [];
        if (this.state !== undefined) this.addValue({ pointer: '', name: '', value: this.state, level: 1, position: 1, size: 1 });
    }

    addValue(row) {
        const { pointer, value, level } = row;
        const isOpen = this.hasChildren({ ...row, kind: 'value' }) && this.isOpen(pointer);
        this.rows.push({ ...row, isOpen, kind: 'value' });
        if (!isOpen) return;
        const count = sizeOf(value);
        if (count <= StateTree.part * 1.5) return this.addMembers(row, level + 1, 0, count);
        const size = Math.ceil(count / StateTree.part);
        for (let part = 0; part < size; part += 1) {
            const [from, to] = [part * StateTree.part, Math.min(count, (part + 1) * StateTree.part)];
            const key = StateTree.partKey(pointer, part);
            const changes = this.changesIn(pointer, value, from, to);
            if (this.isOnly && changes === 0) continue;
            const isPartOpen = this.chosen.get(key) ?? (changes > 0 && this.unfolded.has(pointer));
            this.rows.push({ pointer: key, value, level: level + 1, position: part + 1, size, isOpen: isPartOpen, kind: 'part', from, to, changes });
            if (isPartOpen) this.addMembers(row, level + 2, from, to);
        }
    }

    /** Adds members of a value, and those that were removed where they stood. */
    addMembers({ pointer, value }, level, from, to) {
        const isElement = Array.isArray(value);
        const ghosts = (this.marks.removed.get(pointer) ?? []).map((it, number) => ({ ...it, key: `removed ${number} ${StateTree.child(pointer, it.name)}` }));
        const addGhosts = (isHere) => {
            for (const ghost of ghosts.filter(({ index }) => isHere(index))) this.addRemoved(ghost.key, ghost.name, ghost.value, level, isElement, false);
        };
        let at = from;
        for (const [name, member] of StateTree.members(value, from, to)) {
            if (ghosts.length > 0) addGhosts((index) => index === at);
            const place = StateTree.child(pointer, name);
            at += 1;
            if (this.isOnly && !this.isChanged(place) && !this.isInAdded(place)) continue;
            this.addValue({ pointer: place, name, value: member, level, position: at - from, size: to - from, isElement });
        }
        if (to === sizeOf(value)) addGhosts((index) => index >= at);
    }

    addRemoved(key, name, value, level, isElement, isInner) {
        const count = sizeOf(value);
        const isOpen = count > 0 && this.chosen.get(key) === true;
        this.rows.push({ pointer: key, name, value, level, isOpen, isElement, isInner, kind: 'removed' });
        if (!isOpen) return;
        const shown = Math.min(count, StateTree.mostRemoved);
        for (const [inner, member] of StateTree.members(value, 0, shown)) this.addRemoved(StateTree.child(key, inner), inner, member, level + 1, Array.isArray(value), true);
        if (shown < count) this.rows.push({ pointer: `${key} rest`, name: `${Format.count(count - shown)} more`, level: level + 1, isOpen: false, kind: 'rest' });
    }

    /** Whether a place or what is inside it changed. */
    isChanged(pointer) {
        return this.marks.at.has(pointer) || this.marks.inside.has(pointer);
    }

    isInAdded(pointer) {
        for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1)) {
            if (this.marks.at.has(pointer.slice(0, at))) return true;
        }
        return false;
    }

    /** How many members of a part of a container changed. */
    changesIn(pointer, value, from, to) {
        if (!this.marks.inside.has(pointer)) return 0;
        const isLast = to === sizeOf(value);
        let count = (this.marks.removed.get(pointer) ?? []).filter(({ index }) => index >= from && (index < to || isLast)).length;
        for (const [name] of StateTree.members(value, from, to)) if (this.isChanged(StateTree.child(pointer, name))) count += 1;
        return count;
    }

    row(index) {
        const { h, icon, visible } = DOM;
        const row = this.rows[index];
        const { app, marks } = this;
        const isSelected = row.pointer === app.view.path;
        const mark = row.kind === 'removed' ? { kind: 'removed' } : row.kind === 'value' ? marks.at.get(row.pointer) : undefined;
        const inside = row.kind === 'part' ? row.changes : row.kind === 'value' ? marks.inside.get(row.pointer) ?? 0 : 0;
        const hasChildren = this.hasChildren(row);
        const element = h('div', {
            class: `row node${isSelected ? ' is-current' : ''}${mark ? ` is-${mark.kind}` : ''}`, role: 'treeitem', id: this.id(row.pointer), 'data-index': index,
            'aria-level': row.level, 'aria-selected': isSelected, 'aria-expanded': hasChildren ? row.isOpen : undefined,
            'aria-posinset': row.position, 'aria-setsize': row.size,
        });
        const isDeep = row.level - 1 > StateTree.deepestIndent;
        element.style.setProperty('--level', String(isDeep ? StateTree.deepestIndent : row.level - 1));
        if (isDeep) element.append(h('span', { class: 'depth', title: 'The level of this row' }, row.level - 1));
        element.append(h('span', { class: `twisty${row.isOpen ? ' is-open' : ''}`, 'aria-hidden': 'true' }, hasChildren ? icon('chevron') : ''));
        if (row.kind === 'rest') {
            element.append(h('span', { class: 'key part' }, row.name));
        } else if (row.kind === 'part') {
            element.append(h('span', { class: 'key part' }, this.partLabel(row)));
        } else {
            // A key without a letter could not be seen.
            const name = row.pointer === '' ? 'state' : row.name.trim() === '' ? `"${visible(row.name)}"` : visible(row.name);
            element.append(h('span', { class: `key${row.isElement ? ' index' : ''}` }, name));
            const texts = mark?.kind === 'changed' ? this.changedTexts(mark, row) : null;
            if (texts) element.append(h('span', { class: 'value old' }, texts[0]), h('span', { class: 'arrow', 'aria-label': 'became' }, '→'));
            element.append(texts?.[1] === undefined ? this.valueElement(row) : h('span', { class: 'value string' }, texts[1]));
        }
        if (inside > 0 && !row.isOpen) element.append(h('span', { class: 'inside', title: 'changes inside' }, Format.count(inside)));
        if (mark && !row.isInner) element.append(h('span', { class: 'mark-word' }, mark.kind));
        return element;
    }

    /**
     * A value's two sides: the text of the old one, and of the new one if it is not shown as others are; `null` if the old
     * one is not known.
     */
    changedTexts(mark, row) {
        const old = mark.edits ? mark.edits.reduceRight(undoneEdit, row.value) : mark.old;
        if (old === undefined) return null;
        const isText = typeof old === 'string' && typeof row.value === 'string' && !this.app.data.isPlaceholder(row.value, row.pointer);
        return (isText && Format.changedTexts(old, row.value, 60)) || [this.leafText(old, row.pointer, 48)];
    }

    hasChildren({ kind, value, pointer }) {
        return kind === 'part' || sizeOf(value) > 0 || (kind === 'value' && this.marks.removed.has(pointer));
    }

    partLabel({ value, from, to }) {
        if (Array.isArray(value)) return `${Format.count(from)} … ${Format.count(to - 1)}`;
        const names = [...StateTree.members(value, from, to)].map(([name]) => DOM.visible(Format.cut(name, 24)));
        return `${names[0]} … ${names[names.length - 1]}`;
    }

    /** A text of the app that reads as a placeholder has quotes, and a placeholder none. */
    leafText(value, pointer, budget) {
        const isOwnText = Format.kind(value) === 'redacted' && Format.kindAt(value, pointer, this.app.data) === 'string';
        return isOwnText ? Format.string(value, budget) : Format.oneLine(value, budget);
    }

    valueElement({ value, isOpen, pointer }) {
        const { h } = DOM;
        const kind = Format.kindAt(value, pointer, this.app.data);
        if (kind === 'array' || kind === 'object') {
            const size = sizeOf(value);
            const noun = kind === 'array' ? 'element' : 'member';
            if (isOpen || size === 0) return h('span', { class: 'size' }, size === 0 ? (kind === 'array' ? '[]' : '{}') : Format.counted(size, noun));
            return h('span', { class: 'value summary' }, Format.oneLine(value, 70));
        }
        if (kind === 'redacted') return h('span', { class: 'value redacted', title: 'The recorder left this value out' }, 'redacted');
        const isHidden = this.app.data.isRedacted(pointer);
        const element = h('span', { class: `value ${kind}` }, this.leafText(value, pointer, 120), isHidden ? h('span', { class: 'hint', title: 'A placeholder: the recorder left this value out' }, 'redacted') : null);
        const date = Format.dateHint(value);
        return date ? h('span', { class: 'value string' }, Format.oneLine(value, 60), h('span', { class: 'hint' }, date)) : element;
    }

    /** An element's id for a pointer: short, and without what the recording could choose. */
    id(pointer) {
        if (this.ids.size > 50000) this.ids.clear();
        if (!this.ids.has(pointer)) this.ids.set(pointer, `node-${this.nextID += 1}`);
        return this.ids.get(pointer);
    }

    // MARK: Choosing

    click(event) {
        const element = event.target.closest('.row');
        if (!element) return;
        const row = this.rows[Number(element.dataset.index)];
        this.tree.focus({ preventScroll: true });
        const isTwisty = event.target.closest('.twisty') !== null;
        if (row.kind === 'part' || (isTwisty && this.hasChildren(row))) return this.toggle(row);
        if (row.kind === 'rest') return;
        if (row.pointer === this.app.view.path && this.hasChildren(row)) this.toggle(row);
        this.app.select(row.pointer);
    }

    doubleClick(event) {
        const element = event.target.closest('.row');
        const row = element && this.rows[Number(element.dataset.index)];
        if (row?.kind === 'value' && !isContainer(row.value)) this.app.showTab('value');
    }

    toggle(row, isOpen = !row.isOpen) {
        this.chosen.set(row.pointer, isOpen);
        this.redraw();
    }

    /** Folds all but the first level; if it is so already, unfolds what fits. */
    foldAll() {
        const isFolded = this.rows.every((row) => row.level === 1 || !row.isOpen);
        this.chosen.clear();
        this.unfolded = new Set();
        this.chosen.set('', true);
        if (isFolded) this.unfoldAtFirst(this.state);
        this.redraw();
    }

    toggleOnly() {
        this.isOnly = !this.isOnly;
        this.only.setAttribute('aria-pressed', String(this.isOnly));
        this.redraw();
    }

    /** Keys of the tree, as in any tree. Arrows left and right fold and unfold here. */
    get keys() {
        const move = (to) => {
            const at = Math.max(0, Math.min(this.rows.length - 1, to));
            const target = this.rows[at];
            if (!target) return;
            this.app.select(target.pointer);
            this.virtual.reveal(at);
        };
        const from = (body) => () => {
            const index = this.indexOf(this.app.view.path);
            body(index, this.rows[index]);
        };
        return {
            ArrowDown: from((index) => move(index + 1)),
            ArrowUp: from((index) => move(index - 1)),
            PageDown: from((index) => move(index + this.virtual.visibleCount)),
            PageUp: from((index) => move(index - this.virtual.visibleCount)),
            ArrowRight: from((index, row) => {
                if (!row) return move(0);
                if (!row.isOpen && this.hasChildren(row)) this.toggle(row, true);
                else if (row.isOpen) move(index + 1);
            }),
            ArrowLeft: from((index, row) => {
                if (!row) return move(0);
                if (row.isOpen) return this.toggle(row, false);
                for (let at = index - 1; at >= 0; at -= 1) if (this.rows[at].level < row.level) return move(at);
            }),
            Enter: from((_, row) => row && (this.hasChildren(row) ? this.toggle(row) : this.app.showTab('value'))),
            '*': from((_, row) => row && this.unfoldSiblings(row)),
        };
    }

    unfoldSiblings(row) {
        const around = (pointer) => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
        for (const other of this.rows) {
            if (other.level === row.level && around(other.pointer) === around(row.pointer) && sizeOf(other.value) > 0) this.chosen.set(other.pointer, true);
        }
        this.redraw();
    }

    /** Unfolds what is around a path, and scrolls there. */
    show(pointer) {
        let [place, value] = ['', this.state];
        for (const name of partsOf(pointer)) {
            this.chosen.set(place, true);
            if (sizeOf(value) > StateTree.part * 1.5) {
                const at = Array.isArray(value) ? Number(name) : [...value.keys()].indexOf(name);
                this.chosen.set(StateTree.partKey(place, Math.floor(at / StateTree.part)), true);
            }
            place = StateTree.child(place, name);
            value = childOf(value, name);
            if (value === undefined) break;
        }
        this.redraw();
        const index = this.indexOf(pointer);
        if (index >= 0) this.virtual.reveal(index);
    }

    /** The index of the row with a pointer; -1 if there is none. */
    indexOf(pointer) {
        return this.rows.findIndex((row) => row.pointer === pointer);
    }

    // MARK: Changes

    get changedRows() {
        const { at, inside } = this.marks;
        const isChanged = ({ kind, pointer, isOpen, isInner }) =>
            kind === 'removed' ? !isInner : kind === 'value' && (at.has(pointer) || (!isOpen && inside.has(pointer)));
        return this.rows.flatMap((row, index) => (isChanged(row) ? [index] : []));
    }

    /** Selects the next change from what is selected. */
    nextChange(by) {
        const changed = this.changedRows;
        if (changed.length === 0) return;
        const at = this.indexOf(this.app.view.path);
        const next = by > 0 ? changed.find((it) => it > at) ?? changed[0] : changed.findLast((it) => it < at) ?? changed[changed.length - 1];
        this.app.select(this.rows[next].pointer);
        this.virtual.reveal(next, 4);
    }

    // MARK: Updates

    /** Follows the position: another state, other changes. Keeps what is in view where it is. */
    update() {
        const { data, view } = this.app;
        this.where.textContent = this.app.stateText();
        const state = data.state(view);
        const isFirst = this.state === undefined && state !== undefined;
        this.state = state;
        this.message.hidden = state !== undefined;
        if (state === undefined) {
            const why = data.whyNot(view) ?? 'The state is not known.';
            DOM.fill(this.message, DOM.h('p', {}, why), view.number > data.first
                ? DOM.button({ class: 'button' }, () => this.app.goToKnown(), 'Go to the last state before') : null);
            this.rows = [];
            this.marks = new Marks();
            this.virtual.set(0);
            this.changesButton.hidden = true;
            return;
        }
        if (isFirst && this.chosen.size === 0) this.unfoldAtFirst(state);
        this.marks = new Marks((this.app.changes() ?? []).flatMap((step) => step.patch), state);
        this.unfolded = new Set();
        if (this.marks.count <= 400) for (const pointer of this.marks.inside.keys()) this.unfolded.add(pointer);
        this.changesButton.hidden = this.marks.count === 0;
        this.changesButton.textContent = Format.counted(this.marks.count, 'change');
        this.redraw();
        if (isFirst && this.app.view.path === null && this.changedRows.length > 0) this.virtual.reveal(this.changedRows[0], 4);
        this.showPath();
    }

    /** Makes and draws the rows again; the first row in view stays where it is. */
    redraw() {
        const top = this.virtual.top;
        const anchor = this.rows[Math.floor(top)]?.pointer;
        const shift = top - Math.floor(top);
        this.flatten();
        const index = top > 0.5 && anchor !== undefined ? this.indexOf(anchor) : -1;
        this.virtual.set(this.rows.length);
        if (index >= 0 && Math.abs(index + shift - this.virtual.top) > 0.01) {
            this.virtual.top = index + shift;
            this.virtual.draw();
        }
    }

    showActive() {
        const { path } = this.app.view;
        DOM.setActive(this.tree, this.indexOf(path) >= 0 ? this.id(path) : null);
    }

    /** Shows the selected path, each part of it as a button. */
    showPath() {
        const { h, fill, visible } = DOM;
        const { path } = this.app.view;
        if (!StateTree.isPointer(path)) return fill(this.path, h('span', { class: 'dim' }, 'Select a value'));
        const parts = partsOf(path);
        const crumb = (depth, text) => DOM.button({ class: `crumb${depth === parts.length && depth > 0 ? ' is-last' : ''}` }, () => this.app.select(pointerOf(parts.slice(0, depth)), { isShown: true }), text);
        const slash = () => h('span', { class: 'slash', 'aria-hidden': 'true' }, '/');
        return fill(this.path, crumb(0, parts.length > 0 ? '/' : '/ (whole state)'),
            parts.map((name, index) => [index > 0 ? slash() : null, crumb(index + 1, visible(name) || '""')]));
    }

    /** Follows the selection. */
    select() {
        this.virtual.draw();
        this.showPath();
    }
}
