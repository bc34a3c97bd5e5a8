/** How values, times and counts of a recording read. The forms are those of the command-line tool. */
const Format = (() => {
    const { visible } = DOM;

    const grouping = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
    const count = (number) => grouping.format(number);
    const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;

    /** The changes of an action that the page does not have. */
    const outside = (changes) => `${counted(changes, 'change')} outside of this page`;

    /** The mark of what the tool computed. */
    const computedMark = '≈ ';

    /** Nanoseconds: `838 ns`, `2.9 µs`, `14 ms`; from two minutes on `02:05.000`. */
    function duration(ns) {
        if (Number.isNaN(ns)) return '–';
        if (ns >= 120e9) return time(ns / 1e6).slice(1);
        for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]]) {
            if (ns < size) continue;
            const tenths = Math.round((ns / size) * 10);
            return `${tenths < 100 ? (tenths / 10).toFixed(1) : count(Math.round(ns / size))} ${unit}`;
        }
        return `${Math.round(ns)} ns`;
    }

    /** Milliseconds since the start: `+00:12.345`; in a recording of less than two seconds `+12.345 ms`. */
    function time(ms, isShort) {
        if (!Number.isFinite(ms)) return '';
        const sign = ms < 0 ? '-' : '+';
        const all = Math.abs(ms);
        if (isShort) return `${sign}${all.toFixed(all < 100 ? 2 : 1)} ms`;
        const two = (number) => String(number).padStart(2, '0');
        const whole = Math.floor(all / 1000);
        const millis = String(Math.floor(all % 1000)).padStart(3, '0');
        const hours = Math.floor(whole / 3600);
        return `${sign}${hours ? hours + ':' : ''}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}.${millis}`;
    }

    /** `41`, or `41.3` after its third reducer. */
    const position = ({ number, reducer }) => (reducer === null ? String(number) : `${number}.${reducer}`);

    /** The same for people: `52,345.3`. */
    const shownPosition = ({ number, reducer }) => count(number) + (reducer === null ? '' : `.${reducer}`);

    /**
     * `{number, reducer}` of `41`, `41.3`, `start`, `end`, `crash`, `50%`, a time since the start `+00:12.5`, before the
     * end `-5s`, or of day `14:03:22` in UTC, or a note; `null` if it is none.
     */
    function parsePosition(text, data) {
        const trimmed = text.trim();
        let match = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(trimmed.replaceAll(',', ''));
        if (match) {
            const number = Number(match[1]);
            const reducer = match[2] === undefined ? null : Number(match[2]);
            if (number < data.first || number > data.last) return null;
            if (reducer !== null && (number === data.first || reducer > data.head.reducers.length)) return null;
            return { number, reducer };
        }
        if (trimmed === 'start') return { number: data.first, reducer: null };
        if (trimmed === 'end') return { number: data.last, reducer: null };
        if (trimmed === 'crash') {
            const { kind, number } = data.ending;
            return kind === 'crashed' ? { number: Math.max(data.first, Math.min(data.last, number ?? data.last)), reducer: null } : null;
        }
        match = /^(\d{1,3}(?:\.\d+)?)%$/.exec(trimmed);
        if (match && Number(match[1]) <= 100) {
            return { number: Math.round(data.first + ((data.last - data.first) * Number(match[1])) / 100), reducer: null };
        }
        const note = data.notes.find((it) => it.name === trimmed || it.text === trimmed);
        if (note) return { number: note.number, reducer: note.reducer };
        const number = numberAtMoment(trimmed, data);
        return number === null ? null : { number, reducer: null };
    }

    const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
    const day = 24 * units.h;

    /**
     * The number of a time, as the tool's `MomentText` and `Recording+Moment` find it; `null` if the text is none, or the
     * recording has no such time. Of a time of day that came more than once, it is the first.
     */
    function numberAtMoment(text, data) {
        const end = data.endTime;
        const begin = Math.min(0, data.last > data.first ? data.timeOf(data.first + 1) : 0);
        const clock = (hours, minutes, seconds) => Number(hours ?? 0) * units.h + Number(minutes ?? 0) * units.m + Number(seconds ?? 0) * units.s;
        const exact = 5e-7;
        const lasting = (digits) => (digits > 3 ? exact : digits > 0 ? 1 : units.s);
        let [times, length] = [[], exact];
        let match = /^\+(?:(\d{1,5}):)?(\d{1,5}):(\d\d(?:\.(\d{1,9}))?)$/.exec(text);
        if (match) {
            times = [clock(match[1], match[2], match[3])];
            length = lasting(match[4]?.length ?? 0);
        } else if ((match = /^([+-])(\d{1,7}(?:\.(\d{1,9}))?)( ?)(ms|s|m|h)$/.exec(text))) {
            const [, sign, amount, digits = '', space, name] = match;
            const ms = Number(amount) * units[name];
            // A shorter recording has nothing before its start.
            if (sign === '-' && end - ms + exact <= begin) return data.first;
            times = [sign === '+' ? ms : end - ms];
            // With a space, it is a time as the page shows it: 13.88 ms is until 13.89 ms.
            if (sign === '+') length = space ? units[name] * 10 ** -digits.length : lasting(digits.length + (name === 'ms' ? 3 : 0));
        } else {
            match = /^(\d{1,2}):(\d\d)(?::(\d\d(?:\.(\d{1,9}))?))?(?:Z| UTC)?$/.exec(text);
            if (!match) return null;
            const created = Number(data.created) / 1e6;
            const [from, to] = [begin, end].map((ms) => Math.floor((created + ms) / day));
            for (let at = from; at <= Math.min(to, from + 400); at += 1) times.push(at * day - created + clock(match[1], match[2], match[3]));
            length = lasting(match[4]?.length ?? 0);
        }
        const time = times.find((ms) => ms + length > begin && ms <= end);
        return time === undefined ? null : numberBefore(time + length, data);
    }

    /** The last action before a time; the first state if there is none. A clock may be set back, so all are asked. */
    function numberBefore(ms, data) {
        let number = data.last;
        while (number > data.first && !(data.timeOf(number) < ms)) number -= 1;
        return number;
    }

    // MARK: Values

    /** The word for a value's type; it is also the class of its colour. */
    function kind(value) {
        if (value === null || value === undefined) return 'null';
        if (value === '[redacted]') return 'redacted';
        if (typeof value === 'string') return 'string';
        if (typeof value === 'boolean') return 'bool';
        if (isNumber(value)) return 'number';
        if (value instanceof Bytes) return 'data';
        return Array.isArray(value) ? 'array' : 'object';
    }

    /** The same for a value at a place of a state, where the recording tells whether it hides that place. */
    function kindAt(value, pointer, data) {
        const word = kind(value);
        return word === 'redacted' && !data.isPlaceholder(value, pointer) ? 'string' : word;
    }

    const isPlainKey = (key) => key.length <= 40 && /^[\p{Alphabetic}\p{N}_$-]+$/u.test(key);
    const key = (name) => (isPlainKey(name) ? name : string(name, 40));

    function string(text, longest) {
        const bytes = text.length;
        if (bytes <= longest + 16) return visible(textOf(text));
        return `${visible(textOf(cut(text, longest))).slice(0, -1)}…" (+${count(bytes - longest)})`;
    }

    /**
     * Two texts on one line each, without the start that both have if it is long: what differs is in view. `null` if they
     * can be shown as other texts are.
     */
    function changedTexts(old, fresh, longest) {
        let [start] = commonEnds(old, fresh);
        if (start <= longest / 2) return null;
        start -= 12;
        if (/[\udc00-\udfff]/.test(old[start])) start -= 1;
        return [old, fresh].map((text) => `"…${string(text.slice(start), longest).slice(1)}`);
    }

    /** The first characters, without half of a pair. */
    const cut = (text, longest) => {
        const isPair = /[\ud800-\udbff]/.test(text[longest - 1] ?? '');
        return text.slice(0, isPair ? longest - 1 : longest);
    };

    function data(value) {
        const shown = value.bytes.subarray(0, 8);
        const hex = [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join('');
        return `<${counted(value.length, 'byte')}${hex ? ': ' + hex : ''}${value.length > 8 ? '…' : ''}>`;
    }

    /** The first bytes of data, sixteen a line. */
    function hexadecimal(value) {
        const bytes = value.bytes.subarray(0, 512);
        const lines = [counted(value.length, 'byte')];
        for (let at = 0; at < bytes.length; at += 16) {
            const line = [...bytes.subarray(at, at + 16)];
            const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
            const text = line.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
            lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${text}`);
        }
        return lines.join('\n') + (value.length > 512 ? '\n…' : '');
    }

    /** A value on one line, in Swift's notation, in about so many characters: `{id: 3, title: "Milk"}`. `isBare`: without the braces. */
    function preview(value, budget = 80, isBare = false) {
        const parts = [];
        let left = budget;
        const put = (text) => {
            parts.push(text);
            left -= text.length;
        };
        const write = (it, depth) => {
            switch (kind(it)) {
                case 'null': return put('nil');
                case 'redacted': return put('[redacted]');
                case 'string': return put(string(it, Math.min(60, Math.max(12, left))));
                case 'number': return put(textOf(it, { plain: true }));
                case 'data': return put(data(it));
                case 'array':
                    if (depth > 5 && it.length) return put(`[…${it.length}]`);
                    put('[');
                    members(it, depth);
                    return put(']');
                case 'object': {
                    if (depth > 5 && it.size) return put(`{…${it.size}}`);
                    const enumCase = caseOf(it);
                    if (enumCase) {
                        put('.' + key(enumCase.name));
                        if (!enumCase.payload.size) return;
                        put('(');
                        members(enumCase.payload, depth);
                        return put(')');
                    }
                    put('{');
                    members(it, depth);
                    return put('}');
                }
                default: return put(String(it));
            }
        };
        const members = (container, depth) => {
            let at = 0;
            for (const [name, member] of container.entries()) {
                if (left <= 0) {
                    put(`${at ? ', ' : ''}… +${count(sizeOf(container) - at)}`);
                    break;
                }
                if (at) put(', ');
                if (container instanceof Map && !/^_\d+$/.test(name)) put(key(name) + ': ');
                write(member, depth + 1);
                at += 1;
            }
        };
        if (isBare && value instanceof Map) members(value, 0);
        else write(value, 0);
        return parts.join('');
    }

    /** The same, cut if it is much longer. */
    const oneLine = (value, budget = 90) => {
        const text = preview(value, budget);
        return text.length > budget * 2.5 ? cut(text, budget * 2.5) + '…' : text;
    };

    /** An enum's case as its coding has it: an object whose only member is an object. */
    function caseOf(value) {
        if (!(value instanceof Map) || value.size !== 1) return null;
        const [[name, payload]] = value;
        return payload instanceof Map && /^[\p{Alphabetic}_]/u.test(name) ? { name, payload } : null;
    }

    /** The arguments of an action: `sku: "TEA-001", quantity: 2`. */
    function argumentsOf(type, payload, budget = 120) {
        if (payload === undefined || payload === null) return '';
        return preview(innerPayload(type, payload), budget, true);
    }

    /** A payload without the name of its type, which stands beside it. */
    const innerPayload = (type, payload) => (payload instanceof Map && payload.size === 1 && payload.has(type) ? payload.get(type) : payload);

    // MARK: Dates in values

    const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
    const dateForm = new Intl.DateTimeFormat('en-GB', {
        weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC',
    });

    /** `Sat 14 Mar 2026, 09:26:53` if a value is the text of a date. In UTC. */
    function dateHint(value) {
        if (typeof value !== 'string' || value.length > 40 || !isoDate.test(value)) return null;
        const date = new Date(value);
        // JavaScript takes 30 February for 2 March.
        const [year, month, day] = value.slice(0, 10).split('-').map(Number);
        if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
        return Number.isNaN(date.getTime()) ? null : dateForm.format(date).replace(',', '') + ' UTC';
    }

    /** A word for the shell, quoted if it needs to be. */
    function shellWord(word) {
        if (word.startsWith('-')) word = `./${word}`;
        if (/^[\w./@%+:,-]+$/.test(word)) return word;
        if (visible(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
        // What cannot be seen stands as its bytes, which shells read in $'…'.
        const bytes = [...encoder.encode(word)].map((byte) =>
            byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte).replace(/['\\]/, '\\$&') : `\\x${byte.toString(16).padStart(2, '0')}`);
        return `$'${bytes.join('')}'`;
    }

    return {
        count, counted, outside, computedMark, duration, time, position, shownPosition, parsePosition, kind, kindAt, key, preview, oneLine,
        argumentsOf, innerPayload, hexadecimal, dateHint, shellWord, cut, changedTexts, visible, string,
    };
})();
