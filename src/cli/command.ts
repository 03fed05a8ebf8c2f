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

/** What a command module has: its help, and a function that takes the options, the environment and the words. */
export const loaded = <O extends OptionTable>(
  help: string,
  act: (values: Values<O>, env: NodeJS.ProcessEnv, ...words: string[]) => Promise<void>,
): Loaded<O> => ({ help, run: ({ values, env, words }) => act(values, env, ...words) })

/** What a contact of the sandbox or the platform can do, for `postern trigger`. */
export const TRIGGERS = [
  ...(['message', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'poll', 'reaction'] as const),
  ...(['poll_vote', 'call', 'receipt', 'typing', 'presence', 'newsletter_message', 'drop', 'logout'] as const),
] as const
export type Trigger = (typeof TRIGGERS)[number]

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const

/** Options that take a text. */
export const texts = <N extends string>(...names: N[]): Record<N, typeof text> =>
  Object.fromEntries(names.map(name => [name, text])) as Record<N, typeof text>
