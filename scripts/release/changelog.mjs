const UNRELEASED = '## Unreleased'

/** What a version brings its users: the text below its heading, or what was not released yet. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^(?=## )/m)
  const section =
    sections.find(text => headingOf(text) === version) ?? sections.find(text => text.startsWith(UNRELEASED))
  const notes = section?.slice(section.indexOf('\n')).trim() ?? ''
  // Headings alone (Added, Changed, Fixed) say nothing.
  if (notes.replace(/^#.*$/gm, '').trim() === '')
    throw new Error(`CHANGELOG.md says nothing about ${version}: write it below "${UNRELEASED}"`)
  return notes
}

/** The changelog once the version is out. One that is in it already stays as it is. */
export function withReleased(changelog, version, day) {
  if (changelog.split('\n').some(line => headingOf(line) === version)) return changelog
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} – ${day}`)
}

const headingOf = text => /^## (\d\S*)/.exec(text)?.[1]
