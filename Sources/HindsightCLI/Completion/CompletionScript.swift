import HindsightSupport

/// A shell for which the tool prints a completion script.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// The completion scripts. They pass the words up to the cursor to ``CompletionWorker`` and offer its answer.
///
/// A recording may come with a bug report. Its names are never evaluated: no script uses `eval` or `compgen -W`, and the
/// inserted words are quoted, by this tool for bash and by zsh and fish themselves.
struct CompletionScript {
    /// The tool's name, as it was called.
    let tool: String

    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The name of the script's function: `_my_tool`.
    private var function: String {
        "_"
            + tool.unicodeScalars.map { $0.isASCII && $0.properties.isAlphabetic || "0"..."9" ~= $0 ? String($0) : "_" }
            .joined()
    }

    private var quoted: String { ShellQuoting.quote(tool) }

    private var bash: String {
        #"""
        # Completion of \#(tool) for bash. Put this line into ~/.bashrc:
        #   source <(\#(quoted) completion bash)
        \#(function)() {
            local tool=${1/#\~\//$HOME/} rest=${COMP_LINE:0:COMP_POINT} words=() word text prefix= i
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                text=${rest#"${rest%%[![:space:]]*}"}
                # The last word ends at the cursor.
                if ((i == COMP_CWORD)) && [[ $word == "$text"* ]]; then word=$text; fi
                # For readline, words end at = and : too (COMP_WORDBREAKS). For the tool, they do not.
                if ((i > 0)) && [[ -n $word && $rest == "$word"* ]]; then
                    words[${#words[@]} - 1]+=$word
                else
                    words+=("$word")
                fi
                rest=${text#"$word"}
            done
            word=${words[${#words[@]} - 1]}
            # Readline replaces only the part of the word after the last of these.
            if [[ $word != *[\'\"\\]* ]]; then
                for i in : =; do
                    [[ $COMP_WORDBREAKS == *"$i"* && $word == *"$i"* ]] || continue
                    text=${word%"${word##*"$i"}"}
                    if ((${#text} > ${#prefix})); then prefix=$text; fi
                done
            fi
            COMPREPLY=()
            {
                IFS= read -r text || return 0
                if [[ $text == *files* ]]; then compopt -o default -o bashdefault 2>/dev/null; fi
                if [[ $text == *open* ]]; then compopt -o nospace 2>/dev/null; fi
                while IFS= read -r word; do
                    if [[ $word == "$prefix"* ]]; then COMPREPLY+=("${word#"$prefix"}"); fi
                done
            } < <("$tool" \#(CompletionWorker.word) bash "${words[@]:1}" 2>/dev/null)
        }
        if type compopt >/dev/null 2>&1; then
            complete -F \#(function) \#(quoted)
        else
            complete -o default -F \#(function) \#(quoted)
        fi

        """#
    }

    private var zsh: String {
        #"""
        #compdef \#(tool)
        # Completion of \#(tool) for zsh. Save it as _\#(tool) in a directory of $fpath, or put this line into ~/.zshrc:
        #   source <(\#(quoted) completion zsh)
        \#(function)() {
            local -a lines plain shown spacing
            local tool=${(Q)words[1]} line
            tool=${tool/#\~\//$HOME/}
            lines=("${(@f)$("$tool" \#(CompletionWorker.word) zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            if [[ $lines[1] == *files* ]]; then
                _files
                return
            fi
            if [[ $lines[1] == *open* ]]; then spacing=(-S '')
            fi
            for line in "${(@)lines[2,-1]}"; do
                [[ -n $line ]] || continue
                plain+=("${line%%$'\t'*}")
                shown+=("${line/$'\t'/  -- }")
            done
            # compadd quotes what it inserts.
            compadd "${spacing[@]}" -l -d shown -a plain
        }
        if [[ $funcstack[1] == \#(function) ]]; then
            \#(function) "$@"
        else
            compdef \#(function) \#(quoted)
        fi

        """#
    }

    private var fish: String {
        #"""
        # Completion of \#(tool) for fish. Save it as ~/.config/fish/completions/\#(tool).fish.
        function _\#(function)
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l tool (string replace -r '^~/' "$HOME/" -- $words[1])
            set -e words[1]
            set -l lines ($tool \#(CompletionWorker.word) fish $words "$current" 2>/dev/null)
            if string match -q '*files*' -- "$lines[1]"
                __fish_complete_path "$current"
                return
            end
            set -e lines[1]
            # fish quotes what it inserts.
            printf '%s\n' $lines
        end
        complete -c \#(quoted) -f -a '(_\#(function))'

        """#
    }
}
