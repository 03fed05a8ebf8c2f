import { describe, expect, it } from 'vitest'
import { DataError, StoreUnavailable } from '../transaction.ts'
import { endsConnection, isReadOnly, toFailure } from './failures.ts'

const failure = (code: string | undefined, message = 'x') =>
  Object.assign(new Error(message), code === undefined ? {} : { code })

describe('what ends a connection', () => {
  it.each([
    ['a server that has become a standby', failure('25006'), true],
    ['a server that stops', failure('57P01'), true],
    ['a server that starts', failure('57P03'), true],
    ['a statement that took too long there', failure('57014'), true],
    ['a transaction that was idle too long', failure('25P03'), true],
    ['too many connections', failure('53300'), true],
    ['a full disk', failure('53100'), true],
    ['a disk that fails', failure('58030'), true],
    ['a pooler that lost its server', failure('08P01'), true],
    ['a prepared statement of another session', failure('26000'), true],
    ['a statement that another session has prepared', failure('42P05'), true],
    ['a socket that was reset', failure('ECONNRESET'), true],
    ['a pipe that broke', failure('EPIPE'), true],
    ['an answer that did not come', failure(undefined, 'Query read timeout'), true],
    ['a connection that ended', failure(undefined, 'Connection terminated unexpectedly'), true],
    ['a deadlock', failure('40P01'), false],
    ['a broken constraint', failure('23505'), false],
    ['a bad statement', failure('42601'), false],
    ['a fault of the program', failure(undefined, 'x is undefined'), false],
  ])('%s', (_what, error, ends) => {
    expect(endsConnection(error)).toBe(ends)
  })

  it('a standby alone is a reason to leave every connection to that server', () => {
    expect([isReadOnly(failure('25006')), isReadOnly(failure('57P01'))]).toEqual([true, false])
  })
})

describe('what a failure is called outside', () => {
  it.each([
    ['the data', failure('23505'), DataError],
    ['the server', failure('25006'), StoreUnavailable],
    ['silence', failure(undefined, 'Query read timeout'), StoreUnavailable],
    ['a fault of the program', new TypeError('x is undefined'), TypeError],
  ])('%s', (_what, error, type) => {
    expect(toFailure(error)).toBeInstanceOf(type)
  })
})
