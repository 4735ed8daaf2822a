import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const cli = fileURLToPath(new URL('../../dist/tools/cli/resourcery.js', import.meta.url))

it.each(['plan', 'prune'])('resourcery %s says what it needs to import TypeScript', (command) => {
  const folder = mkdtempSync(join(tmpdir(), 'typescript-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // No version of Node.js imports .tsx; those before 22.18 import no .ts either.
  const file = join(folder, 'routers.tsx')
  writeFileSync(file, 'export {}')
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { status, stderr } = spawnSync(process.execPath, [cli, command, file], {
    env,
    encoding: 'utf8',
  })
  expect(status).not.toBe(0)
  expect(stderr).toContain(`cannot import '${file}'.`)
  expect(stderr).toContain(
    "run 'npm install --save-dev tsx', and set NODE_OPTIONS='--import tsx' for the command.",
  )
})
