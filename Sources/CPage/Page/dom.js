/**
 * Builds elements, and shows text of a recording.
 *
 * Text of a recording is hostile. It reaches the page only as text nodes, and through a few attributes that cannot run
 * anything. Nothing is ever parsed as HTML.
 */
const DOM = (() => {
    const allowedAttributes = /^(id|class|role|type|tabindex|title|for|name|value|placeholder|scope|open|disabled|checked|autocomplete|spellcheck|inputmode|list|min|max|step|colspan|hidden|aria-[a-z]+|data-[a-z-]+)$/;

    /**
     * Creates an element. `properties`: attributes, and `on`, an object of listeners. `true` and `false` switch an
     * attribute, except for ARIA's, which have these words as values. Children: nodes, texts; `null` is left out.
     */
    function h(tag, properties, ...children) {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(properties ?? {})) {
            if (value === undefined || value === null) continue;
            if (name === 'on') {
                for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
            } else if (!allowedAttributes.test(name)) {
                throw new Error(`no attribute ${name}`);
            } else if (typeof value === 'boolean' && !name.startsWith('aria-')) {
                element.toggleAttribute(name, value);
            } else {
                element.setAttribute(name, String(value));
            }
        }
        append(element, children);
        return element;
    }

    function append(element, children) {
        for (const child of children) {
            if (child === undefined || child === null || child === false) continue;
            if (Array.isArray(child)) append(element, child);
            else element.append(child);
        }
    }

    const focusable = 'button, input, select, [tabindex]';

    /** Replaces the content of an element. What has the focus in it keeps it, or what takes its place has it. */
    function fill(element, ...children) {
        const focused = document.activeElement;
        const at = focused !== element && element.contains(focused) ? [...element.querySelectorAll(focusable)].indexOf(focused) : -1;
        element.replaceChildren();
        append(element, children);
        if (at >= 0) {
            const all = [...element.querySelectorAll(focusable)];
            const isLike = (it) => it.className.split(' ')[0] === focused.className.split(' ')[0] && it.textContent === focused.textContent;
            const next = all.find(isLike) ?? all[Math.min(at, all.length - 1)] ?? element.closest('section')?.querySelector(focusable);
            next?.focus({ preventScroll: true });
        }
        return element;
    }

    const svgNames = 'http://www.w3.org/2000/svg';
    const icons = {
        first: 'M4 3v10M13 3 6 8l7 5z',
        previous: 'M11 3 5 8l6 5z',
        play: 'M4 2.5 13 8l-9 5.5z',
        pause: 'M5 3v10M11 3v10',
        next: 'M5 3l6 5-6 5z',
        last: 'M12 3v10M3 3l7 5-7 5z',
        stepBack: 'M9 4 5 8l4 4M13 4 9 8l4 4',
        stepOn: 'M7 4l4 4-4 4M3 4l4 4-4 4',
        search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3.5 3.5',
        sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
        moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5 6 6 0 1 0 13.5 9.5z',
        help: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM6 6.2a2 2 0 1 1 2.8 1.9c-.6.3-.8.6-.8 1.200M8 11.4v.2',
        pin: 'M8 10v5M4.5 10h7L10 7V2.500H6V7z',
        copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
        close: 'M4 4l8 8M12 4l-8 8',
        chevron: 'M6 3.5 10.5 8 6 12.5',
        filter: 'M2 3.5h12M4.5 8h7M7 12.5h2',
        flag: 'M4 15V2h8l-2 3 2 3H4',
        fit: 'M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3',
        blame: 'M8 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c.5-3 2.7-4.5 5.5-4.5s5 1.5 5.5 4.5',
        target: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10zM8 0v4M8 12v4M0 8h4M12 8h4',
        zoomIn: 'M8 3v10M3 8h10',
        zoomOut: 'M3 8h10',
    };
    const filled = new Set(['play', 'previous', 'next']);

    function icon(name) {
        const svg = document.createElementNS(svgNames, 'svg');
        svg.setAttribute('viewBox', '0 0 16 16');
        svg.setAttribute('class', 'glyph' + (filled.has(name) ? ' filled' : ''));
        svg.setAttribute('aria-hidden', 'true');
        const path = document.createElementNS(svgNames, 'path');
        path.setAttribute('d', icons[name]);
        svg.append(path);
        return svg;
    }

    function button(properties, onClick, ...content) {
        return h('button', { type: 'button', ...properties, on: { click: onClick } }, content);
    }

    /** A button with an icon, whose label is its tooltip too. `key`: the key that does the same. */
    function iconButton(name, label, key, onClick, properties) {
        const title = key ? `${label}  (${key})` : label;
        return button({ class: 'icon', 'aria-label': label, title, ...properties }, onClick, icon(name));
    }

    const hidden =
        // eslint-disable-next-line no-control-regex
        /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/g;

    /** Text in which what cannot be seen is seen: `\u202e`. Names and keys of a recording need this. */
    const visible = (text) =>
        text.replace(hidden, (character) => {
            const short = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
            return short ?? escapedUnits(character);
        });

    /** Copies text. Returns whether that was possible. */
    async function copy(text) {
        try {
            await navigator.clipboard.writeText(text);
            return true;
        } catch {
            const area = h('textarea', { class: 'visually-hidden' });
            area.value = text;
            document.body.append(area);
            area.select();
            const isDone = document.execCommand('copy');
            area.remove();
            return isDone;
        }
    }

    /** Tells screen readers which element in a list or a tree is current, if it exists. */
    function setActive(container, id) {
        if (id !== null && document.getElementById(id)) container.setAttribute('aria-activedescendant', id);
        else container.removeAttribute('aria-activedescendant');
    }

    /** Calls a function at the next frame, once however often it was asked for. */
    function onceAFrame(body) {
        let request = 0;
        return () => {
            request ||= requestAnimationFrame(() => {
                request = 0;
                body();
            });
        };
    }

    return { h, fill, icon, button, iconButton, visible, copy, setActive, onceAFrame };
})();
