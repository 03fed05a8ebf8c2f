const UNRELEASED = '## Unreleased'

/** The notes of a version: the text below its heading, or the unreleased notes. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^(?=## )/m)
  const section =
    sections.find(text => headingOf(text) === version) ?? sections.find(text => text.startsWith(UNRELEASED))
  const notes = section?.slice(section.indexOf('\n')).trim() ?? ''
  // Headings without entries are not notes.
  if (notes.replace(/^#.*$/gm, '').trim() === '')
    throw new Error(`CHANGELOG.md has no notes for ${version}: write it below "${UNRELEASED}"`)
  return notes
}

/** The changelog after the release. Unchanged if it already has the version. */
export function withReleased(changelog, version, day) {
  if (changelog.split('\n').some(line => headingOf(line) === version)) return changelog
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} – ${day}`)
}

const headingOf = text => /^## (\d\S*)/.exec(text)?.[1]
