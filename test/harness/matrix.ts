/** `npm run test:long` takes whole matrices. */
const IS_LONG = process.env.TEST_LONG === '1'

/** The cells of a matrix: the first of them stand for all in `npm test`, and `npm run test:long` takes every one. */
export const cells = <T>(all: readonly T[], inSuite = 1): T[] => (IS_LONG ? [...all] : all.slice(0, inSuite))

/** Named cells: these stand for all in `npm test`, and `npm run test:long` takes every one. */
export const named = <T>(all: Readonly<Record<string, T>>, inSuite: readonly string[]): Array<[string, T]> =>
  Object.entries(all).filter(([name]) => IS_LONG || inSuite.includes(name))

/** How many random cases a property is tried on: so many in `npm run test:long`, and a twentieth of them in `npm test`. */
export const runs = (whole: number): number => (IS_LONG ? whole : Math.ceil(whole / 20))

/** How large a run under load is: short in `npm test`, long in `npm run test:long`. */
export const inSize = <T>(short: T, long: T): T => (IS_LONG ? long : short)
