import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('helpers for tests need no test runner, and no optional package', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('testing.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  const packages = imports.map(({ path }) => path).filter((path) => !path.startsWith('node:'))
  expect(new Set(packages)).toEqual(new Set(['inflection']))
})
