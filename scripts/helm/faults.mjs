/** Schemas of other projects' kinds. */
const OTHERS = { 'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1' }

/**
 * Finds what Kubernetes would reject in a manifest. The schemas report wrong and missing values but accept unknown
 * names, so those are found as names that no schema has read.
 */
export const faultFinder = require => manifest => {
  const { apiVersion, kind } = manifest
  const { [kind]: Model } = require(OTHERS[apiVersion] ?? `kubernetes-models/${apiVersion}`)
  if (Model === undefined) return [`${apiVersion} has no ${kind}`]
  const read = new Set()
  const wrong = said(() => Model.prototype.validate.call(watched(manifest, '', read)))
  return [...wrong, ...unread(manifest, '', read)]
}

function said(check) {
  try {
    check()
    return []
  } catch (error) {
    return [error.message]
  }
}

/** A proxy of the value that records every property read. */
function watched(value, path, read) {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, name) {
      if (typeof name === 'string') read.add(`${path}/${name}`)
      return watched(target[name], `${path}/${String(name)}`, read)
    },
  })
}

const unread = (value, path, read) =>
  typeof value !== 'object' || value === null
    ? []
    : Object.keys(value).flatMap(name =>
        read.has(`${path}/${name}`)
          ? unread(value[name], `${path}/${name}`, read)
          : [`${path}/${name}: there is no such field`],
      )
