/** The same fields, written as one object each, so that two types can be compared. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `true` where both have the same fields, of the same types, and may leave out the same ones. */
export type Same<A, B> = Identical<Plain<A>, Plain<B>>
