import { expect, it } from 'vitest'
import { traceIdOf } from './trace-context.ts'

const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

it.each([
  { what: 'the version of today', given: `00-${trace}-${span}-01`, id: trace },
  { what: 'a later version with more behind it', given: `01-${trace}-${span}-01-more`, id: trace },
  { what: 'more behind the version of today', given: `00-${trace}-${span}-01-more`, id: undefined },
  { what: 'the version that is none', given: `ff-${trace}-${span}-01`, id: undefined },
  { what: 'a trace of zeros', given: `00-${'0'.repeat(32)}-${span}-01`, id: undefined },
  { what: 'a span of zeros', given: `00-${trace}-${'0'.repeat(16)}-01`, id: undefined },
  { what: 'capital letters', given: `00-${trace.toUpperCase()}-${span}-01`, id: undefined },
  { what: 'something else', given: '","msg":"made up', id: undefined },
  { what: 'more than one', given: [`00-${trace}-${span}-01`], id: undefined },
])('of $what the trace is $id', ({ given, id }) => {
  expect(traceIdOf(given)).toBe(id)
})
