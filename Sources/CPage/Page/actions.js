/**
 * The list of actions: a listbox of which only the rows in view exist, and the filters above it.
 *
 * An item of the list is an action, or a fold: a run of quick actions of one type, shown as one row until the position
 * enters it.
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
            class: 'scroller list', role: 'listbox', tabindex: '0', id: 'action-list', 'aria-label': 'Actions', on: { click: (event) => this.click(event) },
        });
        // Arrows left and right stay with the page.
        const go = (by) => this.go(by);
        const page = () => this.virtual.visibleCount;
        Commands.listen(this.list, { ArrowDown: () => go(1), ArrowUp: () => go(-1), PageDown: () => go(page()), PageUp: () => go(-page()) });
        this.empty = h('div', { class: 'empty', hidden: true }, h('p', {}, 'No action meets the filters.'),
            DOM.button({ class: 'button' }, () => app.setFilter({}), 'Clear filters'));
        panel.append(
            h('div', { class: 'panel-head' }, h('h2', {}, 'Actions'), this.count),
            h('div', { class: 'filter-line' }, h('label', { class: 'field-box' }, icon('search'), this.text), this.more),
            this.filters, this.chips, this.empty, this.list,
        );
        this.virtual = new VirtualRows(this.list, { rowHeight: ActionList.rowHeight, render: (index) => this.row(index), onDraw: () => this.showActive() });
        this.rowsCache = new Map();
        this.list.style.setProperty('--number-width', `${Math.max(4, Format.count(app.data.last).length) * 7 + 6}px`);
        this.buildFilters();
    }

    // MARK: Items

    /** Makes the items of the actions that meet the filters. The start is the first one, unless a filter is set. */
    rebuild() {
        const { app } = this;
        const { data, listed } = app;
        this.folds = app.view.filter.fold === false ? [] : this.findFolds();
        this.open = null;
        this.openAt(app.view.number);
        this.virtual.set(this.items.length);
        this.empty.hidden = listed.length > 0 || app.filtered === null;
        this.list.setAttribute('aria-label', `Actions, ${Format.counted(listed.length, 'action')}`);
        const all = data.last - data.first;
        this.count.textContent = listed.length === all ? Format.count(all) : `${Format.count(listed.length)} of ${Format.count(all)}`;
    }

    /** The runs of quick actions of one type: `[from, end]`, indices in `app.listed`. */
    findFolds() {
        const { data, listed } = this.app;
        const isNext = (index) => {
            const [before, number] = [listed[index - 1], listed[index]];
            return number === before + 1 && data.typeIndexOf(number) === data.typeIndexOf(before)
                && data.timeOf(number) - data.timeOf(before) < ActionList.foldGap && !(data.flagsOf(number) & flags.NOTE);
        };
        const folds = [];
        for (let from = 0, end = 1; from < listed.length; from = end, end += 1) {
            while (end < listed.length && isNext(end)) end += 1;
            if (end - from >= ActionList.shortestFold) folds.push([from, end]);
        }
        return folds;
    }

    /** Opens the fold that a number is in, and closes another one. */
    openAt(number) {
        const { data, listed, filtered } = this.app;
        const fold = this.folds[lastIndex(this.folds.length, (at) => listed[this.folds[at][0]] <= number)];
        const open = fold !== undefined && number <= listed[fold[1] - 1] ? fold : undefined;
        if (this.open === open) return;
        this.open = open;
        /** The first number of each item. */
        this.items = filtered === null ? [data.first] : [];
        let from = 0;
        for (const [first, end] of this.folds.filter((it) => it !== open)) {
            for (; from <= first; from += 1) this.items.push(listed[from]);
            from = end;
        }
        for (; from < listed.length; from += 1) this.items.push(listed[from]);
    }

    /** The numbers of an item. */
    item(index) {
        const { listed } = this.app;
        const first = this.items[index];
        const fold = this.folds[lastIndex(this.folds.length, (at) => listed[this.folds[at][0]] <= first)];
        if (fold === undefined || fold === this.open || listed[fold[0]] !== first) return { first, last: first, count: 1 };
        return { first, last: listed[fold[1] - 1], count: fold[1] - fold[0] };
    }

    /** The index of the item with a number, or of the last one before it. */
    indexOf(number) {
        return Math.max(0, lastIndex(this.items.length, (at) => this.items[at] <= number));
    }

    // MARK: Rows

    row(index) {
        const { h, icon, visible } = DOM;
        const { app } = this;
        const { data, view } = app;
        const { first: number, last, count } = this.item(index);
        const isCurrent = view.number >= number && view.number <= last;
        const bits = number === data.first ? 0 : data.flagsOf(number);
        const element = (className, lines, when) => h('div', {
            class: `row action${isCurrent ? ' is-current' : ''}${className}`, role: 'option', id: `action-${number}`, 'data-index': index,
            'aria-selected': isCurrent, 'aria-setsize': this.virtual.count, 'aria-posinset': index + 1,
        }, h('span', { class: 'number' }, Format.count(number)), app.dot(number), h('div', { class: 'what' }, lines), when && h('div', { class: 'when' }, when));
        const line = (...content) => h('div', { class: 'line' }, content);
        const small = (...content) => h('div', { class: 'line small' }, content);
        if (number === data.first) {
            const isPart = data.first > 0;
            const text = isPart ? `After action ${Format.count(number)}; earlier ones are not here` : data.last > data.first ? 'The state before the first action' : 'No action follows';
            return element('', [line(h('b', {}, 'Start')), small(text)]);
        }
        const type = h('b', {}, visible(data.typeOf(number)));
        const time = h('span', {}, app.timeText(number));
        if (count > 1) {
            const badge = h('span', { class: 'badge' }, `× ${Format.count(count)}`);
            return element(' fold', [line(type, badge), small(`to ${Format.count(last)}, quickly repeated`)], [time, icon('chevron')]);
        }
        const { args, changed } = this.texts(number);
        const notes = app.notesOf(number).map((note) => h('span', { class: 'badge note' }, icon('flag'), visible(Format.cut(note.text ?? note.name ?? 'note', 40))));
        const took = h('span', { class: 'took' }, Format.duration(data.durationOf(number)));
        return element(bits & flags.UNCHANGED ? ' is-quiet' : '', [
            line(type, h('span', { class: 'args' }, args)),
            small(app.badges(number), notes, h('span', { class: 'paths' }, changed)),
        ], [time, took]);
    }

    /** What a row says of an action. Parsing costs, so the last ones are kept. */
    texts(number) {
        const known = this.rowsCache.get(number);
        if (known) return known;
        const { data } = this.app;
        const row = data.row(number);
        const paths = data.changedPaths(number);
        const bits = data.flagsOf(number);
        const more = paths.length > 3 ? `  +${paths.length - 3}` : '';
        let changed = (bits & flags.COMPUTED ? Format.computedMark : '') + paths.slice(0, 3).map(DOM.visible).join('  ') + more;
        if (paths.length === 0) changed = row.outside > 0 ? Format.outside(row.outside) : bits & flags.EFFECT ? 'no change' : 'changes not known';
        const texts = { args: row.payload === undefined ? '' : Format.argumentsOf(row.type, row.payload, 90), changed };
        if (this.rowsCache.size > 600) this.rowsCache.clear();
        this.rowsCache.set(number, texts);
        return texts;
    }

    /** Goes to an item; opens a fold. */
    click(event) {
        const row = event.target.closest('.row');
        if (!row) return;
        this.app.go({ number: this.items[Number(row.dataset.index)], reducer: null }, { isJump: true });
        this.list.focus({ preventScroll: true });
    }

    /** Goes so many items on or back. The position may stand between two of them, or before the first. */
    go(by) {
        if (this.items.length === 0) return;
        const { number } = this.app.view;
        const before = lastIndex(this.items.length, (at) => this.items[at] <= number);
        const isBetween = before < 0 || this.item(before).last < number;
        const index = Math.max(0, Math.min(this.items.length - 1, before + by + (isBetween && by < 0 ? 1 : 0)));
        const { first, last } = this.item(index);
        if (by < 0 ? last <= number : first >= number) this.app.go({ number: by < 0 ? last : first, reducer: null });
    }

    /** Follows the position. */
    update() {
        const { number } = this.app.view;
        this.openAt(number);
        this.virtual.resize(this.items.length);
        if (this.virtual.count > 0) this.virtual.reveal(this.indexOf(number));
        this.virtual.draw();
    }

    /** Tells screen readers which row is current, if it exists. */
    showActive() {
        DOM.setActive(this.list, this.virtual.count > 0 ? `action-${this.items[this.indexOf(this.app.view.number)]}` : null);
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

    focusFilter() {
        this.app.panels.show('actions');
        this.text.focus();
        this.text.select();
    }

    /** Closes the filters, or clears them. */
    closeFilters() {
        if (!this.filters.hidden) this.toggleFilters(false);
        else if (this.app.filtered) this.app.setFilter({});
    }

    leaveFilters() {
        this.toggleFilters(false);
        this.list.focus();
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
        this.checks = [];
        const check = (name, text, value = true) => {
            const box = h('input', { type: 'checkbox', on: { change: () => change({ [name]: box.checked ? value : undefined }) } });
            this.checks.push({ name, value, box });
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
        for (const { name, value, box } of this.checks) box.checked = filter[name] === value;
        const chip = (key, text) => DOM.button({ class: 'chip', title: 'Remove this filter' }, () => this.app.setFilter({ ...filter, [key]: undefined }), h('span', {}, text), icon('close'));
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
