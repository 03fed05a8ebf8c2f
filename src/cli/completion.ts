import { ConfigError } from '../boot/config-error.ts'
import type { Command } from './command.ts'

export const completionHelp = `postern completion bash|zsh|fish

Prints a script that completes commands and options. For example:

  bash   postern completion bash >> ~/.bashrc
  zsh    postern completion zsh > "\${fpath[1]}/_postern"
  fish   postern completion fish > ~/.config/fish/completions/postern.fish`

export function completion(shell: string, commands: readonly Command[]): string {
  if (shell === 'bash') return forBash(commands)
  if (shell === 'zsh') return `#compdef postern\nautoload -U +X bashcompinit && bashcompinit\n${forBash(commands)}`
  if (shell === 'fish') return forFish(commands)
  throw new ConfigError(`there is no completion for "${shell}": choose one of bash, zsh, fish.`)
}

const optionsOf = ({ options }: Command): string[] => [...Object.keys(options).map(name => `--${name}`), '--help']

/** The words that can follow each prefix of a command. */
function followers(commands: readonly Command[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>([['', new Set()]])
  const add = (after: string, words: readonly string[]): void => {
    const known = found.get(after) ?? new Set()
    for (const word of words) known.add(word)
    found.set(after, known)
  }
  for (const command of commands) {
    const [first, second] = command.name.split(' ')
    add('', [first!])
    if (second !== undefined) add(first!, [second])
    add(command.name, [...(command.choices ?? []), ...optionsOf(command)])
  }
  return new Map([...found].map(([after, words]) => [after, [...words]]))
}

function forBash(commands: readonly Command[]): string {
  const cases = [...followers(commands)].map(([after, words]) => `    '${after}') words='${words.join(' ')}' ;;`)
  return `_postern() {
  local typed="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${cases.join('\n')}
    *) typed="\${typed% *}"; case "$typed" in
${cases.map(line => `  ${line}`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _postern postern`
}

function forFish(commands: readonly Command[]): string {
  const lines = ['complete -c postern -f']
  const quoted = (value: string): string => `'${value.replaceAll("'", "\\'")}'`
  const firsts = new Map(commands.map(({ name, summary }) => [name.split(' ')[0]!, summary]))
  for (const [name, summary] of firsts)
    lines.push(`complete -c postern -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`)
  for (const command of commands) {
    const [first, second] = command.name.split(' ')
    const seen = `__fish_seen_subcommand_from ${first}`
    if (second !== undefined)
      lines.push(`complete -c postern -n ${quoted(seen)} -a ${second} -d ${quoted(command.summary)}`)
    const inside = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`
    for (const choice of command.choices ?? []) lines.push(`complete -c postern -n ${quoted(inside)} -a ${choice}`)
    for (const [name, { type }] of Object.entries(command.options))
      lines.push(`complete -c postern -n ${quoted(inside)} -l ${name}${type === 'string' ? ' -r' : ''}`)
  }
  return lines.join('\n')
}
