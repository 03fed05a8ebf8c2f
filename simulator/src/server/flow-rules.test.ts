import { expect, test } from 'vitest'
import { type BinaryNode, node } from '../wire/node.ts'
import { flowError, isAnnounced } from './flow-rules.ts'

const ATTRS = { actual_actors: '2', host_storage: '2', privacy_mode_ts: '1790000000' }
const flow = node('interactive', { type: 'native_flow', v: '1' }, [node('native_flow', { v: '9', name: 'mixed' })])
const control = node('quality_control', { source_type: 'third_party' })
const enc = node('enc', { v: '2', type: 'msg' }, Buffer.of(1))
const message = (content: BinaryNode[], type = 'text') => node('message', { to: '1@lid', type }, [enc, ...content])
const media = node('enc', { v: '2', type: 'msg', mediatype: 'image' }, Buffer.of(1))

test.each<[string, BinaryNode, number | undefined, boolean]>([
  ['no announcement', message([]), undefined, false],
  ['a complete announcement', message([node('biz', ATTRS, [flow, control])]), undefined, true],
  [
    'two announcements',
    message([node('biz', ATTRS, [flow, control]), node('biz', ATTRS, [flow, control])]),
    undefined,
    false,
  ],
  ['one without an envelope', message([flow]), 479, false],
  [
    'an empty one',
    message([node('biz', ATTRS, [node('interactive', { type: 'native_flow', v: '1' }), control])]),
    479,
    true,
  ],
  ['the one of old buttons', message([node('biz', {}, [node('buttons')])]), 405, true],
  ['one without attributes', message([node('biz', {}, [flow, control])]), 479, true],
  ['one without quality control', message([node('biz', ATTRS, [flow])]), 479, true],
  ['one of media', message([node('biz', ATTRS, [flow, control])], 'media'), 479, true],
  ['one with a media type', message([media, node('biz', ATTRS, [flow, control])]), 479, true],
])('the server checks the announcement of buttons: %s', (_, stanza, error, isShown) => {
  expect(flowError(stanza)).toBe(error)
  expect(isAnnounced(stanza)).toBe(isShown)
})
