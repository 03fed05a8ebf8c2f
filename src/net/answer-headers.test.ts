import { expect, it } from 'vitest'
import { freeHeaders, strictHeaders } from './answer-headers.ts'

it.each([
  [{ 'content-type': 'application/json; charset=utf-8' }, { 'content-type': 'application/json; charset=utf-8' }, {}],
  [{ 'content-type': 'text/whatever-ada-wrote' }, {}, {}],
  [
    { 'content-length': '12', date: 'Mon, 16 Nov 2026 06:00:00 GMT' },
    { 'content-length': '12', date: 'Mon, 16 Nov 2026 06:00:00 GMT' },
    {},
  ],
  [{ 'retry-after': '30' }, { 'retry-after': '30' }, {}],
  [{ 'retry-after': 'when Ada answers' }, {}, {}],
  [{ server: 'nginx/1.25\u202e' }, {}, { server: 'nginx/1.25?' }],
  [{ 'set-cookie': ['session=secret'], 'x-any': 'thing' }, {}, {}],
  [{ location: 'x'.repeat(500) }, {}, { location: 'x'.repeat(200) }],
])('of %o history may show %o, and of a failure %o', (headers, strict, free) => {
  expect([strictHeaders(headers), freeHeaders(headers)]).toEqual([strict, free])
})
