import HindsightSupport
import HindsightTree

/// `hindsight completion bash|zsh|fish`
enum CompletionCommand: Command {
    static let shell = Positional("bash|zsh|fish", help: "The shell in which you call the tool.")

    static let syntax = Syntax(
        "completion",
        abstract: "Prints a script that completes commands, options, files, and names in recordings",
        discussion: """
            The script completes commands, options and their values, files, and, of the recording that the line names,
            action types, paths of its last state, notes and reducers. For this it calls this tool, for at most two seconds.
            To use it: put 'source <(hindsight completion bash)' into ~/.bashrc, or 'source <(hindsight completion zsh)'
            into ~/.zshrc after compinit, or save the script as ~/.config/fish/completions/hindsight.fish. A 'make install'
            has put the scripts of all three below PREFIX/share.
            """,
        arguments: [shell],
        examples: ["completion bash": "The script for bash."],
        jsonShape: "one object with shell and script"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let name = try arguments.require(shell)
        guard let script = script(for: name, ShellQuoting.quote(tool.name)) else {
            throw Failure(.usage, "There is no completion for \(quote(name)).", "There is one for bash, zsh and fish.")
        }
        tool.print(arguments, json: printable(["shell": .string(name), "script": .string(script)])) {
            tool.console.output.write(script + "\n")
        }
        return .fine
    }

    /// A script that passes the words up to the cursor to ``Completer``, and offers its answer. It quotes what it inserts,
    /// and evaluates no name, because a recording may come with a bug report.
    private static func script(for shell: String, _ tool: String) -> String? {
        switch shell {
        case "bash":
            #"""
            _hindsight_complete() {
                local line=${COMP_LINE:0:COMP_POINT} open split word prefix='' words=()
                # xargs splits as the shell does, expands nothing, and fails if a quote is open.
                for open in '' \' \"; do
                    split=$(xargs printf '%s\n' <<<"$line$open" 2>/dev/null && echo .) && break
                done
                while IFS= read -r word; do words+=("$word"); done <<<"${split%$'\n'.}"
                if [[ -z $open && $line == *[[:space:]] && $line != *\\[[:space:]] ]]; then words+=(''); fi
                word=${words[${#words[@]} - 1]}
                # Readline replaces only the part of the word after the last of these, or after the open quote.
                if [[ -z $open ]]; then prefix=${word%"${word##*[${COMP_WORDBREAKS//[[:space:]]/}]}"}; fi
                # The shell has not expanded the words yet.
                words=("${words[@]/#~\//$HOME/}")
                COMPREPLY=()
                while IFS= read -r word; do
                    case $open in
                    '') COMPREPLY+=("$(printf %q "${word#"$prefix"}")") ;;
                    \') [[ $word == *\'* ]] || COMPREPLY+=("$word") ;;
                    \") [[ $word == *[\"\$\`\\!]* ]] || COMPREPLY+=("$word") ;;
                    esac
                done < <("$1" \#(Completer.word) "${words[@]:1}" 2>/dev/null)
            }
            complete -o default -F _hindsight_complete \#(tool)
            """#
        case "zsh":
            #"""
            #compdef \#(tool)
            _hindsight_complete() {
                local -a all
                all=("${(@f)$("${(Q)words[1]}" \#(Completer.word) "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
                if [[ -n $all[1] ]]; then compadd -a all; else _files; fi
            }
            if [[ $funcstack[1] == _\#(tool) ]]; then _hindsight_complete "$@"; else compdef _hindsight_complete \#(tool); fi
            """#
        case "fish":
            #"""
            function __hindsight_complete
                set -l words (commandline -opc)
                set -l current (commandline -ct)
                set -l tool $words[1]
                set -e words[1]
                $tool \#(Completer.word) $words "$current" 2>/dev/null
            end
            complete -c \#(tool) -a '(__hindsight_complete)'
            """#
        default: nil
        }
    }
}
