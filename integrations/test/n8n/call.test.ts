import { describe, expect, it } from 'vitest'
import { eventsOf, FieldError, requestOf } from '../../n8n/nodes/Postern/call.ts'
import { CALLS } from '../../n8n/nodes/Postern/descriptions/calls.ts'
import { describeError } from '../../n8n/nodes/Postern/error-response.ts'

const send = CALLS.postMessages!
const react = CALLS.postSessionsIdNewslettersNlReact!

describe('a request', () => {
  it('has what stands in sight and what was added, each where it belongs', () => {
    const { method, path, body } = requestOf(
      send,
      { session_id: 's', to: '+1 555', text: 'Hi' },
      { link_preview: false },
    )
    expect({ method, path }).toEqual({ method: 'POST', path: '/v1/messages' })
    expect(body).toEqual({ session_id: 's', to: '+1 555', text: 'Hi', link_preview: false })
    expect(requestOf(CALLS.getMessages!, {}, { state: 'sent' }).query).toEqual({ state: 'sent' })
  })

  it.each([
    ['a picture without a caption has no text', { media_type: 'image', media_url: 'https://a.example' }, undefined],
    ['a reaction that is taken back has an empty one', { reacted_message_id: 'A' }, ''],
  ])('%s', (_, added, text) => {
    expect(requestOf(send, { session_id: 's', to: '1', text: '' }, added).body!.text).toBe(text)
  })

  it('takes JSON as text or as the object of an expression, and says which field is neither', () => {
    const location = { latitude: 1, longitude: 2 }
    for (const given of [location, JSON.stringify(location)])
      expect(requestOf(send, { session_id: 's', to: '1', text: '' }, { location: given }).body!.location).toEqual(
        location,
      )
    expect(() => requestOf(send, { session_id: 's', to: '1', text: '' }, { location: '{lat' })).toThrow(
      new FieldError('location is not JSON: write it as JSON, or give an object by an expression'),
    )
  })

  it('keeps what is given for a path in its own part of it', () => {
    const given = {
      session_id: '999:1@s.whatsapp.net',
      newsletter_id: '../../keys?x=1#',
      server_id: 1,
      message_id: 'A',
      emoji: '',
    }
    const { path } = requestOf(react, given, {})
    expect(path).toBe('/v1/sessions/999%3A1%40s.whatsapp.net/newsletters/..%2F..%2Fkeys%3Fx%3D1%23/react')
  })

  it.each(['', ' ', '.', '..', undefined])('refuses %j as an id, because it would name another route', id => {
    expect(() => requestOf(CALLS.deleteWebhooksId!, { webhook_id: id }, {})).toThrow('webhook_id is missing')
  })
})

describe('the events of a stream', () => {
  it('are those that came whole', () => {
    const text =
      'event: step\nid: 7\ndata: {"status":\ndata: "qr"}\n\n: still here\n\ndata: plain\n\nevent: half\ndata: {"a"'
    expect(eventsOf(text)).toEqual([
      { event: 'step', id: '7', data: { status: 'qr' } },
      { event: 'message', id: undefined, data: 'plain' },
    ])
  })
})

describe('a refusal', () => {
  it('has the error, the code, the field, the cure and where to read more', () => {
    const answer = {
      detail: 'text is missing',
      code: 'parameter_missing',
      param: 'text',
      type: 'http://g/docs/errors#x',
      request_id: 'r1',
    }
    const { message, code, description } = describeError(400, answer)
    expect({ message, code }).toEqual({ message: 'text is missing', code: 'parameter_missing' })
    expect(description).toBe(
      'Send the field that `param` names. Code: parameter_missing, field: text, more: http://g/docs/errors#x, request: r1.',
    )
  })

  it('in the plain form has its text, and what its headers say', () => {
    const headers = { 'x-error-code': 'not_found', 'x-request-id': 'r2' }
    const { message, code, description } = describeError(404, { error: 'webhook not found' }, headers)
    expect({ message, code }).toEqual({ message: 'webhook not found', code: 'not_found' })
    expect(description).toMatch(/^Check the id\. .* Code: not_found, request: r2\.$/)
    expect(describeError(502, { error: 'upstream is away' })).toMatchObject({
      message: 'upstream is away',
      description: expect.stringContaining('Check the base URL'),
    })
  })

  it.each([
    ['<html>', 502],
    [null, 404],
    [{ message: 'no' }, 500],
    [{ code: 'constructor', error: 1 }, 400],
  ])('an error of a server that is not a gateway, %j, says so or gives no remedy', (body, status) => {
    const { message, description } = describeError(status, body)
    expect(message).toMatch(/is not one of a Postern gateway|^constructor$/)
    expect(description).toMatch(/Check the base URL|^Code: constructor\.$/)
  })
})
