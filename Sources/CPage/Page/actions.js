'use strict';

/**
 * The list of actions: a listbox of which only the rows in view exist, and the filters above it.
 *
 * An item of the list is an action, or a fold: a run of quick actions of one type, shown as one row until it is opened
 * or the position enters it.
 */
class ActionList {
    static rowHeight = 42;
    /** A run folds from this many actions on, if less than so many milliseconds lie between two. */
    static shortestFold = 6;
    static foldGap = 300;

    constructor(app, panel) {
        this.app = app;
        const { h, icon, iconButton } = DOM;
        this.text = h('input', {
            type: 'text', class: 'field', placeholder: 'Filter by type or payload', 'aria-label': 'Filter by type or payload', autocomplete: 'off', spellcheck: 'false',
            on: { input: () => this.filterSoon() },
        });
        this.more = iconButton('filter', 'More filters', null, () => this.toggleFilters(), { 'aria-expanded': 'false', class: 'icon boxed' });
        this.chips = h('div', { class: 'chips', hidden: true });
        this.count = h('span', { class: 'count' });
        this.filters = h('div', { class: 'filters', hidden: true });
        this.list = h('div', {
            class: 'scroller list', role: 'listbox', tabindex: '0', id: 'action-list', 'aria-label': 'Actions', on: { click: (event) => this.click(event), keydown: (event) => this.key(event) },
        });
        panel.append(
            h('div', { class: 'panel-head' }, h('h2', {}, 'Actions'), this.count),
            h('div', { class: 'filter-line' }, h('label', { class: 'field-box' }, icon('search'), this.text), this.more),
            this.filters, this.chips, this.list,
        );
        this.empty = h('div', { class: 'empty', hidden: true }, h('p', {}, 'No action meets the filters.'),
            h('button', { type: 'button', class: 'button', on: { click: () => app.setFilter({}) } }, 'Clear filters'));
        this.list.before(this.empty);
        this.virtual = new VirtualRows(this.list, { rowHeight: ActionList.rowHeight, render: (index) => this.row(index), onDraw: () => this.showActive() });
        this.open = null;
        this.starts = new Uint32Array(0);
        this.rowsCache = new Map();
        this.list.style.setProperty('--number-width', `${Math.max(4, Format.count(app.data.last).length) * 7 + 6}px`);
        this.buildFilters();
    }

    // MARK: Items

    /**
     * Makes the items of the actions that meet the filters. `starts` has the index in `app.listed` of each item's first
     * action, with all folds closed; the fold that the position is in is opened in addition (`open`). The start of the
     * recording is the first item, unless a filter is set.
     */
    rebuild() {
        const { app } = this;
        const { data, listed } = app;
        const isFolding = app.view.filter.fold !== false;
        const starts = new Uint32Array(listed.length);
        let count = 0;
        this.hasStart = app.filtered === null;
        for (let index = 0; index < listed.length; ) {
            let end = index + 1;
            if (isFolding) {
                const type = data.typeIndexOf(listed[index]);
                while (end < listed.length && listed[end] === listed[end - 1] + 1 && data.typeIndexOf(listed[end]) === type && data.timeOf(listed[end]) - data.timeOf(listed[end - 1]) < ActionList.foldGap
                    && !(data.flagsOf(listed[end]) & flags.NOTE)) end += 1;
            }
            if (end - index >= ActionList.shortestFold) starts[count++] = index;
            else for (let at = index; at < end; at += 1) starts[count++] = at;
            index = end;
        }
        this.starts = starts.subarray(0, count);
        this.open = null;
        this.openAt(app.view.number);
        this.virtual.set(this.itemCount);
        this.empty.hidden = listed.length > 0 || app.filtered === null;
        this.list.setAttribute('aria-label', `Actions, ${Format.counted(listed.length, 'action')}`);
        const all = data.last - data.first;
        this.count.textContent = listed.length === all ? Format.count(all) : `${Format.count(listed.length)} of ${Format.count(all)}`;
    }

    get itemCount() {
        return this.starts.length + (this.open ? this.open.count - 1 : 0) + (this.hasStart ? 1 : 0);
    }

    /** The indices in `app.listed` of a closed item: the first, and the one behind the last. */
    range(at) {
        return [this.starts[at], at + 1 < this.starts.length ? this.starts[at + 1] : this.app.listed.length];
    }

    /** The closed item that a number is in, or the one before it. */
    closedItem(number) {
        const { listed } = this.app;
        let [low, high] = [0, this.starts.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (listed[this.starts[middle]] <= number) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** Opens the fold that a number is in, and closes another one. */
    openAt(number) {
        if (this.starts.length === 0) return;
        const { listed } = this.app;
        const at = this.closedItem(number);
        const [from, to] = this.range(at);
        const isIn = to - from > 1 && number >= listed[from] && number <= listed[to - 1];
        this.open = isIn ? { at, from, count: to - from } : null;
    }

    /** The numbers of an item. */
    item(index) {
        const { listed, data } = this.app;
        let at = index - (this.hasStart ? 1 : 0);
        if (at < 0) return { first: data.first, last: data.first, count: 1, isStart: true };
        const { open } = this;
        if (open && at >= open.at && at < open.at + open.count) {
            const number = listed[open.from + at - open.at];
            return { first: number, last: number, count: 1, isStart: false };
        }
        if (open && at >= open.at) at -= open.count - 1;
        const [from, to] = this.range(at);
        return { first: listed[from], last: listed[to - 1], count: to - from, isStart: false };
    }

    /** The index of the item with a number, or of the last one before it. */
    indexOf(number) {
        const shift = this.hasStart ? 1 : 0;
        if (number === this.app.data.first || this.starts.length === 0) return 0;
        const at = this.closedItem(number);
        const { open } = this;
        if (!open || at < open.at) return at + shift;
        if (at > open.at) return at + open.count - 1 + shift;
        const { listed } = this.app;
        let [low, high] = [open.from, open.from + open.count - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (listed[middle] <= number) low = middle;
            else high = middle - 1;
        }
        return open.at + low - open.from + shift;
    }

    // MARK: Rows

    row(index) {
        const { h, icon, visible } = DOM;
        const { app } = this;
        const { data, view } = app;
        const item = this.item(index);
        const isCurrent = item.isStart ? view.number === data.first : view.number >= item.first && view.number <= item.last;
        const properties = {
            class: `row action${isCurrent ? ' is-current' : ''}`, role: 'option', id: `action-${item.first}`, 'data-index': index,
            'aria-selected': isCurrent, 'aria-setsize': this.virtual.count, 'aria-posinset': index + 1,
        };
        if (item.isStart) {
            return h('div', properties, h('span', { class: 'number' }, data.first), h('i', { class: 'dot start' }),
                h('div', { class: 'what' }, h('div', { class: 'line' }, h('b', {}, 'Start')), h('div', { class: 'line small' }, app.data.first > 0 ? `After action ${Format.count(app.data.first)}; earlier ones are not here` : data.last > data.first ? 'The state before the first action' : 'No action follows')));
        }
        const colour = `dot type-${data.typeIndexOf(item.first) % Palette.typeCount}`;
        const type = visible(data.typeOf(item.first));
        if (item.count > 1) {
            return h('div', { ...properties, class: properties.class + ' fold' }, h('span', { class: 'number' }, Format.count(item.first)), h('i', { class: colour }),
                h('div', { class: 'what' }, h('div', { class: 'line' }, h('b', {}, type), h('span', { class: 'badge' }, `× ${Format.count(item.count)}`)),
                    h('div', { class: 'line small' }, `to ${Format.count(item.last)}, quickly repeated`)),
                h('div', { class: 'when' }, h('span', {}, app.timeText(item.first)), icon('chevron')));
        }
        const number = item.first;
        const bits = data.flagsOf(number);
        const { args, changed } = this.texts(number);
        const badges = app.badges(number);
        const notes = app.notesOf(number).map((note) => h('span', { class: 'badge note' }, icon('flag'), visible(Format.cut(note.text ?? note.name ?? 'note', 40))));
        return h('div', { ...properties, class: properties.class + (bits & flags.UNCHANGED ? ' is-quiet' : '') },
            h('span', { class: 'number' }, Format.count(number)), h('i', { class: colour }),
            h('div', { class: 'what' },
                h('div', { class: 'line' }, h('b', {}, type), h('span', { class: 'args' }, args)),
                h('div', { class: 'line small' }, badges, notes, h('span', { class: 'paths' }, changed))),
            h('div', { class: 'when' }, h('span', {}, app.timeText(number)), h('span', { class: 'took' }, Format.duration(data.durationOf(number)))));
    }

    /** What a row says of an action. Parsing costs, so the last ones are kept. */
    texts(number) {
        let texts = this.rowsCache.get(number);
        if (texts) return texts;
        const { data } = this.app;
        const row = data.row(number);
        const paths = data.changedPaths(number);
        const shown = paths.slice(0, 3).map(DOM.visible).join('  ');
        const args = row.payload === undefined ? '' : Format.argumentsOf(row.type, row.payload, 90);
        const isKnown = data.flagsOf(number) & flags.EFFECT;
        const mark = data.flagsOf(number) & flags.COMPUTED ? Format.computedMark : '';
        texts = { args, changed: paths.length === 0 ? (row.outside > 0 ? Format.outside(row.outside) : isKnown ? 'no change' : 'changes not known') : mark + shown + (paths.length > 3 ? `  +${paths.length - 3}` : '') };
        if (this.rowsCache.size > 600) this.rowsCache.clear();
        this.rowsCache.set(number, texts);
        return texts;
    }

    click(event) {
        const row = event.target.closest('.row');
        if (row) this.choose(Number(row.dataset.index));
    }

    /** Goes to an item; opens a fold. */
    choose(index) {
        const item = this.item(index);
        this.app.go({ number: item.first, reducer: null }, { isJump: true });
        this.list.focus({ preventScroll: true });
    }

    /** Keys in the list. Arrows left and right stay with the page. */
    key(event) {
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: this.virtual.visibleCount, PageUp: -this.virtual.visibleCount };
        const by = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey ? undefined : moves[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const index = Math.max(0, Math.min(this.virtual.count - 1, this.indexOf(this.app.view.number) + by));
        const item = this.item(index);
        this.app.go({ number: by < 0 && item.count > 1 ? item.last : item.first, reducer: null });
    }

    /** Follows the position. */
    update() {
        const { number } = this.app.view;
        this.openAt(number);
        this.virtual.resize(this.itemCount);
        const index = this.indexOf(number);
        if (this.virtual.count > 0) this.virtual.reveal(index);
        this.virtual.draw();
    }

    /** Tells screen readers which row is current, if it exists. */
    showActive() {
        const active = this.virtual.count > 0 ? `action-${this.item(this.indexOf(this.app.view.number)).first}` : null;
        if (active && document.getElementById(active)) this.list.setAttribute('aria-activedescendant', active);
        else this.list.removeAttribute('aria-activedescendant');
    }

    // MARK: Filters

    filterSoon() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.app.setFilter({ ...this.app.view.filter, text: this.text.value || undefined }), 120);
    }

    toggleFilters(isOpen = this.filters.hidden) {
        this.filters.hidden = !isOpen;
        this.more.setAttribute('aria-expanded', String(isOpen));
        if (isOpen) this.filters.querySelector('input, select')?.focus();
    }

    buildFilters() {
        const { h, fill, visible } = DOM;
        const { app } = this;
        const { data } = app;
        const change = (part) => app.setFilter({ ...app.view.filter, ...part });
        this.typeCount = data.typeNames.size;
        const types = data.types.map((type, index) => ({ ...type, index })).sort((a, b) => b.count - a.count);
        this.typeBoxes = types.slice(0, 200).map(({ name, count, index }) => {
            const box = h('input', {
                type: 'checkbox', on: {
                    change: () => {
                        const shown = new Set(this.typeBoxes.map((it) => it.name));
                        const others = (app.view.filter.types ?? []).filter((it) => !shown.has(it));
                        const chosen = [...others, ...this.typeBoxes.filter((it) => it.box.checked).map((it) => it.name)];
                        change({ types: chosen.length ? chosen : undefined });
                    },
                },
            });
            return { name, box, label: h('label', { class: 'check' }, box, h('i', { class: `dot type-${index % Palette.typeCount}` }), h('span', { class: 'grow' }, visible(name)), h('span', { class: 'dim' }, Format.count(count))) };
        });
        this.path = h('input', { type: 'text', class: 'field', placeholder: '/cart/lines', spellcheck: 'false', autocomplete: 'off', on: { change: () => change({ path: this.path.value || undefined }) } });
        this.reducer = h('select', { class: 'field', on: { change: () => change({ reducer: Number(this.reducer.value) || undefined }) } },
            h('option', { value: '' }, 'any'), data.head.reducers.map((name, index) => h('option', { value: index + 1 }, `${index + 1} ${visible(name)}`)));
        this.duration = h('select', { class: 'field', on: { change: () => change({ minDuration: Number(this.duration.value) || undefined }) } },
            [['', 'any'], [1e3, '1 µs'], [1e4, '10 µs'], [1e5, '100 µs'], [1e6, '1 ms'], [4e6, '4 ms'], [1.6e7, '16 ms'], [1e8, '100 ms']].map(([value, text]) => h('option', { value }, text)));
        const check = (name, text, value = true) => {
            const box = h('input', { type: 'checkbox', on: { change: () => change({ [name]: box.checked ? value : undefined }) } });
            this[name + 'Box'] = box;
            return h('label', { class: 'check' }, box, text);
        };
        fill(this.filters,
            h('fieldset', {}, h('legend', {}, 'Types'), h('div', { class: 'type-list' }, this.typeBoxes.map((it) => it.label))),
            h('div', { class: 'filter-grid' },
                h('label', {}, h('span', {}, 'Changed at path'), this.path),
                h('label', {}, h('span', {}, 'Changed by reducer'), this.reducer),
                h('label', {}, h('span', {}, 'Took at least'), this.duration)),
            check('changed', 'Hide actions that changed nothing'),
            check('problems', 'Only with problems, or states that are not known'),
            check('fold', 'Show each of many quick, equal actions', false));
    }

    /** Shows the filters that are set, each as a chip that removes it. */
    showFilter() {
        const { h, fill, icon, visible } = DOM;
        const { filter } = this.app.view;
        const { data } = this.app;
        if (document.activeElement !== this.text) this.text.value = filter.text ?? '';
        for (const { name, box } of this.typeBoxes) box.checked = filter.types?.includes(name) ?? false;
        if (document.activeElement !== this.path) this.path.value = filter.path ?? '';
        this.reducer.value = filter.reducer ?? '';
        this.duration.value = filter.minDuration ?? '';
        this.changedBox.checked = filter.changed === true;
        this.problemsBox.checked = filter.problems === true;
        this.foldBox.checked = filter.fold === false;
        const chip = (key, text) => h('button', {
            type: 'button', class: 'chip', title: 'Remove this filter', on: { click: () => this.app.setFilter({ ...filter, [key]: undefined }) },
        }, h('span', {}, text), icon('close'));
        const chips = [];
        if (filter.types) chips.push(chip('types', filter.types.length > 2 ? `${filter.types.length} types` : filter.types.map(visible).join(', ')));
        if (filter.path !== undefined) chips.push(chip('path', `changed ${visible(filter.path) || '/'}`));
        if (filter.reducer) chips.push(chip('reducer', `by ${visible(data.head.reducers[filter.reducer - 1] ?? '?')}`));
        if (filter.minDuration) chips.push(chip('minDuration', `≥ ${Format.duration(filter.minDuration)}`));
        if (filter.changed) chips.push(chip('changed', 'changed something'));
        if (filter.problems) chips.push(chip('problems', 'with problems'));
        fill(this.chips, chips);
        this.chips.hidden = chips.length === 0;
        this.more.classList.toggle('is-on', chips.length > 0);
    }
}
