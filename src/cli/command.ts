export interface OptionShape {
  type: 'string' | 'boolean'
}
export type OptionTable = Readonly<Record<string, OptionShape>>

type Values<O extends OptionTable> = {
  [N in keyof O]?: O[N]['type'] extends 'boolean' ? boolean : string
}

/** What somebody typed behind the name of a command. */
export interface Given<O extends OptionTable = OptionTable> {
  values: Values<O>
  /** What is no option: an id, a word. */
  words: string[]
  env: NodeJS.ProcessEnv
}

interface Loaded<O extends OptionTable> {
  help: string
  run(given: Given<O>): Promise<void>
}

export interface Command<O extends OptionTable = OptionTable> {
  /** One or two words, as they are typed. */
  name: string
  summary: string
  options: O
  /** The words that may follow, as the help names them. */
  words?: readonly string[]
  /** What the first of them can be, for the shell. */
  choices?: readonly string[]
  /** Loaded when it is asked for: commands are quick to begin. */
  load(): Promise<Loaded<O>>
}

/** One list of commands of every shape: which options each is given is settled here. */
export const command = <O extends OptionTable>(shape: Command<O>): Command => shape as unknown as Command

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const
