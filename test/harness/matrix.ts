/** `npm run test:long` runs whole matrices. */
const IS_LONG = process.env.TEST_LONG === '1'

/** The cells of a matrix: `npm test` runs only the first of them, and `npm run test:long` runs every one. */
export const cells = <T>(all: readonly T[], inSuite = 1): T[] => (IS_LONG ? [...all] : all.slice(0, inSuite))

/** Named cells: `npm test` runs only these, and `npm run test:long` runs every one. */
export const named = <T>(all: Readonly<Record<string, T>>, inSuite: readonly string[]): Array<[string, T]> =>
  Object.entries(all).filter(([name]) => IS_LONG || inSuite.includes(name))

/** The number of random cases of a property: all in `npm run test:long`, and a twentieth in `npm test`. */
export const runs = (whole: number): number => (IS_LONG ? whole : Math.ceil(whole / 20))

/** The size of a run under load: short in `npm test`, long in `npm run test:long`. */
export const inSize = <T>(short: T, long: T): T => (IS_LONG ? long : short)
