import { createElement, Fragment, type ReactNode } from 'react'
import { lookUp } from './look-up.ts'
import { type Text, type Values, wordsOf } from './t.ts'

/** A text with elements in it: links, code, times. Each language places them in its own order. */
export function rich<T extends Text>(text: T, ...[values]: Values<T, ReactNode>): ReactNode {
  const given = (values ?? {}) as Record<string, ReactNode>
  return wordsOf(text)
    .split(/\{(\w+)\}/)
    .map((part, at) => createElement(Fragment, { key: at }, at % 2 === 0 ? part : lookUp(given, part)))
}
