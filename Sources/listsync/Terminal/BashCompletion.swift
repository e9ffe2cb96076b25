import ArgumentParser

/// The completion script for bash, as ArgumentParser writes it, with words as users see them.
enum BashCompletion {
  /// - Parameter error: the error that parsing threw.
  /// - Returns: nil if the arguments do not ask for bash's script.
  static func script(from error: any Error) -> String? {
    guard ListSync.words.all.contains(where: { $0.hasPrefix("--generate-completion-script") })
    else { return nil }
    let text = ListSync.fullMessage(for: error)
    guard ListSync.exitCode(for: error).isSuccess, text.hasPrefix("#!/bin/bash") else { return nil }
    return text + "\n" + wholeWords
  }

  /// Bash splits words at each `@`, `:` and `=`, so `parks@spring` becomes three arguments, and an
  /// address becomes more.
  private static let wholeWords = #"""
    _listsync_whole_words() {
        local -a words=()
        local rest="${COMP_LINE}" word
        local -i index current=0
        for index in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[index]}"
            if [[ "${#words[@]}" -gt 0 && "${rest}" != [[:blank:]]* ]]; then
                words[${#words[@]} - 1]+="${word}"
            else
                words+=("${word}")
            fi
            while [[ "${rest}" = [[:blank:]]* ]]; do rest="${rest:1}"; done
            rest="${rest#"${word}"}"
            [[ "${index}" -ne "${COMP_CWORD}" ]] || current="$((${#words[@]} - 1))"
        done

        # Bash replaces its own word, the second argument, so it gets the same of each answer.
        local -r given="${words[current]}"
        local -r kept="${given%"${2}"}"
        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD="${current}"
        _listsync "${1}" "${given}" "${words[current - 1]}"
        COMPREPLY=("${COMPREPLY[@]#"${kept}"}")
        # A version is not a file, whose @ would be quoted. Bash 3.2 has no compopt.
        [[ "${2}" != *@* ]] || compopt +o filenames 2>/dev/null
    }

    complete -o filenames -F _listsync_whole_words listsync
    """#
}
