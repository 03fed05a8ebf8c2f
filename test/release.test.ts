import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesOf, withReleased } from '../scripts/release/changelog.mjs'
import { compareVersions } from '../scripts/release/version.mjs'

const RELEASE = join(import.meta.dirname, '../scripts/release/release.mjs')

function release(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [RELEASE, ...args], { encoding: 'utf8' })
}

describe('npm run release', () => {
  it('prints what it does with --help, and changes nothing', () => {
    expect(release('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--dry-run') })
  })

  it.each([
    [[], 'release: name the version: npm run release -- 1.2.3\n'],
    [['next'], 'release: next is not a version: write it as 1.2.3 or 1.2.3-rc.1\n'],
    [['1.2'], 'release: 1.2 is not a version: write it as 1.2.3 or 1.2.3-rc.1\n'],
  ])('rejects %j with what to write', (args, stderr) => {
    expect(release(...args)).toMatchObject({ status: 1, stderr })
  })

  it('orders versions as semver.org does', () => {
    const ordered = ['0.9.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11']
    ordered.push('1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0')
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
  })
})

describe('The notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- New.\n\n## 1.0.0 – 2026-01-02\n\n### Added\n\n- Old.\n'

  it('are what the changelog says about its version, or what was not released yet', () => {
    expect(notesOf(changelog, '1.1.0')).toBe('### Fixed\n\n- New.')
    expect(notesOf(changelog, '1.0.0')).toBe('### Added\n\n- Old.')
  })

  it.each(['', '### Added\n\n### Fixed\n\n'])('are never empty, nor only headings: %j', unreleased => {
    const silent = `# Changelog\n\n## Unreleased\n\n${unreleased}## 1.0.0 – 2026-01-02\n\n- Old.\n`
    expect(() => notesOf(silent, '1.1.0')).toThrow(
      'CHANGELOG.md has no notes for 1.1.0: write it below "## Unreleased"',
    )
  })

  it('get their heading once the version is released, and only once', () => {
    const released = withReleased(changelog, '1.1.0', '2026-02-03')
    expect(released).toContain('## Unreleased\n\n## 1.1.0 – 2026-02-03\n\n### Fixed\n\n- New.\n\n## 1.0.0')
    expect(withReleased(released, '1.1.0', '2026-02-04')).toBe(released)
  })
})
