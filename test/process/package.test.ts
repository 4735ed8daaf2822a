import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly default: string }>
  >
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

describe('the package', () => {
  const manifest: Manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed: unknown = JSON.parse(listed)
  const [{ files }] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as [
    { files: readonly { readonly path: string }[] },
  ]
  const paths = files.map(({ path }) => path)

  it('contains the code and the types of each export, the command, the script of the documentation page, and the list of errors', () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry.types, entry.default],
    )
    const needed = [
      ...targets,
      ...Object.values(manifest.bin),
      'dist/feature/browser-pages/scalar.js.br',
      'docs/errors.md',
      'README.md',
      'LICENSE',
    ]
    expect(
      needed.map((path) => path.replace(/^\.\//, '')).filter((path) => !paths.includes(path)),
    ).toEqual([])
  })

  it('contains nothing besides the build and the documentation, and no tests', () => {
    expect(
      paths.filter(
        (path) =>
          !/^(dist\/|docs\/(?:errors|hooks|limits)\.md$|docs\/guide\/|README\.md$|LICENSE$|package\.json$)/.test(
            path,
          ),
      ),
    ).toEqual([])
    expect(paths.filter((path) => /\.(test|test-d|testing)\./.test(path))).toEqual([])
  })

  it('installs no database driver: those are optional, and installed by name', () => {
    const drivers = ['@photostructure/sqlite', 'pg']
    for (const driver of drivers) {
      expect(manifest.dependencies).not.toHaveProperty([driver])
      expect(manifest.peerDependencies).toHaveProperty([driver])
      expect(manifest.peerDependenciesMeta[driver]).toEqual({ optional: true })
    }
  })

  it('contains no file of an earlier build', () => {
    expect(manifest.scripts.prepack).toMatch(/^node -e "fs\.rmSync\('dist'/)
  })

  it('leads importers to the build under every condition that others may set', () => {
    const conditions = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : Object.keys(entry),
    )
    expect(new Set(conditions)).toEqual(new Set(['resourcery-source', 'types', 'default']))
  })

  it('is built by npm pack, so that a fresh clone packs a complete one', () => {
    expect(manifest.scripts.prepack).toMatch(
      / && npm run --silent build && node scripts\/bundle\.mjs$/,
    )
  })
})
