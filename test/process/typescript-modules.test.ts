import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(root, 'dist/tools/cli/resourcery.js')

it.each(['plan', 'prune'])('resourcery %s says what it needs to import TypeScript', (command) => {
  const folder = mkdtempSync(join(tmpdir(), 'typescript-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // No version of Node.js imports .tsx; those before 22.18 import no .ts either. No `tsx` is here.
  const file = join(folder, 'routers.tsx')
  writeFileSync(file, 'export {}')
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { status, stderr } = spawnSync(process.execPath, [cli, command, file], {
    env,
    encoding: 'utf8',
  })
  expect(status).not.toBe(0)
  expect(stderr).toContain(`cannot import '${file}'.`)
  expect(stderr).toContain("run 'npm install --save-dev tsx'")
})

it('resourcery plan imports TypeScript with the tsx of the project', () => {
  const parent = join(root, '.data')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'typescript-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'api.ts')
  // An enum is more than a type, so that no version of Node.js imports it by itself.
  writeFileSync(file, 'enum Title { Typed }\nthrow new Error(Title[0]! as string)\n')
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stderr } = spawnSync(process.execPath, [cli, 'plan', file], { env, encoding: 'utf8' })
  expect(stderr).toContain('Error: Typed')
})
