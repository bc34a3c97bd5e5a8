/**
 * The view in the address's fragment, so that a link points at a moment: `#p=41.3&path=/cart/total&pin=/cart/total`.
 *
 * `p`: position; `d`: the mark; `path`: what is selected; `pin`: one for each pin; `tab`; `scale=time`; `w=from-to`: the
 * part of the timeline; filters: `type` (one for each), `text`, `at` (changed path), `by` (reducer), `took` (ns),
 * `changed=1`, `problems=1`, `fold=0`.
 */
const Address = {
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
        if (filter.text) put('text', filter.text);
        if (filter.path !== undefined) put('at', filter.path);
        if (filter.reducer) put('by', filter.reducer);
        if (filter.minDuration) put('took', filter.minDuration);
        if (filter.changed) put('changed', 1);
        if (filter.problems) put('problems', 1);
        if (filter.fold === false) put('fold', 0);
        return '#' + parts.join('&');
    },

    /** The parts of a view that a fragment has. What does not fit the recording is left out, and named in `problems`. */
    read(fragment, data) {
        const values = new URLSearchParams(fragment.replace(/^#/, ''));
        const pointer = (text) => (text !== null && StateTree.isPointer(text) ? text : null);
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
        if (values.get('text')) filter.text = values.get('text');
        if (pointer(values.get('at')) !== null) filter.path = values.get('at');
        const reducer = Number(values.get('by'));
        if (Number.isInteger(reducer) && reducer > 0 && reducer <= data.head.reducers.length) filter.reducer = reducer;
        else if (values.has('by')) problems.push(`it has no reducer ${DOM.visible(Format.cut(values.get('by'), 60))}`);
        const duration = Number(values.get('took'));
        if (duration > 0 && duration < Infinity) filter.minDuration = duration;
        if (values.get('changed') === '1') filter.changed = true;
        if (values.get('problems') === '1') filter.problems = true;
        if (values.get('fold') === '0') filter.fold = false;
        const window = /^([\d.]+)-([\d.]+)$/.exec(values.get('w') ?? '');
        const tab = values.get('tab');
        return {
            position: position('p'),
            mark: position('d'),
            problems,
            path: pointer(values.get('path')),
            pins: [...new Set(values.getAll('pin').filter((it) => pointer(it) !== null))].slice(0, 12),
            tab: Inspector.tabs.some(([name]) => name === tab) ? tab : 'action',
            scale: values.get('scale') === 'time' ? 'time' : 'number',
            window: window && Number(window[1]) < Number(window[2]) ? [Number(window[1]), Number(window[2])] : null,
            filter,
        };
    },
};
