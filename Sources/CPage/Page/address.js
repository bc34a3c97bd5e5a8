/**
 * The view in the address's fragment, so that a link points at a moment: `#p=41.3&path=/cart/total&pin=/cart/total`.
 *
 * `p`: position; `d`: the mark; `path`: what is selected; `pin`: one for each pin; `tab`; `scale=time`; `w=from-to`: the
 * part of the timeline; filters: `type` (one for each), `text`, `at` (changed path), `by` (reducer), `took` (ns),
 * `changed=1`, `problems=1`, `fold=0`.
 */
const Address = {
    /** The conditions of the filter: their names in it, and what an address says of them. */
    conditions: {
        text: ['text', (text) => text || undefined],
        at: ['path', (text) => (StateTree.isPointer(text) ? text : undefined)],
        took: ['minDuration', (text) => (Number(text) > 0 && Number(text) < Infinity ? Number(text) : undefined)],
        changed: ['changed', (text) => (text === '1' ? true : undefined)],
        problems: ['problems', (text) => (text === '1' ? true : undefined)],
        fold: ['fold', (text) => (text === '0' ? false : undefined)],
    },

    write(view, window) {
        const parts = [`p=${Format.position(view)}`];
        const put = (name, value) => parts.push(`${name}=${encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%20', '+')}`);
        if (view.mark) put('d', Format.position(view.mark));
        if (view.path !== null && StateTree.isPointer(view.path)) put('path', view.path);
        for (const pin of view.pins) put('pin', pin);
        if (view.tab !== 'action') put('tab', view.tab);
        if (view.scale !== 'number') put('scale', view.scale);
        if (window) put('w', window.map((it) => Math.round(it * 10) / 10).join('-'));
        const { filter } = view;
        for (const type of filter.types ?? []) put('type', type);
        if (filter.reducer) put('by', filter.reducer);
        for (const [name, [key]] of Object.entries(Address.conditions)) {
            if (filter[key] !== undefined) put(name, typeof filter[key] === 'boolean' ? Number(filter[key]) : filter[key]);
        }
        return '#' + parts.join('&');
    },

    /** The parts of a view that a fragment has. What does not fit the recording is left out, and named in `problems`. */
    read(fragment, data) {
        const values = new URLSearchParams(fragment.replace(/^#/, ''));
        const filter = {};
        const known = new Set(data.types.map((it) => it.name));
        const problems = [];
        const wanted = values.getAll('type');
        const types = wanted.filter((name) => known.has(name));
        for (const name of new Set(wanted)) if (!known.has(name)) problems.push(`it has no action of type ${DOM.visible(Format.cut(name, 60))}`);
        const position = (name) => {
            if (!values.has(name)) return null;
            const found = Format.parsePosition(values.get(name), data);
            if (!found) problems.push(`position ${DOM.visible(Format.cut(values.get(name), 60))} is not in it, which goes from ${data.first} to ${data.last}`);
            return found;
        };
        if (types.length) filter.types = types;
        for (const [name, [key, read]] of Object.entries(Address.conditions)) {
            const value = values.has(name) ? read(values.get(name)) : undefined;
            if (value !== undefined) filter[key] = value;
        }
        const reducer = Number(values.get('by'));
        if (Number.isInteger(reducer) && reducer > 0 && reducer <= data.head.reducers.length) filter.reducer = reducer;
        else if (values.has('by')) problems.push(`it has no reducer ${DOM.visible(Format.cut(values.get('by'), 60))}`);
        // A recording's start stands at 0, and the axis begins before it.
        const window = /^(-?[\d.]+)-([\d.]+)$/.exec(values.get('w') ?? '');
        const tab = values.get('tab');
        return {
            position: position('p'),
            mark: position('d'),
            problems,
            path: StateTree.isPointer(values.get('path')) ? values.get('path') : null,
            pins: [...new Set(values.getAll('pin').filter(StateTree.isPointer))].slice(0, 12),
            tab: Inspector.tabs.some(([name]) => name === tab) ? tab : 'action',
            scale: values.get('scale') === 'time' ? 'time' : 'number',
            window: window && Number(window[1]) < Number(window[2]) ? [Number(window[1]), Number(window[2])] : null,
            filter,
        };
    },
};
