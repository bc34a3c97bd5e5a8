/// A Python script that writes a closed recording without skipped actions as text, from the documentation of the form.
///
/// The input is the recording's path.
let textOracle = #"""
    import json, re, sqlite3, sys

    class Literal(str): pass

    UNSAFE = re.compile('[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff'
        '\ufff9-\ufffb\U000e0000-\U000e007f]')

    def parse(text): return json.loads(text, parse_float=Literal, parse_int=Literal)

    def string(text):
        text = json.dumps(text, ensure_ascii=False)
        return UNSAFE.sub(lambda m: json.dumps(m.group())[1:-1], text)

    def line(value):
        if isinstance(value, Literal): return value
        if isinstance(value, str): return string(value)
        if isinstance(value, list): return '[' + ','.join(map(line, value)) + ']'
        if isinstance(value, dict): return '{' + ','.join(string(k) + ':' + line(v) for k, v in value.items()) + '}'
        return json.dumps(value)

    def operation(op):
        kind, path, rest = op[0][0], op[0][1:], op[1:]
        name = {'a': 'add', 'd': 'remove', 'r': 'replace', 's': 'splice', 'e': 'edit'}[kind]
        keys = {'a': ['value', 'at'], 'd': ['old', 'at'], 'r': ['old', 'value']}.get(kind, ['remove', 'insert', 'at'])
        values = dict(zip(keys, rest))
        if kind in 'se': values = {'at': values.pop('at'), **values}
        return {'op': name, 'path': path, **values}

    def export(file):
        db = sqlite3.connect('file:' + file + '?mode=ro&immutable=1', uri=True)
        facts = dict(db.execute('SELECT key, value FROM recording'))
        names = dict(db.execute('SELECT id, text FROM name'))
        reducers = [name for id, name in db.execute('SELECT id, name FROM reducer WHERE id > 0 ORDER BY id')]
        head = {'hindsight': 'recording', 'text': 1}
        for key in ['app', 'version', 'platform', 'created']: head[key] = facts.pop(key)
        head['facts'] = {key: facts[key] for key in sorted(facts)}
        head['reducers'] = reducers
        head['state'] = parse(db.execute('SELECT state FROM keyframe WHERE seq = 0').fetchone()[0])
        yield line(head)
        columns = 'seq, parent, type, payload, at, duration, file, line, thread, problem, steps'
        for seq, parent, type, payload, at, duration, origin, number, thread, problem, steps in db.execute(
                'SELECT ' + columns + ' FROM action ORDER BY seq'):
            steps = parse(steps)
            changes = {name: [operation(op) for op in step[1:]] for name, step in zip(reducers, steps) if type_is_list(step)}
            action = {'action': names.get(type, type)}
            if payload is not None: action['payload'] = parse(payload)
            if changes: action['changes'] = changes
            if problem is not None: action['problem'] = problem
            if parent is not None: action['parent'] = parent - seq
            if origin is not None: action['origin'] = names.get(origin, origin) + ':' + str(number)
            if thread is not None: action['thread'] = parse(names.get(thread, thread))
            action['at'] = at
            if duration is not None: action['duration'] = duration
            action['times'] = [step[0] if type_is_list(step) else step for step in steps]
            yield line(action)
        yield '{"end":true}'

    def type_is_list(step): return isinstance(step, list)

    for text in export(open(sys.argv[1]).read().strip()): print(text)
    """#
