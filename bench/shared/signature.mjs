import { createHmac } from 'node:crypto'

/** Whether a webhook's request has a valid, recent signature. */
export function isSigned(headers, body, secret) {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-webhook-signature'] ?? '')
  if (match === null || secret === undefined || match[1] !== headers['x-timestamp']) return false
  const fresh = Math.abs(Date.now() / 1000 - Number(match[1])) < 300
  return fresh && createHmac('sha256', secret).update(`${match[1]}.`).update(body).digest('hex') === match[2]
}
