export interface OptionShape {
  type: 'string' | 'boolean'
  /** The value is a secret, and this can hold it in place of the command line. */
  secretIn?: string
  /** Only the password in an address is secret. */
  isAddress?: true
}
export type OptionTable = Readonly<Record<string, OptionShape>>

type Values<O extends OptionTable> = {
  [N in keyof O]?: O[N]['type'] extends 'boolean' ? boolean : string
}

/** The arguments of a command. */
export interface Given<O extends OptionTable = OptionTable> {
  values: Values<O>
  /** Arguments that are not options, such as an id. */
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
  /** The positional arguments, as the help names them. */
  words?: readonly string[]
  /** The possible values of the first one, for shell completion. */
  choices?: readonly string[]
  /** Loads the module on demand, so that every command starts fast. */
  load(): Promise<Loaded<O>>
}

/** Checks the types of a command's options, so that one list can have commands of every shape. */
export const command = <O extends OptionTable>(shape: Command<O>): Command => shape as unknown as Command

/** The help of a command module, and its function of the options, the environment and the arguments. */
export const loaded = <O extends OptionTable>(
  help: string,
  act: (values: Values<O>, env: NodeJS.ProcessEnv, ...words: string[]) => Promise<void>,
): Loaded<O> => ({ help, run: ({ values, env, words }) => act(values, env, ...words) })

/** The actions of a sandbox contact or the platform, for `postern trigger`. */
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
