import { expect, test } from 'vitest'
import { prefersProblem } from './prefers-problem.ts'

test.for([
  'application/problem+json',
  'Application/Problem+JSON',
  'application/problem+json; charset=utf-8',
  'application/json, application/problem+json',
  'application/problem+json, application/json',
  'application/json;q=0.8, application/problem+json;q=0.9',
  'application/problem+json;q=0.001',
  'application/problem+json; q=1.000',
  'application/problem+json;Q=0.5, */*;q=0.1',
  'application/problem+json;q=0.5, application/json;q=0.2, */*',
  'text/html, application/problem+json',
  'application/json;profile="a,b;q=0";q=0.1, application/problem+json;q=0.2',
  ', application/problem+json,',
])('a client that sends Accept: %s gets a problem', accept => expect(prefersProblem(accept)).toBe(true))

test.for([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'text/html,application/xhtml+xml,*/*;q=0.8',
  'application/problem+json;q=0',
  'application/problem+json;q=0.000, */*',
  'application/json, application/problem+json;q=0.9',
  'application/problem+json;q=0.5, */*',
  'application/problem+json;q=0.5, application/*;q=0.6',
  'application/problem+json;q=2',
  'application/problem+json;q=much',
  'application/problem+json;q=',
  'application/problem+jsonx',
  'x-application/problem+json',
  'application/json;note="application/problem+json"',
  'application/json;note="a, application/problem+json',
])('a client that sends Accept: %s gets the plain body', accept => expect(prefersProblem(accept)).toBe(false))

test.for([
  ['commas', `application/problem+json${','.repeat(15_900)}`],
  ['ranges', `${'*/*;q=0.1,'.repeat(70)}application/problem+json`],
  ['parameters', `application/problem+json${';a'.repeat(8_000)}`],
])('an Accept header with too many %s gets the plain body', ([, accept]) => {
  expect(prefersProblem(accept)).toBe(false)
})
