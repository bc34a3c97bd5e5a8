'use strict';

/** Changes as the tool's `diff` and `show` print them: a line for each place. */
const Diff = (() => {
    const { h, visible } = DOM;
    /** The lines that are shown at once. */
    const most = 200;

    /** A path, whose last name stands out. It selects the place in the tree. */
    function pathButton(app, path) {
        const at = path.lastIndexOf('/');
        return h('button', { type: 'button', class: 'path', title: 'Show in the state', on: { click: () => app.select(path, { isShown: true }) } },
            path === '' ? h('b', {}, '(whole)') : [h('span', {}, visible(path.slice(0, at + 1))), h('b', {}, visible(path.slice(at + 1)) || '""')]);
    }

    const line = (app, kind, sign, path, ...content) =>
        h('div', { class: `change is-${kind}`, role: 'listitem' },
            h('span', { class: 'sign', 'aria-label': kind }, sign), h('div', { class: 'change-text' }, pathButton(app, path), ' ', h('span', { class: 'change-value' }, content)));

    const shown = (value, budget = 160) => {
        const text = Format.preview(value, budget);
        return text.length > budget * 3 ? Format.cut(text, budget * 3) + '…' : text;
    };

    /** `old → new`; of two texts, what differs stands out. */
    function replaced(old, fresh) {
        const isText = typeof old === 'string' && typeof fresh === 'string';
        let [before, after] = (isText && Format.changedTexts(old, fresh, 60)) || [shown(old), shown(fresh)];
        if (before === after) [before, after] = [textOf(old), textOf(fresh)].map((text) => visible(Format.cut(text, 400)));
        const parts = isText ? commonEnds(before, after) : null;
        return [
            h('del', {}, parts ? [parts.start, h('mark', {}, parts.old), parts.end] : before), h('span', { class: 'arrow' }, ' → '),
            h('ins', {}, parts ? [parts.start, h('mark', {}, parts.fresh), parts.end] : after),
        ];
    }

    /** The text that two texts begin and end with; `null` if they have little in common. */
    function commonEnds(old, fresh) {
        let start = 0;
        const shortest = Math.min(old.length, fresh.length);
        while (start < shortest && old[start] === fresh[start]) start += 1;
        let end = 0;
        while (end < shortest - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
        if (start + end < 4 || start + end < shortest / 3) return null;
        return { start: old.slice(0, start), old: old.slice(start, old.length - end), fresh: fresh.slice(start, fresh.length - end), end: old.slice(old.length - end) };
    }

    /** The lines of one operation. */
    function linesOf(app, { op, path, old, value, at, remove, insert }) {
        switch (op) {
            case 'add': return [line(app, 'added', '+', path, h('ins', {}, shown(value)))];
            case 'remove': return [line(app, 'removed', '−', path, h('del', {}, shown(old)))];
            case 'replace': return [line(app, 'changed', '~', path, replaced(old, value))];
            case 'splice': return [
                ...remove.slice(0, most).map((it, index) => line(app, 'removed', '−', `${path}/${at + index}`, h('del', {}, shown(it)))),
                ...insert.slice(0, most).map((it, index) => line(app, 'added', '+', `${path}/${at + index}`, h('ins', {}, shown(it)))),
            ];
            case 'edit': return [line(app, 'changed', '~', path, h('span', { class: 'dim' }, `at ${Format.count(at)} `), edited(remove, insert))];
            default: return [];
        }
    }

    const edited = (remove, insert) => {
        const text = (value) => (typeof value === 'string' ? JSONText(value) : shown(value));
        const isEmpty = (value) => value === '' || value?.length === 0;
        return [isEmpty(remove) ? null : h('del', {}, text(remove)), isEmpty(remove) || isEmpty(insert) ? null : ' ', isEmpty(insert) ? null : h('ins', {}, text(insert))];
    };
    const JSONText = (text) => visible(text.length > 400 ? textOf(Format.cut(text, 400)).slice(0, -1) + '…"' : textOf(text));

    /** The first of operations in a value on one line: `/3/title old → new, 2 more`. */
    function brief(operations, around) {
        const { op, path, old, value, at, remove, insert } = operations[0];
        const inner = visible(path.slice(around.length));
        const content = {
            add: () => ['+ ', inner, ' ', shown(value, 40)],
            remove: () => ['− ', inner, ' ', shown(old, 40)],
            replace: () => [inner, ' ', shown(old, 30), ' → ', shown(value, 30)],
            splice: () => [inner, insert.length > 0 ? ` + ${at} ${shown(insert[0], 40)}` : ` − ${at} ${shown(remove[0], 40)}`],
            edit: () => [inner, inner ? ' ' : '', h('span', { class: 'dim' }, `at ${Format.count(at)} `), edited(remove, insert)],
        }[op]();
        const more = Marks.linesOf(operations) - 1;
        return [content, more > 0 ? h('span', { class: 'dim' }, `, ${Format.count(more)} more`) : null];
    }

    /** A list of the lines of operations. More than fit are shown on demand. */
    function list(app, operations) {
        const element = h('div', { class: 'changes', role: 'list' });
        let next = 0;
        const more = h('button', { type: 'button', class: 'button', on: { click: () => show() } });
        const show = () => {
            const isFocused = document.activeElement === more;
            more.remove();
            let count = 0;
            for (; next < operations.length && count < most; next += 1) {
                const lines = linesOf(app, operations[next]);
                element.append(...lines);
                if (isFocused && count === 0) lines[0]?.querySelector('button')?.focus();
                count += lines.length;
            }
            if (next < operations.length) {
                more.textContent = `Show more of ${Format.counted(operations.length - next, 'change')}`;
                element.append(more);
            }
        };
        show();
        return element;
    }

    /** What stayed the same beside the changes: `unchanged: 3 members · /items: 41 elements`; `null` if nothing. */
    function unchanged(base, operations) {
        const deepest = 8;
        const touched = new Map();
        const at = (pointer) => {
            if (!touched.has(pointer)) touched.set(pointer, { children: new Set(), removed: 0 });
            return touched.get(pointer);
        };
        for (const { op, path, remove } of operations.slice(0, 2000)) {
            const parts = partsOf(path);
            parts.slice(0, deepest).forEach((name, index) => at(pointerOf(parts.slice(0, index))).children.add(name));
            if (op === 'splice' && parts.length < deepest) at(path).removed += remove.length;
        }
        const depth = (pointer) => pointer.split('/').length;
        const texts = [];
        for (const pointer of [...touched.keys()].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
            const value = valueAt(base, partsOf(pointer));
            const { children, removed } = touched.get(pointer);
            let same = 0;
            if (value instanceof Map) for (const name of value.keys()) same += children.has(name) ? 0 : 1;
            else if (Array.isArray(value)) same = value.length - removed - children.size;
            if (same > 0) texts.push(`${pointer ? visible(pointer) + ': ' : ''}${Format.counted(same, Array.isArray(value) ? 'element' : 'member')}`);
            if (texts.length === 4) break;
        }
        return texts.length > 0 ? h('p', { class: 'unchanged' }, `unchanged: ${texts.join(' · ')}`) : null;
    }

    return { list, brief, replaced, shown, unchanged };
})();
